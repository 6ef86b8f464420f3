/** The OpenAPI 3.1 document, made from the endpoints alone: no setting changes it. */

import { askingQuery, writeQuery } from '../../../wire/admin/query.ts';
import { errorBody, errorMessages } from '../../server/answer/error-body.ts';
import { FORM_TYPE, YAML_TYPE } from '../../server/body/upload.ts';
import { type AnyRoute, type ClientRoute, isClientRoute } from '../client-route.ts';
import { asksForChange, comparesVersions, type Route } from '../route.ts';
import { answerHeaders, answersOf, hasVersion, ofrepError, refusals, streamsEvents } from './answers.ts';
import { capitalised, operationIdOf } from './operation-id.ts';
import { type Parameter, pathParameters, queryParameters, sharedParameter, sharedParameters } from './parameters.ts';
import { type JsonSchema, shapesOf } from './shapes.ts';

/** A group of endpoints. */
export interface Section {
  readonly name: string;
  readonly description: string;
  readonly routes: readonly AnyRoute[];
}

const description = `Feature flags of a Kubernetes cluster. Each write is a patch of a custom resource.

- Each endpoint names the permission that users of Vexil need. If an endpoint names none, every signed-in caller may
  call it. Kubernetes users need the rights that kubectl would need for the same change; lists show them the objects
  that they may read.
- HEAD answers like GET, without the body; OPTIONS answers 204 with the header \`Allow\`; any other path or method
  answers 404.
- Any \`application/…+json\` is read as \`application/json\`. Bodies may be compressed; the size limits apply to the
  decompressed body. Only UTF-8 is accepted; other charsets answer 415.
- A property \`__proto__\`, half of a surrogate pair, or a number such as \`1e400\` in a body answers 400.
- Text is stored and returned unchanged, control characters and bidirectional marks included. Names are ASCII only.
- A JSON Patch has at most 1000 operations, and these move the entries of lists at most a million times in total.
  Patches beyond these limits answer 400.
- A request that is not HTTP, or has path and headers of more than 16 kB, answers 400 or 413 before an endpoint reads
  it. A request that takes longer than 30 seconds to arrive answers 408.
- With \`VEXIL_RATE_LIMIT\` every answer of the admin API has the headers \`RateLimit\` and \`RateLimit-Policy\`; a caller
  above the limit gets 429.
- Unknown query parameters are ignored.
- A write with \`dryRun=true\` and \`Accept: application/yaml\` answers the manifest of each object as it would be
  afterwards. A manifest of an existing project names its members, so the request also needs the same access as
  \`GET /projects/:projectId/access\`. Deletions and imports answer no manifest.
- The answer to a write of one flag with \`If-Match\` has the header \`Vexil-Manifest-ETag\`, the ETag of the manifest after
  the write. Send it as \`If-Match\` of the next write to notice what others change in between.
- Lists are complete, except for searches, which have pages. Answers to SDKs, a flag, its project, the list of flags and
  the list of users are compressed with brotli or gzip, from 1 kB on. Each coding has its own ETag, and \`If-Match\` takes
  any of them. A message has at most 4000 characters: longer names and values are cut.
- \`/health\`, \`/docs\` and the operations port are not part of this document. Rules that JSON Schema cannot express are in
  the descriptions.`;

/** The members have the meaning that OpenAPI 3.1 gives them. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly Pick<Section, 'name' | 'description'>[];
  /** The operations by path from the root, `/api/admin/projects/{projectId}`, and by method, `get`. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: {
    /** By the id of the shape. */
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    /** Refusals that several endpoints give. */
    readonly responses: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** Throws an error if two shapes have the same id, or a path and its parameters disagree. */
export function describeApi(sections: readonly Section[], version: string): ApiDocument {
  const endpoints = sections.flatMap(({ name, routes }) => routes.map((route) => ({ route, tag: name })));
  const routes = endpoints.map(({ route }) => route);
  const accepted = shapesBy(routes, ({ params, query, body }) => [params, query, body], 'input');
  const answered = shapesBy(routes, ({ response }) => [response, errorBody, errorMessages, ofrepError], 'output');
  const operations = endpoints.map(({ route, tag }) => ({
    path: pathOf(route),
    method: route.method,
    operation: operationOf({ route, tag, accepted: accepted.of(route), answer: answered.of(route)[0] }),
  }));
  const refused = refusals(routes);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Vexil admin API',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '..', description: 'The server of this document.' }],
    tags: sections.map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(
      Map.groupBy(operations, ({ path }) => path)
        .entries()
        .map(([path, group]) => [path, Object.fromEntries(group.map(({ method, operation }) => [method, operation]))]),
    ),
    components: {
      schemas: sorted(merged(accepted.named, answered.named, refused.schemas)),
      responses: sorted(refused.responses),
      parameters: { ...writeParameters(), ...sharedParameters },
      headers: answerHeaders,
      securitySchemes: { token, apiKey },
    },
  };
}

const token = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: 'The token, as the whole header or after `Bearer `. With `VEXIL_AUTH=none` no caller needs one.',
};

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'The token, if the request has no `Authorization`.',
};

/** The path from the root. */
function pathOf(route: AnyRoute): string {
  const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
  return isClientRoute(route) ? path : `/api/admin${path}`;
}

function writeParameters() {
  const parameters = queryParameters(shapesOf([writeQuery.extend(askingQuery.shape)], 'input').schemas[0]);
  return Object.fromEntries(parameters.map((one) => [capitalised(one.name), one]));
}

/** The names of the query parameters that the route has as a write. */
function writeParametersOf(route: Route) {
  const names = [
    ...(route.method === 'get' ? [] : Object.keys(writeQuery.shape)),
    ...(asksForChange(route) ? Object.keys(askingQuery.shape) : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${capitalised(name)}` }));
}

interface Endpoint {
  readonly route: AnyRoute;
  readonly tag: string;
  /** Params, query, body. */
  readonly accepted: readonly (JsonSchema | undefined)[];
  readonly answer: JsonSchema | undefined;
}

function operationOf({ route, tag, accepted: [params, query, body], answer }: Endpoint) {
  const { summary, description } = route;
  return {
    operationId: operationIdOf(route),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(!isClientRoute(route) && route.deprecated && { deprecated: true }),
    // In addition to OAuth scopes, OpenAPI 3.1 lets this list name the required permissions.
    security: securityOf(route),
    parameters: [
      ...pathParameters(route, params),
      ...queryParameters(query),
      ...(hasVersion(route) ? [sharedParameter('IfNoneMatch')] : []),
      ...(streamsEvents(route) ? [sharedParameter('LastEventId')] : []),
      ...(isClientRoute(route) ? [] : writeParametersOf(route)),
      ...(!isClientRoute(route) && comparesVersions(route) ? [sharedParameter('IfMatch')] : []),
      sharedParameter('RequestId'),
    ],
    ...(body && { requestBody: { required: true, content: contentOf(route, body) } }),
    responses: answersOf(route, answer),
  };
}

/** Each of the permissions is enough. */
function securityOf(route: AnyRoute) {
  if (isClientRoute(route)) return schemesOf(route.caller);
  const { permission, orAny = [] } = route.requires;
  return permission === 'NONE' ? [{ token: [] }] : [permission, ...orAny].map((one) => ({ token: [one] }));
}

function schemesOf(caller: ClientRoute['caller']) {
  if (caller === 'anyone' || caller === 'address') return [];
  return caller === 'provider' ? [{ token: [] }, { apiKey: [] }] : [{ token: [] }];
}

function contentOf(route: AnyRoute, schema: JsonSchema) {
  const { anyContentType, acceptsUpload }: Pick<Route, 'anyContentType' | 'acceptsUpload'> = isClientRoute(route)
    ? { anyContentType: true }
    : route;
  return {
    'application/json': { schema },
    ...(anyContentType && { '*/*': { schema } }),
    ...(acceptsUpload && { [YAML_TYPE]: { schema }, [FORM_TYPE]: { schema: form } }),
  };
}

const form = {
  type: 'object',
  properties: {
    file: {
      type: 'string',
      format: 'binary',
      description: 'The document: YAML if the name of the file ends in .yaml or .yml, otherwise JSON.',
    },
  },
  required: ['file'],
};

type Choice = (route: AnyRoute) => readonly (Route['body'] | undefined)[];

/** The shapes that `choose` returns, converted together, so that each name is converted once. */
function shapesBy(routes: readonly AnyRoute[], choose: Choice, io: 'input' | 'output') {
  const distinct = [...new Set(routes.flatMap(choose))].filter((shape) => shape !== undefined);
  const { schemas, named } = shapesOf(distinct, io);
  return {
    named,
    of: (route: AnyRoute) => choose(route).map((shape) => (shape ? schemas[distinct.indexOf(shape)] : undefined)),
  };
}

type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** If a name has the same schema in requests and answers, one entry is used for both. */
function merged(...all: readonly NamedSchemas[]): NamedSchemas {
  const sum = new Map<string, JsonSchema>();
  for (const [name, schema] of all.flatMap((named) => Object.entries(named))) {
    const other = sum.get(name) ?? schema;
    if (JSON.stringify(other) !== JSON.stringify(schema)) throw new Error(`"${name}" is the id of two shapes`);
    sum.set(name, schema);
  }
  return Object.fromEntries(sum);
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
