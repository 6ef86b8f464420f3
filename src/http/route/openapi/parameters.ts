/** The parameters of a request: path, query, headers. */
import type { AnyRoute } from '../client-route.ts';
import type { JsonSchema } from './shapes.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: unknown;
  readonly schema: JsonSchema;
}

/** Every parameter of the path must be in the schema, and vice versa. */
export function pathParameters({ method, path }: AnyRoute, params: JsonSchema | undefined): Parameter[] {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const described = Object.entries(membersOf(params));
  const ofSchema = described.map(([name]) => name);
  if (named.toSorted().join() !== ofSchema.toSorted().join()) {
    throw new Error(`${method} ${path}: its params are not those of the path`);
  }
  return described.map(([name, schema]) => parameter({ name, in: 'path', required: true }, schema));
}

export function queryParameters(query: JsonSchema | undefined): Parameter[] {
  const required = (query?.['required'] ?? []) as readonly string[];
  return Object.entries(membersOf(query)).map(([name, schema]) =>
    parameter({ name, in: 'query', required: required.includes(name) }, asQuery(schema)),
  );
}

function membersOf(object: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return (object?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/** The description belongs to the parameter, where readers look for it. */
function parameter(place: Omit<Parameter, 'schema' | 'description'>, schema: JsonSchema): Parameter {
  const { description, ...rest } = schema;
  return { ...place, ...(description !== undefined && { description }), schema: rest };
}

/** Queries are text. A type that OpenAPI writes as exactly this text can be used instead. */
function asQuery(schema: JsonSchema): JsonSchema {
  const { type: _, enum: values, anyOf, ...rest } = schema;
  if (Array.isArray(values) && values.join() === 'true,false') return { type: 'boolean', ...rest };
  const [one, many] = (Array.isArray(anyOf) ? anyOf : []) as readonly JsonSchema[];
  const isRepeated = many?.['type'] === 'array' && JSON.stringify(many['items']) === JSON.stringify(one);
  return isRepeated ? { ...many, ...rest } : schema;
}

export const sharedParameters = {
  IfMatch: header(
    'If-Match',
    'ETags of the object that the request changes, as GET answers them. If the object has none of these ETags any more, nothing is written and the answer is 412.',
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'ETags that the caller holds. If the answer would have one of these ETags, the answer is 304 without a body.',
  ),
  LastEventId: header(
    'Last-Event-ID',
    'The id of the last event that the caller has. An id that the replica does not know is not an error.',
  ),
  RequestId: header(
    'X-Request-Id',
    'The id of the request in the log: up to 128 letters, digits and . _ : - characters. Vexil replaces any other value.',
  ),
} as const;

function header(name: string, description: string): Parameter {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

export function sharedParameter(name: keyof typeof sharedParameters) {
  return { $ref: `#/components/parameters/${name}` };
}
