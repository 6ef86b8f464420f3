/** Gives an operator the roles that ship, in namespaces of the caller's choice. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { AnyObject, ControlPlaneAccess } from './control-plane/access.ts';
import { untilAllowed } from './until-allowed.ts';

const FOLDER = fileURLToPath(new URL('../../config/rbac/', import.meta.url));

export const SERVICE_ACCOUNT = 'vexil';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface RoleObject extends AnyObject {
  readonly rules?: readonly Rule[];
  readonly roleRef?: object;
  readonly subjects?: readonly { readonly namespace: string }[];
}

/** What an operator may do, by where it may. */
export interface OperatorRoles {
  readonly home: readonly RoleObject[];
  /** In each namespace that is watched, home included. */
  readonly watched: readonly RoleObject[];
  /** In the whole cluster: to recognise tokens of Kubernetes. */
  readonly reviews: readonly RoleObject[];
}

/** A cluster, and the roles that operators have there; absent: those of config/rbac. */
export interface RoleCluster extends ControlPlaneAccess {
  readonly roles?: OperatorRoles;
}

const userIn = (home: string) => `system:serviceaccount:${home}:${SERVICE_ACCOUNT}`;

/** Lets an operator recognise tokens of Kubernetes. The binding is of the whole cluster, so each home has its own. */
export async function grantReviews(cluster: RoleCluster, home: string): Promise<void> {
  const { reviews } = cluster.roles ?? (await rolesOfConfig());
  const bindings = placed(reviews, home, undefined).map((binding) => {
    return { ...binding, metadata: { name: `vexil-identities-${home}` } };
  });
  await cluster.apply(bindings);
  await untilAllowed(cluster, {
    user: userIn(home),
    group: 'authentication.k8s.io',
    verb: 'create',
    resource: 'tokenreviews',
  });
}

/**
 * Resolves when the roles are in effect. Answers the path of a kubeconfig that acts as the operator's ServiceAccount.
 */
export async function grantOperatorRoles(
  cluster: RoleCluster,
  home: string,
  watched: readonly string[],
): Promise<string> {
  const roles = cluster.roles ?? (await rolesOfConfig());
  const inWatched = [home, ...watched].flatMap((namespace) => placed(roles.watched, home, namespace));
  const granted = [...placed(roles.home, home, home), ...inWatched];
  await cluster.apply(granted);
  for (const role of granted) await untilGranted(cluster, home, role);
  return cluster.kubeconfigFor({ namespace: home, name: SERVICE_ACCOUNT });
}

/** One rule stands for its Role. */
async function untilGranted(cluster: RoleCluster, home: string, { metadata, rules }: RoleObject): Promise<void> {
  const [rule] = rules ?? [];
  const [verb] = rule?.verbs ?? [];
  const [resource] = rule?.resources ?? [];
  if (!rule || !verb || !resource) return;
  const { namespace } = metadata;
  const { apiGroups, resourceNames } = rule;
  await untilAllowed(cluster, {
    user: userIn(home),
    verb,
    resource,
    group: apiGroups[0],
    name: resourceNames?.[0],
    namespace,
  });
}

/** As config/rbac has them. */
export async function rolesOfConfig(): Promise<OperatorRoles> {
  const [home, watched, reviews] = await Promise.all(['home.yaml', 'watched.yaml', 'identities.yaml'].map(rolesIn));
  return { home: home ?? [], watched: watched ?? [], reviews: reviews ?? [] };
}

async function rolesIn(file: string): Promise<readonly RoleObject[]> {
  return parseAllDocuments(await readFile(`${FOLDER}${file}`, 'utf8')).map((document) => document.toJS());
}

function placed(roles: readonly RoleObject[], home: string, namespace: string | undefined): RoleObject[] {
  return roles.map(({ metadata: { name }, subjects, ...rest }) => {
    const bound = subjects?.map((subject) => ({ ...subject, namespace: home }));
    return { ...rest, metadata: { name, ...(namespace && { namespace }) }, ...(bound && { subjects: bound }) };
  });
}
