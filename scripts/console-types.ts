/** Writes the types of the API for the console from the OpenAPI document, as openapi-fetch expects them. */
import { type ApiDocument, describeApi, type Section } from '../src/http/route/openapi/describe-api.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

const HEADERS = 'headers: { [name: string]: unknown }; ';
/** Every refusal has the same body. */
const REFUSED = `type Refused = { ${HEADERS}content: { "application/json": Schemas["Error"] } };\n`;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** The console calls no other endpoints. */
const PREFIX = '/api/admin';

/** Returns the text of console/api.generated.ts. */
export function consoleTypes(sections: readonly Section[]): string {
  const document = describeApi(sections, '0.0.0');
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith(PREFIX));
  const operations = paths.map(([path, item]) => pathType(document, path, item as Schema)).join('');
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
  const named = namesIn(operations + REFUSED, schemas).map(
    (name) => `  ${key(name)}: ${typeOf(schemas[name] ?? {})};\n`,
  );
  return [
    REFUSED,
    `export interface paths {\n${operations}}\n`,
    `export interface Schemas {\n${named.join('')}}\n`,
  ].join('\n');
}

/** Returns the shapes that a text names, and the shapes that those name. */
function namesIn(text: string, schemas: Readonly<Record<string, Schema>>): readonly string[] {
  const found = new Set<string>();
  const add = (some: string) => {
    for (const [, name = ''] of some.matchAll(/Schemas\["([^"]+)"\]/g)) {
      if (found.has(name)) continue;
      found.add(name);
      add(typeOf(schemas[name] ?? {}));
    }
  };
  add(text);
  return [...found].toSorted();
}

function pathType(document: ApiDocument, path: string, item: Schema): string {
  const methods = METHODS.map((method) => {
    const operation = item[method] as Operation | undefined;
    return operation ? `    ${method}: ${operationType(document, operation)};\n` : `    ${method}?: never;\n`;
  });
  const parameters = '    parameters: { query?: never; header?: never; path?: never; cookie?: never };\n';
  return `  ${key(path)}: {\n${parameters}${methods.join('')}  };\n`;
}

function operationType(document: ApiDocument, { parameters, requestBody, responses }: Operation): string {
  const known = parameters.map((one) => ('$ref' in one ? resolved<Parameter>(document, one.$ref) : one));
  const of = (place: Parameter['in']) => {
    const here = known.filter((one) => one.in === place);
    const fields = here.map(({ name, required, schema }) => field(name, required ?? false, typeOf(schema)));
    if (here.length === 0) return `${place}?: never`;
    return `${place}${here.some(({ required }) => required) ? '' : '?'}: { ${fields.join(' ')} }`;
  };
  const body = requestBody ? `requestBody: ${contentType(requestBody)}` : 'requestBody?: never';
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const taken = answers.map(([status, answer]) => `${status}: ${contentType(answer, HEADERS)};`);
  const places = `${of('query')}; header?: never; ${of('path')}; cookie?: never`;
  return `{ parameters: { ${places} }; ${body}; responses: { ${taken.join(' ')} default: Refused } }`;
}

function contentType({ content }: Content, before = ''): string {
  if (!content) return `{ ${before}content?: never }`;
  const kinds = Object.entries(content).map(([type, { schema = {} }]) => `${key(type)}: ${typeOf(schema)};`);
  return `{ ${before}content: { ${kinds.join(' ')} } }`;
}

function resolved<T>(document: ApiDocument, ref: string): T {
  const steps = ref.replace('#/', '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Schema)[step], document) as T;
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The TypeScript type of a JSON Schema. */
function typeOf(schema: Schema): string {
  const { $ref, enum: values, type } = schema;
  if (typeof $ref === 'string') return `Schemas[${JSON.stringify($ref.split('/').at(-1))}]`;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options)) return options.map((one) => `(${typeOf(one)})`).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return `(${typeOf((schema['items'] as Schema | undefined) ?? {})})[]`;
  if (type === 'object') return objectType(schema);
  return SIMPLE[String(type)] ?? 'unknown';
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, one]) =>
    field(name, (required as readonly string[]).includes(name), typeOf(one)),
  );
  if (fields.length > 0) return `{ ${fields.join(' ')} }`;
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties as Schema) : 'unknown';
  return `{ [name: string]: ${values} }`;
}

function field(name: string, required: boolean, type: string): string {
  return `${key(name)}${required ? '' : '?'}: ${type};`;
}

function key(name: string): string {
  return JSON.stringify(name);
}
