/** Resolves a case to the present request. */
import { parse } from 'node:querystring';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Caller, Request } from './caller.ts';
import type { Body, Case, Choice } from './cases.ts';
import { mutated } from './mutation.ts';
import type { Operation, Schema } from './operations.ts';
import { APPLICATION, BEGUN, REQUEST, SEGMENTS, segmentName, type World } from './world.ts';

/** A request to an endpoint, with its description in the document. */
export interface Resolved {
  readonly request: Request;
  readonly operation: Operation;
  /** The path without the query. */
  readonly path: string;
  /** The wire name of the flag in the path; undefined if there is none, or it is unknown. */
  readonly flag: string | undefined;
  /** The part of the request that is invalid by the document; undefined if there is none. */
  readonly breach: 'path' | 'query' | 'content type' | 'body' | undefined;
  readonly dryRun: boolean;
  /** Whether If-Match is the present ETag; undefined if the request has no If-Match, or any value matches. */
  readonly match: 'fresh' | 'stale' | undefined;
}

export interface ResolveParts {
  readonly world: World;
  readonly caller: Caller;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly validatorFor: (schema: Schema) => ValidateFunction;
}

/** The project of each flag that existed before or that this sequence has created. */
export type Flags = ReadonlyMap<string, string>;

/**
 * These operations write any number of objects at once, so that the expected state of each is unknown. They are only
 * sent as dry runs.
 */
const STATE_IMPORT = 'postStateImport';
const ONLY_TRIED: ReadonlySet<string> = new Set([STATE_IMPORT, 'postFeaturesBatchImport', 'postProjectRestore']);

function triedOnly(one: Case): Case {
  if (!ONLY_TRIED.has(one.operation)) return one;
  return { ...one, query: [...one.query.filter(([name]) => name !== 'dryRun'), ['dryRun', 'true']] };
}

/** Puts the times in for the texts that stand for them. */
function timed({ begunAt }: World, one: Case): Case {
  return { ...one, query: one.query.map(([name, value]) => [name, value === BEGUN ? begunAt() : value]) };
}

export async function resolve(parts: ResolveParts, given: Case, flags: Flags): Promise<Resolved> {
  const { operations, caller, world } = parts;
  const one = timed(world, triedOnly(given));
  const operation = operations.get(one.operation);
  if (!operation) throw new Error(`there is no operation ${one.operation}`);
  const { path, flag, strategies } = await placeOf(parts, { one, operation, flags });
  const text = await textOf(one.body, { world, caller, operation, path, strategies });
  const query = one.query.map(([name, value]) => `${name}=${value}`).join('&');
  const target = query === '' ? path : `${path}?${query}`;
  const condition = await conditionOf(one, { caller, operation, path, target });
  const request = {
    method: operation.method,
    path: target,
    headers: { ...one.headers, ...condition },
    ...(text !== undefined && { text }),
  };
  const dryRun = one.query.some(([name, value]) => name === 'dryRun' && value === 'true');
  const breach = breachOf(parts, operation, { one, request, path });
  return { request, operation, path, flag, breach, dryRun, match: matchOf(one, operation, request) };
}

/** Names that strategy types may have got since the beginning; the vocabulary contains them. */
const NEW_TYPES = ['new-one', 'new-two'];

interface Placing {
  readonly one: Case;
  readonly operation: Operation;
  readonly flags: Flags;
}

async function placeOf({ world, caller }: ResolveParts, { one, operation, flags }: Placing) {
  const { place } = one;
  // Flags from the beginning have more content than flags that were created since.
  const flag = named(place.flag, [...world.flags.keys(), ...flags.keys()]);
  const own = flag.name === undefined ? 0 : (flags.get(flag.name) ?? 0);
  const project = place.project === 'own' ? named(0, [String(own)]) : named(place.project, world.projects);
  const environment = named(place.environment, world.environments);
  // A text that is no id is answered 400, which nothing in the body explains.
  const anyId = (there: readonly string[]) =>
    named(typeof place.strategy === 'number' ? place.strategy : 0, [...there, '4711']).segment;
  const parameters = {
    projectId: project.segment,
    featureName: flag.segment,
    key: flag.segment,
    parent: named(place.strategy, ['rich', 'plain']).segment,
    environment: environment.segment,
    strategyId: named(place.strategy, ['no-such-strategy']).segment,
    strategyName: named(place.strategy, [...world.strategyTypes, ...NEW_TYPES, 'default']).segment,
    type: named(place.environment, ['simple', 'simple', 'no-such']).segment,
    name: named(place.strategy, ['simple', 'no-such']).segment,
    value: named(place.strategy, ['payments', 'no-such']).segment,
    tokenName: named(place.strategy, world.tokens).segment,
    segmentId: anyId(SEGMENTS.map(String)),
    roleId: anyId(['1', '2', '3', '4', '5']),
    userId: anyId(['1', '2', '3']),
    segmentName: named(place.strategy, [...SEGMENTS.map(segmentName), 'no-such']).segment,
    appName: named(place.strategy, [APPLICATION, 'no-such']).segment,
    contextField: named(place.strategy, ['userId', 'no-such']).segment,
    id: named(place.strategy, [REQUEST, 'no-such-request']).segment,
  };
  const asksForStrategies = operation.template.includes('{environment}/strategies');
  const list = filled(operation.template.replace(/\/strategies\/.*$/, '/strategies'), parameters);
  const strategies = asksForStrategies ? await idsAt(caller, list) : [];
  const strategyId = named(place.strategy, [...strategies, 'no-such-strategy']).segment;
  const isAboutFlag = operation.template.includes('{featureName}');
  return {
    path: filled(operation.template, { ...parameters, strategyId }),
    flag: isAboutFlag ? flag.name : undefined,
    strategies,
  };
}

/** The name is undefined if the segment is none of the existing names. */
function named(choice: Choice, there: readonly string[]): { readonly segment: string; readonly name?: string } {
  if (typeof choice === 'string') return { segment: choice };
  const name = there[choice % there.length] ?? '';
  return { segment: encodeURIComponent(name), name };
}

function filled(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const segment = parameters[name];
    if (segment === undefined) throw new Error(`no value is known for the parameter ${name} of ${template}`);
    return segment;
  });
}

async function idsAt(caller: Caller, path: string): Promise<string[]> {
  const found = await read(caller, path);
  return Array.isArray(found) ? found.map(({ id }: { id: string }) => id) : [];
}

/** Reads the path; undefined if it does not exist. */
async function read(caller: Caller, path: string): Promise<unknown> {
  const { status, text } = await caller.send({ method: 'GET', path, headers: {} });
  return status === 200 ? JSON.parse(text) : undefined;
}

interface Writing {
  readonly world: World;
  readonly caller: Caller;
  readonly operation: Operation;
  readonly path: string;
  readonly strategies: readonly string[];
}

async function textOf(body: Body, writing: Writing): Promise<string | undefined> {
  const { world, caller, operation, path, strategies } = writing;
  if (body.from === 'nothing') return undefined;
  if (body.from === 'text') return body.text;
  const value = body.from === 'schema' ? body.value : await answerAsBody(caller, operation, path);
  const changed = body.mutation ? mutated(value, body.mutation) : value;
  // A strategy by its number is replaced by the id of an existing strategy.
  return JSON.stringify(changed ?? null)
    .replaceAll(JSON.stringify(BEGUN), JSON.stringify(world.begunAt()))
    .replaceAll(/"strategy#(\d)"/g, (_, number) =>
      JSON.stringify(strategies[Number(number) % strategies.length] ?? 'none'),
    );
}

/** A body that the API itself has written. */
async function answerAsBody(caller: Caller, operation: Operation, path: string): Promise<unknown> {
  if (operation.template.includes('/features-batch/')) return batchExport(caller);
  const source = operation.id === STATE_IMPORT ? path.replace(/import$/, 'export') : path;
  return asBody(await read(caller, source), operation);
}

async function batchExport(caller: Caller): Promise<unknown> {
  const from = { project: 'shop', environment: 'production' };
  const { text } = await caller.send({
    method: 'POST',
    path: '/api/admin/features-batch/export',
    headers: { 'Content-Type': 'application/json' },
    text: JSON.stringify(from),
  });
  return { ...from, data: JSON.parse(text) };
}

/**
 * Makes a body from an answer: takes a list out of its member if it is written without one, and takes one item if one
 * is added.
 */
function asBody(found: unknown, { body, method }: Operation): unknown {
  if (typeof found !== 'object' || found === null) return found;
  if (body?.['type'] === 'array' && !Array.isArray(found)) return Object.values(found).find(Array.isArray);
  return Array.isArray(found) && method === 'POST' ? found[0] : found;
}

interface Asking extends Pick<Writing, 'caller' | 'operation' | 'path'> {
  /** The path with its query. */
  readonly target: string;
}

async function conditionOf(
  { condition }: Case,
  { caller, operation, path, target }: Asking,
): Promise<Readonly<Record<string, string>>> {
  if (condition === undefined) return {};
  if (operation.streams) {
    return { 'Last-Event-ID': condition === 'fresh' ? await lastEventIdAt(caller, target) : condition };
  }
  const name = operation.method === 'GET' ? 'If-None-Match' : 'If-Match';
  if (condition !== 'fresh') return { [name]: condition };
  // The ETag is that of the object or of the object around it: a flag, or the strategy type that the request is about.
  const above = path
    .split('/')
    .slice(0, operation.template.includes('{strategyName}') ? 5 : 7)
    .join('/');
  for (const place of [path, above]) {
    const { headers } = await caller.send({ method: 'GET', path: place, headers: {} });
    const etag = headers.get('etag');
    if (etag !== null) return { [name]: etag };
  }
  return {};
}

async function lastEventIdAt(caller: Caller, target: string): Promise<string> {
  const { text } = await caller.send({ method: 'GET', path: target, headers: {} });
  return /^id: (.*)$/m.exec(text)?.[1] ?? 'none';
}

function matchOf({ condition }: Case, { parameters }: Operation, { headers }: Request): Resolved['match'] {
  const isCompared = parameters.some(({ name }) => name === 'If-Match') && headers['If-Match'] !== undefined;
  if (!isCompared || condition === '*') return undefined;
  return condition === 'fresh' ? 'fresh' : 'stale';
}

interface Sent {
  readonly one: Case;
  readonly request: Request;
  readonly path: string;
}

function breachOf(
  { validatorFor }: ResolveParts,
  operation: Operation,
  { one, request, path }: Sent,
): Resolved['breach'] {
  if (!isDecodable(path)) return 'path';
  if (!fitsQuery(operation, one.query)) return 'query';
  if (!operation.body) return undefined;
  if (!operation.anyContentType && !isJson(request.headers['Content-Type'])) return 'content type';
  return fitsBody(validatorFor(operation.body), request.text) ? undefined : 'body';
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function fitsQuery({ parameters }: Operation, query: Case['query']): boolean {
  return parameters
    .filter((parameter) => parameter.in === 'query' && parameter.schema['type'] !== 'array')
    .every(({ name, schema, required }) => {
      const values = query.filter(([given]) => given === name).map(([, value]) => value);
      if (required && values.length === 0) return false;
      return values.length <= 1 && values.every((value) => fitsText(schema, value));
    });
}

function fitsText({ type, pattern, enum: values }: Schema, sent: string): boolean {
  if (type === 'boolean') return sent === 'true' || sent === 'false';
  const value = `${parse(`value=${sent}`)['value']}`;
  if (Array.isArray(values)) return values.includes(value);
  return typeof pattern !== 'string' || new RegExp(pattern).test(value);
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type);
}

function fitsBody(isValid: ValidateFunction, text: string | undefined): boolean {
  try {
    return text !== undefined && isValid(JSON.parse(text)) === true;
  } catch {
    return false;
  }
}
