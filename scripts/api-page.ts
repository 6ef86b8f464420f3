/** Writes docs/api.md from the OpenAPI document. */

import { isClientRoute, tokenNeeded } from '../src/http/route/client-route.ts';
import { OFREP } from '../src/http/route/openapi/answers.ts';
import { type ApiDocument, describeApi, type Section } from '../src/http/route/openapi/describe-api.ts';
import { operationIdOf } from '../src/http/route/openapi/operation-id.ts';
import type { Parameter } from '../src/http/route/openapi/parameters.ts';
import { wireErrors } from '../src/http/server/answer/errors.ts';
import { exampleOf } from './example.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly { readonly token?: readonly string[] }[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

interface Endpoint extends Operation {
  /** The kind of token that an endpoint without permissions needs; undefined if it accepts any valid token. */
  readonly neededToken: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** The text of docs/api.md. */
export function apiPage(sections: readonly Section[]): string {
  const document = describeApi(sections, '0.0.0');
  const neededTokens = new Map(
    sections
      .flatMap(({ routes }) => routes.filter(isClientRoute))
      .map((route) => [operationIdOf(route), tokenNeeded(route)]),
  );
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      neededToken: neededTokens.get(operation.operationId),
    })),
  );
  const chapters = sections.flatMap(({ name, description }) => [
    `## ${name}`,
    description,
    ...endpoints.filter(({ tags }) => tags.includes(name)).flatMap((endpoint) => chapter(endpoint, document)),
  ]);
  return `${[...introduction(document), ...chapters].join('\n\n')}\n`;
}

function introduction({ info, components }: ApiDocument): string[] {
  const everywhere = Object.values(components.parameters).map((one) => `| \`${one?.name}\` | ${one?.description} |`);
  const errors = Object.values(Object.groupBy(Object.values(wireErrors), ({ name }) => name))
    .flatMap((group) => group?.[0] ?? [])
    .toSorted((one, other) => one.status - other.status)
    .map(({ status, name, means }) => `| ${status} | \`${name}\` | ${means} |`);
  const listing = Object.values(wireErrors).flatMap(({ name, listsMessages }) => (listsMessages ? [name] : []));
  return [
    '# The API',
    info.description,
    'A running Vexil serves the same as OpenAPI 3.1 at `/docs/openapi.json`, and as an interactive page at `/docs`; neither requires a token.',
    'In the examples `$VEXIL_SERVER` is the address of Vexil, such as `http://127.0.0.1:4242`, `$API` is this address with `/api/admin`, and `$TOKEN` is the token. With `VEXIL_AUTH=none`, as in the [demo](README.md#commands-on-these-pages), any token is taken.',
    'Many endpoints accept some of these parameters and headers; each endpoint lists its own:',
    ['| Parameter or header | Meaning |', '|---|---|', ...everywhere].join('\n'),
    '## Errors',
    `Most errors have the same body, for example\n\n${block(exampleOf(components.schemas['NotFoundError'] ?? {}, components.schemas))}`,
    ['| Status | Name | When |', '|---|---|---|', ...errors].join('\n'),
    `Only ${listing.map((name) => `\`${name}\``).join(' and ')} have a different body, without that name:\n\n${block(exampleOf(components.schemas['ErrorMessages'] ?? {}, components.schemas))}`,
  ];
}

function chapter(endpoint: Endpoint, document: ApiDocument): string[] {
  const { method, path, summary, description, security, requestBody, responses } = endpoint;
  const { schemas } = document.components;
  const permissions = security.flatMap(({ token = [] }) => token);
  const body = requestBody?.content?.['application/json']?.schema;
  // The answer of a dry run, if there is one, comes before that of the write.
  const [success, { content } = {}] = Object.entries(responses).findLast(([status]) => status.startsWith('2')) ?? [];
  const [answer] = Object.values(content ?? {}).map(({ schema }) => schema);
  return [
    `### ${method} ${path}`,
    summary,
    ...(description === undefined ? [] : [description]),
    [
      `- Permission: ${permissions.map((one) => `\`${one}\``).join(' or ') || withoutPermission(endpoint)}`,
      ...queries(endpoint),
      `- Takes: ${headers(endpoint, document)}`,
      `- Answers: ${Object.entries(responses).map(statusLine).join('; ')}`,
    ].join('\n'),
    `\`\`\`sh\n${curl(endpoint, body && exampleOf(body, schemas))}\n\`\`\``,
    answer ? `${success}:\n\n${block(exampleOf(answer, schemas))}` : `${success}, without a body.`,
  ];
}

function withoutPermission({ neededToken, security }: Endpoint): string {
  if (security.length === 0 && neededToken === undefined) return 'none, and no token';
  return `none, but ${neededToken ?? 'a valid token'}`;
}

function queries({ parameters }: Endpoint): string[] {
  return parameters.flatMap((one) =>
    'in' in one && one.in === 'query' ? [`- Query \`${one.name}\`: ${one.description ?? typeOf(one.schema)}`] : [],
  );
}

function typeOf({ type }: Schema): string {
  return `${type ?? 'text'}`;
}

function headers({ parameters }: Endpoint, { components }: ApiDocument): string {
  const shared: Readonly<Record<string, { name: string } | undefined>> = components.parameters;
  const names = parameters.flatMap((one) => ('$ref' in one ? [shared[lastPart(one.$ref)]?.name] : []));
  return names.map((name) => `\`${name}\``).join(', ');
}

/** The name of the response component consists of the names of its errors. */
function statusLine([status, { $ref }]: [string, { readonly $ref?: string }]): string {
  if ($ref === undefined) return status;
  const names = lastPart($ref)
    .replace(new RegExp(`^${OFREP}`), '')
    .split(/Or(?=[A-Z])/)
    .map((name) => `\`${name}\``);
  return `${status} ${names.join(', ')}`;
}

function lastPart($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function curl({ method, path, parameters, security }: Endpoint, body: unknown): string {
  const place = parameters.reduce<string>((text, one) => {
    const [example] = 'in' in one ? ((one.schema['examples'] ?? []) as readonly string[]) : [];
    if (!('in' in one) || example === undefined) return text;
    if (one.in === 'path') return text.replace(`{${one.name}}`, example);
    return one.required ? `${text}?${one.name}=${example}` : text;
  }, path);
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const token = security.length === 0 ? '' : ' -H "Authorization: $TOKEN"';
  const address = `$VEXIL_SERVER${place}`.replace('$VEXIL_SERVER/api/admin', () => '$API');
  const lines = [`curl ${verb}"${address}"${token}`];
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n');
}

function block(example: unknown): string {
  return `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}
