/** The Kubernetes identities of users. */
import type { FlagUser, Subject } from '../schema/flag-user.ts';

/** As the API server calls whoever it has authenticated, so that both kinds of subject can be compared. */
function kubernetesName({ kind, name, namespace }: Subject): string {
  return kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : name;
}

export function subjectsOf({ spec }: FlagUser): readonly string[] {
  return (spec.subjects ?? []).map(kubernetesName);
}

/** It has identities, and all of them are ServiceAccounts. */
export function isMachine({ spec }: FlagUser): boolean {
  const subjects = spec.subjects ?? [];
  return subjects.length > 0 && subjects.every(({ kind }) => kind === 'ServiceAccount');
}

/** Addresses that differ in case only are the same. */
export function foldedEmail({ spec }: FlagUser): string | undefined {
  return spec.email?.toLowerCase();
}
