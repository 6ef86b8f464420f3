/** A ServiceAccount of a test, with rights of its own, as kubectl and the admin API know it. */

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { ControlPlaneAccess } from './control-plane/access.ts';

/** `[verbs, resources, names]` in the group vexil.dev; no names: any. */
export type Rule = readonly [verbs: readonly string[], resources: readonly string[], names?: readonly string[]];

export interface Account {
  /** As the API server calls it. */
  readonly username: string;
  readonly token: string;
  readonly kubeconfig: string;
}

export interface AccountOptions {
  readonly namespace: string;
  readonly name: string;
  /** By namespace. */
  readonly rules: Readonly<Record<string, readonly Rule[]>>;
}

/** Resolves when the account, its Roles and its bindings are there. */
export async function createAccount(
  cluster: ControlPlaneAccess,
  { namespace, name, rules }: AccountOptions,
): Promise<Account> {
  await cluster.kubectlOrThrow(['create', 'serviceaccount', name, '-n', namespace]);
  for (const [place, allowed] of Object.entries(rules)) await allow(cluster, { namespace, name, place, allowed });
  const kubeconfig = await cluster.kubeconfigFor({ namespace, name });
  const { users } = parse(await readFile(kubeconfig, 'utf8'));
  return { username: `system:serviceaccount:${namespace}:${name}`, token: users[0].user.token, kubeconfig };
}

interface Allowance {
  readonly namespace: string;
  readonly name: string;
  readonly place: string;
  readonly allowed: readonly Rule[];
}

async function allow(cluster: ControlPlaneAccess, { namespace, name, place, allowed }: Allowance): Promise<void> {
  const metadata = { name: `${namespace}-${name}`, namespace: place };
  const rules = allowed.map(([verbs, resources, resourceNames]) => {
    return { apiGroups: ['vexil.dev'], resources, verbs, ...(resourceNames && { resourceNames }) };
  });
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const role = { apiVersion, kind: 'Role', metadata, rules };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects };
  await cluster.kubectlOrThrow(['apply', '-f', '-'], {
    input: [role, binding].map((one) => JSON.stringify(one)).join('\n---\n'),
  });
}
