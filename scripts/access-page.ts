/** Writes docs/access.md: the permissions that each endpoint requires. */
import { type AnyRoute, isClientRoute, tokenNeeded } from '../src/http/route/client-route.ts';
import type { Section } from '../src/http/route/openapi/describe-api.ts';
import { GROUP } from '../src/model/kind.ts';
import { environment } from '../src/schema/environment.ts';
import { featureFlag } from '../src/schema/feature-flag.ts';
import { flagUser } from '../src/schema/flag-user.ts';
import { kinds } from '../src/schema/kinds.ts';
import { project } from '../src/schema/project.ts';

const operatorKinds = kinds
  .filter(({ namespaces }) => namespaces === 'operator')
  .map(({ plural }) => plural)
  .join(', ');

/** The text of docs/access.md. */
export function accessPage(sections: readonly Section[]): string {
  const chapters = sections.flatMap(({ name, routes }) => [`## ${name}`, table(routes)]);
  return `${[...introduction(), ...chapters].join('\n\n')}\n`;
}

function introduction(): string[] {
  return [
    '# Permissions by endpoint',
    `An admin token has all permissions. Vexil users, who call with a personal token, need the permission in the table. Kubernetes users need the same
access as for kubectl: the verb on the resource of the group \`${GROUP}\`, on the name in the path, in its namespace. [docs/security.md](security.md) describes
authentication and authorization.`,
    `- HEAD requires the same as GET. OPTIONS requires a valid token only.
- Every write also checks the object that it writes: \`create\` in its namespace, \`patch\` or \`delete\` on its name.
- A request for a flag that does not exist requires access to all flags of its project; a request for a project that does not exist requires access to all projects of
  every watched namespace. A rejection repeats the names of the request and is the same whether or not the object exists.
- With \`VEXIL_ENVIRONMENT_PERMISSIONS=true\` a write that may change what is in effect in an environment also requires, for Kubernetes users, \`change-flags\` on
  \`${environment.plural}/NAME\` in the namespace of the written object: [affected writes and environments](security.md#a-permission-for-each-environment).
- During a freeze, a write of a flag that may change what is in effect in the environment also requires \`BYPASS_FREEZE\`, or \`bypass-freeze\` on
  \`${environment.plural}/NAME\` in the operator namespace: [freezes](freezes.md).
- Lists of projects and archived flags contain only what the caller may read. Events are visible with their project; a caller who may \`get\` all projects of a namespace
  also sees the events of deleted projects. Events of ${operatorKinds} belong to no project; they are visible to callers who
  may \`list\` the resource in the operator namespace, and with \`ADMIN\`.
- \`GET /notification-sinks\` lists all sinks for callers who see all events, and otherwise those of namespaces, other than that of the operator, in which the caller may
  \`get\` every project.
- \`GET /user/permissions\` lists the endpoints that the caller may call for any object of a project and environment. Its answer follows from this table.
- The endpoints for members of a project also require, for Kubernetes users, \`list ${flagUser.plural}\` in the operator namespace, because their paths contain a user id, or their answer e-mail addresses.
- The effects of a change request also require, for Kubernetes users, \`get featureflags\` on the flag.
  E-mail addresses in events are masked for callers without this access.
- \`POST /alerts\` checks its permission for each alert, in the project and environment of the flag. It answers 403 if no alert is allowed.
- The permission for an API token depends on its type: admin and personal tokens require \`ADMIN\`. The list contains the types that the caller may read.
  Creating a token also requires \`get\` on the Secret that will hold its value.`,
  ];
}

function table(routes: readonly AnyRoute[]): string {
  const head = ['| Endpoint | Permission | Verb and resource | Namespace |', '|---|---|---|---|'];
  return [...head, ...routes.map(row)].join('\n');
}

function row(route: AnyRoute): string {
  const endpoint = `\`${route.method.toUpperCase()} ${route.path.replace(/:(\w+)/g, '{$1}')}\``;
  if (isClientRoute(route)) return `| ${endpoint} | ${tokenNeeded(route) ?? 'nothing'} | nothing | |`;
  const { permission, orAny = [], verb, resource } = route.requires;
  const also = (route.alsoRequires ?? []).map((one) => one.permission).filter((one) => one !== 'NONE');
  const alternatives = [permission, ...orAny].map((one) => `\`${one}\``).join(' or ');
  const all = new Set([alternatives, ...also.map((one) => `\`${one}\``)]);
  const needed = permission === 'NONE' ? 'a valid token' : [...all].join(', ');
  const access = verb === undefined ? 'nothing' : `\`${verb} ${resource}\``;
  return `| ${endpoint} | ${needed} | ${access} | ${namespaceOf(resource)} |`;
}

function namespaceOf(resource: string | undefined): string {
  if (resource === undefined) return '';
  if (resource === featureFlag.plural) return 'namespace of the flag';
  return resource === project.plural ? 'namespace of the project' : 'operator namespace';
}
