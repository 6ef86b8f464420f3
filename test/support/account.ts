/** A ServiceAccount of a test, with rights of its own, as kubectl and the admin API know it. */

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { AnyObject, ControlPlaneAccess } from './control-plane/access.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

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

/** Resolves when the account, its Roles and its bindings are in effect: the API server takes a moment to notice them. */
export async function createAccount(
  cluster: ControlPlaneAccess,
  { namespace, name, rules }: AccountOptions,
): Promise<Account> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
  const rights = Object.entries(rules).flatMap(([place, allowed]) => rightsOf({ namespace, name, place, allowed }));
  await cluster.apply([account, ...rights]);
  const username = `system:serviceaccount:${namespace}:${name}`;
  for (const [place, allowed] of Object.entries(rules)) await untilAllowed(cluster, { username, place, allowed });
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

interface Allowed {
  readonly username: string;
  readonly place: string;
  readonly allowed: readonly Rule[];
}

async function untilAllowed(cluster: ControlPlaneAccess, { username, place, allowed }: Allowed): Promise<void> {
  for (const [[verb], [resource], [name] = []] of allowed) {
    const resourceAttributes = { group: 'vexil.dev', verb, resource, namespace: place, name };
    await waitUntil({ what: `${username} may ${verb} ${resource} in ${place}`, everyMs: 10 }, async () => {
      const review = (await cluster.request({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: username, resourceAttributes },
        },
      })) as Stored;
      return review.status.allowed === true;
    });
  }
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
