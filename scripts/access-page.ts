/** Writes the page with the table from endpoints to what they ask of their callers. */
import type { Section } from '../src/http/openapi/describe-api.ts';
import { apiToken } from '../src/schema/api-token.ts';
import { environment } from '../src/schema/environment.ts';
import { featureFlag } from '../src/schema/feature-flag.ts';
import { flagRole } from '../src/schema/flag-role.ts';
import { flagUser } from '../src/schema/flag-user.ts';
import { GROUP } from '../src/schema/kind.ts';
import { project } from '../src/schema/project.ts';
import { strategyDefinition } from '../src/schema/strategy-definition.ts';

const atHome = [environment, flagUser, flagRole, strategyDefinition, apiToken].map(({ plural }) => plural).join(', ');

type Route = Section['routes'][number];

/** The text of docs/access.md. */
export function accessPage(sections: readonly Section[]): string {
  const chapters = sections.flatMap(({ name, routes }) => [`## ${name}`, table(routes)]);
  return `${[...introduction(), ...chapters].join('\n\n')}\n`;
}

function introduction(): string[] {
  return [
    '<!-- Made by `npm run generate` from src/http/routes; changes here are lost. -->',
    '# What each endpoint asks for',
    `Who calls with an admin token may do all of this. Users of Vexil, who call with a personal token, need the permission. Users of Kubernetes need what
kubectl would need: the verb on the resource of the group \`${GROUP}\`, on the name that the path names, in its namespace; \`home\` is the namespace of the
operator. [docs/security.md](security.md) tells the rest.`,
    `- HEAD asks for what GET asks for. OPTIONS asks for a token only.
- Every write asks once more about the very object that it is about to write: \`create\` in its namespace, \`patch\` or \`delete\` on its name.
- A flag that does not exist is asked for as any flag of its project, a project that does not exist as any project of every watched namespace. A refusal uses the names of
  the request, and is the same whether the object exists or not.
- With \`VEXIL_ENVIRONMENT_PERMISSIONS=true\` a write that may change what is in effect in an environment asks users of Kubernetes for \`change-flags\` on
  \`${environment.plural}/NAME\`, in the namespace of what is written, too: [which writes, and for which environments](security.md#a-permission-for-each-environment).
- Of projects and archived flags, lists show what the caller may read. Events show up with their project: whoever may \`get\` all projects of a namespace
  sees those of projects that are gone, too. What happened to ${atHome} belongs to no project, and shows up for whoever may
  \`list\` them at home, or has \`ADMIN\`.
- The endpoints for members of a project also ask users of Kubernetes for \`list ${flagUser.plural}\` at home: their paths name a user by id. E-mail addresses in events are masked for
  callers without that right.
- Which permission it is for an API token goes by its type: with the others than client and frontend tokens only \`ADMIN\` will do. The list shows
  the types that the caller may read. Whoever creates one needs \`get\` on the Secret that will hold the value, too.`,
  ];
}

function table(routes: readonly Route[]): string {
  const head = ['| Endpoint | Permission | Verb and resource | Namespace |', '|---|---|---|---|'];
  return [...head, ...routes.map(row)].join('\n');
}

function row({ method, path, asks: { permission, orAny = [], verb, resource } }: Route): string {
  const endpoint = `\`${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}\``;
  const needed =
    permission === 'NONE' ? 'to be signed in' : [permission, ...orAny].map((one) => `\`${one}\``).join(' or ');
  const access = verb === undefined ? 'nothing' : `\`${verb} ${resource}\``;
  return `| ${endpoint} | ${needed} | ${access} | ${namespaceOf(resource)} |`;
}

function namespaceOf(resource: string | undefined): string {
  if (resource === undefined) return '';
  if (resource === featureFlag.plural) return 'that of the flag';
  return resource === project.plural ? 'that of the project' : 'home';
}
