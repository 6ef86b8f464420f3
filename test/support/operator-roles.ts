/** Gives an operator the roles that ship in config/rbac, in namespaces of the caller's choice. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { AnyObject, ControlPlaneAccess } from './control-plane/access.ts';

const FOLDER = fileURLToPath(new URL('../../config/rbac/', import.meta.url));

export const SERVICE_ACCOUNT = 'vexil';

interface RoleObject extends AnyObject {
  readonly subjects?: readonly { readonly namespace: string }[];
}

/** Lets an operator recognise tokens of Kubernetes. The binding is of the whole cluster, so each home has its own. */
export async function grantReviews(cluster: ControlPlaneAccess, home: string): Promise<void> {
  const bindings = await rolesFor(home, home, 'identities.yaml');
  await cluster.apply(bindings.map((binding) => ({ ...binding, metadata: { name: `vexil-identities-${home}` } })));
}

/** Answers the path of a kubeconfig that acts as the operator's ServiceAccount. */
export async function grantOperatorRoles(
  cluster: ControlPlaneAccess,
  home: string,
  watched: readonly string[],
): Promise<string> {
  const inHome = await rolesFor(home, home, 'home.yaml');
  const inWatched = await Promise.all([home, ...watched].map((namespace) => rolesFor(home, namespace, 'watched.yaml')));
  await cluster.apply([...inHome, ...inWatched.flat()]);
  return cluster.kubeconfigFor({ namespace: home, name: SERVICE_ACCOUNT });
}

async function rolesFor(home: string, namespace: string, file: string): Promise<RoleObject[]> {
  const documents = parseAllDocuments(await readFile(`${FOLDER}${file}`, 'utf8'));
  return documents.map((document) => {
    const object = document.toJS() as RoleObject;
    const subjects = object.subjects?.map((subject) => ({ ...subject, namespace: home }));
    return { ...object, metadata: { ...object.metadata, namespace }, ...(subjects && { subjects }) };
  });
}
