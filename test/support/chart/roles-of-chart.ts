/** The roles that the chart gives to the operator. */
import type { OperatorRoles, RoleObject } from '../operator-roles.ts';
import type { Helm } from '../tools/helm.ts';

const [HOME, WATCHED] = ['home', 'watched'];
const KINDS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

/** Returns the roles that the chart renders for an operator that watches one namespace in addition to its own. */
export async function rolesOfChart(helm: Helm): Promise<OperatorRoles> {
  const values = { watch: { namespaces: [WATCHED] }, rbac: { aggregate: false }, crds: { install: false } };
  const objects: readonly RoleObject[] = await helm.template(values, { namespace: HOME });
  const roles = objects.filter(({ kind }) => KINDS.includes(kind));
  const inNamespace = (namespace: string | undefined) =>
    roles.filter(({ metadata }) => metadata.namespace === namespace);
  const watched = inNamespace(WATCHED);
  const names = watched.map(({ metadata }) => metadata.name);
  return {
    // The rights in every watched namespace hold in the operator namespace too.
    home: inNamespace(HOME).filter(({ metadata }) => !names.includes(metadata.name)),
    watched,
    reviews: inNamespace(undefined),
  };
}
