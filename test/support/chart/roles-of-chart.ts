/** The roles that the chart gives to the operator. */
import type { OperatorRoles, RoleObject } from '../operator-roles.ts';
import type { Helm } from '../tools/helm.ts';

const [HOME, WATCHED] = ['home', 'watched'];
const KINDS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

/** As it renders them for an operator that watches one namespace beside its own. */
export async function rolesOfChart(helm: Helm): Promise<OperatorRoles> {
  const values = { watch: { namespaces: [WATCHED] }, rbac: { aggregate: false } };
  const objects: readonly RoleObject[] = await helm.template(values, { namespace: HOME });
  const roles = objects.filter(({ kind }) => KINDS.includes(kind));
  const inNamespace = (namespace: string | undefined) =>
    roles.filter(({ metadata }) => metadata.namespace === namespace);
  const watched = inNamespace(WATCHED);
  const names = watched.map(({ metadata }) => metadata.name);
  return {
    // What it may do in every namespace that is watched, it may do at home.
    home: inNamespace(HOME).filter(({ metadata }) => !names.includes(metadata.name)),
    watched,
    reviews: inNamespace(undefined),
  };
}
