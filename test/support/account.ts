/** A ServiceAccount of a test, with rights of its own, as kubectl and the admin API know it. */

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { AnyObject, ControlPlaneAccess } from './control-plane/access.ts';
import { untilAllowed } from './until-allowed.ts';

/** `[verbs, resources, names]` in the group vexil.dev. Without names, the rule holds for all objects. */
export type Rule = readonly [verbs: readonly string[], resources: readonly string[], names?: readonly string[]];

export interface Account {
  /** The name of the account at the API server. */
  readonly username: string;
  readonly token: string;
  readonly kubeconfig: string;
}

export interface AccountOptions {
  readonly namespace: string;
  readonly name: string;
  /** The rules by namespace. */
  readonly rules: Readonly<Record<string, readonly Rule[]>>;
}

/**
 * Resolves when the account, its Roles and its bindings are in effect: the API server takes a moment to notice them.
 */
export async function createAccount(
  cluster: ControlPlaneAccess,
  { namespace, name, rules }: AccountOptions,
): Promise<Account> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
  const rights = Object.entries(rules).flatMap(([place, allowed]) => rightsOf({ namespace, name, place, allowed }));
  await cluster.apply([account, ...rights]);
  const username = `system:serviceaccount:${namespace}:${name}`;
  for (const [namespace, allowed] of Object.entries(rules)) {
    for (const [[verb = ''], [resource = ''], [name] = []] of allowed) {
      await untilAllowed(cluster, { user: username, verb, resource, namespace, name });
    }
  }
  const kubeconfig = await cluster.kubeconfigFor({ namespace, name });
  const { users } = parse(await readFile(kubeconfig, 'utf8'));
  return { username, token: users[0].user.token, kubeconfig };
}

interface Allowance {
  readonly namespace: string;
  readonly name: string;
  readonly place: string;
  readonly allowed: readonly Rule[];
}

/** A Role with its binding. */
function rightsOf({ namespace, name, place, allowed }: Allowance): readonly AnyObject[] {
  const metadata = { name: `${namespace}-${name}`, namespace: place };
  const rules = allowed.map(([verbs, resources, resourceNames]) => {
    return { apiGroups: ['vexil.dev'], resources, verbs, ...(resourceNames && { resourceNames }) };
  });
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const role = { apiVersion, kind: 'Role', metadata, rules };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects };
  return [role, binding];
}
