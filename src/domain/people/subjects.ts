/** The Kubernetes identities of users. */
import type { FlagUser, Subject } from '../../schema/flag-user.ts';

/** The username of a subject at the API server. */
export function kubernetesName({
  kind,
  name,
  namespace,
}: Pick<Subject, 'name' | 'namespace'> & { readonly kind: string }): string {
  return kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : name;
}

export function subjectsOf({ spec }: FlagUser): readonly string[] {
  return (spec.subjects ?? []).map(kubernetesName);
}

/** Whether the user has subjects, and all of them are ServiceAccounts. */
export function isMachine({ spec }: FlagUser): boolean {
  const subjects = spec.subjects ?? [];
  return subjects.length > 0 && subjects.every(({ kind }) => kind === 'ServiceAccount');
}

/** Addresses that differ only in case are equal. */
export function foldedEmail({ spec }: FlagUser): string | undefined {
  return spec.email?.toLowerCase();
}
