/** Compares an answer with what an API document promises. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { MAX_WHOLE } from '../../src/http/server/answer/json-pieces.ts';
import { LINES_TYPE } from '../../src/http/server/answer/send-pieces.ts';

type Schema = Readonly<Record<string, unknown>>;

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Promised>> }>>>
>;

/** The parts of an OpenAPI document about answers. */
interface ApiDocument {
  readonly paths: Paths;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Promised {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean; schema: Schema }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Exchange {
  readonly method: string;
  /** The path from the root, without the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Statuses of paths without an endpoint; 403 and 409 of writes that say what to do instead. */
const BEFORE_ANY_ENDPOINT = [400, 401, 403, 404, 409, 410, 503];

export type Complaints = (exchange: Exchange) => readonly string[];

/**
 * Returns a function that reports how an answer differs from the document; it reports nothing if the answer is right.
 */
export function promiseOf(document: object): Complaints {
  const { paths, components } = document as ApiDocument;
  const validatorFor = validators(components);
  /** Resolves a reference. */
  const named = <T extends { readonly $ref?: string }>(part: T): T => {
    const [, , kind = '', name = ''] = part.$ref?.split('/') ?? [];
    return part.$ref === undefined ? part : (components[kind]?.[name] as T);
  };
  const aboutHeaders = ({ headers = {} }: Promised, exchange: Exchange): string[] =>
    Object.entries(headers).flatMap(([name, header]) => {
      const { schema } = named(header);
      const promised = { ...named(header), isValid: validatorFor(schema) };
      const required = promised.required || (name === 'ETag' && exchange.text.length <= MAX_WHOLE);
      return complaintAbout(name, exchange.headers.get(name), { ...promised, required });
    });
  const aboutBody = ({ content }: Promised, exchange: Exchange): string[] => {
    if (exchange.method === 'HEAD' || !content) return aboutNoBody(exchange);
    const [type = ''] = (exchange.headers.get('content-type') ?? 'none').split(';');
    const schema = content[type]?.schema;
    return schema ? aboutTexts(validatorFor(schema), textsOf(type, exchange.text)) : [`is of content type ${type}`];
  };
  const anyError = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  return (exchange) => {
    const answers = answersOf(paths, exchange);
    if (!answers) return aboutNoEndpoint(paths, exchange) ?? aboutBody(anyError, exchange);
    const answer = answers[exchange.status];
    if (!answer) return [`has the status ${exchange.status}, and not one of ${Object.keys(answers).join(', ')}`];
    return [...aboutHeaders(named(answer), exchange), ...aboutBody(named(answer), exchange)];
  };
}

/** A dry run answers with a manifest if the request asks for it, even if there is no body otherwise. */
function aboutNoBody({ text, headers }: Exchange): string[] {
  return text === '' || headers.get('content-type')?.startsWith('application/yaml') ? [] : ['has a body'];
}

/** The answers of the endpoint with the fewest parameters whose path matches. */
function answersOf(paths: Paths, { method, path }: Exchange): Readonly<Record<string, Promised>> | undefined {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const [found = ''] = Object.keys(paths)
    .filter((template) => paths[template]?.[wanted] && matches(template, path))
    .toSorted((one, other) => one.split('{').length - other.split('{').length);
  return paths[found]?.[wanted]?.responses;
}

/** Checks an answer without an endpoint. If undefined, it must be an error, as every other answer. */
function aboutNoEndpoint(paths: Paths, { method, path, status, text, headers }: Exchange): string[] | undefined {
  if (method === 'OPTIONS' && status === 204) {
    const isKnown = Object.keys(paths).some((template) => matches(template, path));
    return isKnown && text === '' && headers.has('allow') ? [] : ['is no answer to OPTIONS'];
  }
  return BEFORE_ANY_ENDPOINT.includes(status) ? undefined : [`has the status ${status}, and there is no such endpoint`];
}

/**
 * The JSON texts of a body: every line, each of which ends in a line break, or the whole body; other text as a JSON
 * string.
 */
function textsOf(type: string, text: string): readonly string[] {
  if (type.startsWith('text/') || type === 'application/yaml') return [JSON.stringify(text)];
  if (type !== LINES_TYPE) return [text];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function aboutTexts(isValid: ValidateFunction, texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => misfits(isValid, text)))];
}

interface PromisedHeader {
  readonly required?: boolean;
  readonly schema: Schema;
  readonly isValid: ValidateFunction;
}

function complaintAbout(name: string, value: string | null, { required, schema, isValid }: PromisedHeader): string[] {
  if (value === null) return required ? [`has no ${name}`] : [];
  return isValid(schema['type'] === 'integer' ? Number(value) : value) ? [] : [`has the ${name} ${value}`];
}

function misfits(isValid: ValidateFunction, text: string): string[] {
  try {
    return isValid(JSON.parse(text)) ? [] : [...new Set((isValid.errors ?? []).map(inWords))];
  } catch {
    return ['has a body that is not JSON'];
  }
}

const patterns = new Map<string, RegExp>();

function matches(template: string, path: string): boolean {
  const pattern = patterns.get(template) ?? patternOf(template);
  patterns.set(template, pattern);
  return pattern.test(path.replaceAll(/\/{2,}/g, '/'));
}

function patternOf(template: string): RegExp {
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`);
}

/** Compiles a schema of the document once. */
export function validators(components: object): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    // References begin at the root of the document, so the schema gets the components.
    const validate = ajv.compile({ ...schema, components });
    compiled.set(schema, validate);
    return validate;
  };
}

function inWords({ instancePath, message, params }: NonNullable<ValidateFunction['errors']>[number]): string {
  return `has a body whose ${instancePath || 'whole'} ${message} ${JSON.stringify(params)}`;
}
