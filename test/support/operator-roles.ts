/** Gives an operator the shipped roles, in namespaces of the caller's choice. */
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

/** The rights of an operator, by where they hold. */
export interface OperatorRoles {
  readonly home: readonly RoleObject[];
  /** The rights in each watched namespace, including the operator namespace. */
  readonly watched: readonly RoleObject[];
  /** The rights in the whole cluster, for recognising Kubernetes tokens. */
  readonly reviews: readonly RoleObject[];
}

/** A cluster with the roles of its operators. If absent, the roles are those of config/rbac. */
export interface RoleCluster extends ControlPlaneAccess {
  readonly roles?: OperatorRoles;
}

const userIn = (home: string) => `system:serviceaccount:${home}:${SERVICE_ACCOUNT}`;

/**
 * Allows an operator to recognise Kubernetes tokens. The binding is cluster-wide, so each operator namespace has its
 * own.
 */
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
 * Resolves when the roles are in effect. Returns the path of a kubeconfig that acts as the operator's ServiceAccount.
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

/** Waits for one rule of the Role, which stands for all. */
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

/** Returns the roles of config/rbac. */
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
