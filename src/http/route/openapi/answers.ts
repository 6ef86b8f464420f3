/** The possible answers of an endpoint: its success, and each refusal with its possible names. */
import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../../../errors.ts';
import { environment } from '../../../schema/environment.ts';
import { featureFlag } from '../../../schema/feature-flag.ts';
import { project } from '../../../schema/project.ts';
import { segment } from '../../../schema/segment.ts';
import { strategyDefinition } from '../../../schema/strategy-definition.ts';
import { ofrepErrorMembers } from '../../../wire/ofrep/shapes.ts';
import { CACHE_CONTROL, REVALIDATE } from '../../server/answer/caching.ts';
import { errorBody } from '../../server/answer/error-body.ts';
import { type WireError, wireErrors } from '../../server/answer/errors.ts';
import { EVENTS_TYPE } from '../../server/answer/event-stream.ts';
import { MAX_WHOLE } from '../../server/answer/json-pieces.ts';
import { MANIFEST_TYPE } from '../../server/answer/representation.ts';
import { LINES_TYPE } from '../../server/answer/send-pieces.ts';
import { type AnyRoute, type ClientRoute, isClientRoute, isQuestion } from '../client-route.ts';
import {
  askedStatus,
  asksForChange,
  comparesVersions,
  namesFlagVersion,
  previewStatus,
  previewsObject,
  type Route,
} from '../route.ts';
import { MAX_WARNING_LENGTH } from '../warning.ts';
import { MANIFEST_ETAG } from '../written-objects.ts';
import type { JsonSchema } from './shapes.ts';

export const answerHeaders = {
  RequestId: header('The id under which the request is found in the log.', { pattern: '^[\\w.:-]{1,128}$' }),
  CacheControl: header('No cache may keep the answer.', { const: CACHE_CONTROL }),
  CacheControlOfSdks: header('Caches revalidate the answer before each use.', { const: REVALIDATE }),
  ETagOfSdks: header(
    'The ETag of the content, equal on all replicas; weak if compressed. The ETag of a delta is valid on one replica only.',
    { pattern: '^(W/)?"[^"]+"$' },
  ),
  ETag: header(
    `The strong ETag of the answer. A list of more than ${MAX_WHOLE} characters has none.`,
    { pattern: '^"[^"]+"$' },
    false,
  ),
  ManifestETag: header(
    "The ETag of the flag's manifest after the write; send it as `If-Match` of the next write. Only in answers to requests with `If-Match` that write one flag.",
    { pattern: '^"[^"]+"$' },
    false,
  ),
  RetryAfter: header('Seconds after which the same request may succeed.', { type: 'integer', minimum: 0 }),
  RateLimit: header('Requests left, and seconds until the window ends.'),
  RateLimitPolicy: header('The limit and its window in seconds.'),
  Warning: header(
    'Fields taken from a GitOps tool, parts that were left out because they cannot be read, or applications that still ask for a removed flag.',
    { pattern: '^299 vexil "[^"]+"$', maxLength: MAX_WARNING_LENGTH },
    false,
  ),
  Deprecation: header('The time since which the endpoint is deprecated (RFC 9745).', { pattern: '^@[0-9]+$' }),
  Link: header('The documentation of the deprecation.'),
} as const;

function header(description: string, schema: JsonSchema = {}, required = true) {
  return { description, required, schema: { type: 'string', ...schema } };
}

/** References by the names of the headers. */
function refersTo(headers: Readonly<Record<string, keyof typeof answerHeaders>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

const everyAnswer = refersTo({ 'X-Request-Id': 'RequestId', 'Cache-Control': 'CacheControl' });
const etag = refersTo({ ETag: 'ETag' });
const warning = refersTo({ Warning: 'Warning' });
const manifestEtag = refersTo({ [MANIFEST_ETAG]: 'ManifestETag' });
const deprecation = refersTo({ Deprecation: 'Deprecation', Link: 'Link' });
const retryAfter = refersTo({ 'Retry-After': 'RetryAfter' });
const rateLimit = refersTo({ RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' });
const everySdkAnswer = refersTo({ 'X-Request-Id': 'RequestId', 'Cache-Control': 'CacheControlOfSdks' });
const sdkEtag = refersTo({ ETag: 'ETagOfSdks' });
/** The headers of refusals by status. Only an endpoint that counts requests states how many are left. */
const refusalHeaders: Readonly<Record<number, object>> = { 429: { ...retryAfter, ...rateLimit }, 503: retryAfter };
const headersOfRefusal = (errors: readonly WireError[], status: number) =>
  errors.includes(wireErrors['too-many-streams']) ? retryAfter : refusalHeaders[status];

/** The answers by status. */
export function answersOf(route: AnyRoute, response: JsonSchema | undefined): Readonly<Record<string, object>> {
  const refused = Object.entries(refusalsOf(route)).map(([status, errors]) => [
    status,
    { $ref: `#/components/responses/${nameOf({ errors, isOfrep: isOfrep(route) })}` },
  ]);
  const every = isClientRoute(route) ? everySdkAnswer : everyAnswer;
  const version = hasVersion(route) && (isClientRoute(route) ? sdkEtag : etag);
  const success = {
    description: STATUS_CODES[route.answer] ?? '',
    headers: { ...every, ...version, ...(!isClientRoute(route) && headersOf(route)) },
    ...contentOf(route, response),
  };
  const unchanged = { description: 'Not Modified', headers: { ...every, ...version } };
  const beside = isClientRoute(route) ? {} : { ...previewBeside(route), ...askedBeside(route) };
  return {
    ...beside,
    [route.answer]: success,
    ...(version && { 304: unchanged }),
    ...Object.fromEntries(refused),
  };
}

/** For an endpoint whose success has no content, the dry run may have some. */
function previewBeside(route: Route) {
  const status = previewStatus(route);
  if (!previewsObject(route) || status === route.answer) return undefined;
  const content = { [MANIFEST_TYPE]: { schema: { type: 'string' } } };
  return { [status]: { description: STATUS_CODES[status], headers: { ...everyAnswer, ...headersOf(route) }, content } };
}

/** The answer with a change request, if the caller asks for approval; the dry run may have the same status. */
function askedBeside(route: Route) {
  if (!asksForChange(route)) return undefined;
  const status = askedStatus(route);
  const content = {
    'application/json': { schema: { $ref: '#/components/schemas/ChangeRequest' } },
    ...(previewsObject(route) &&
      previewStatus(route) === status && { [MANIFEST_TYPE]: { schema: { type: 'string' } } }),
  };
  return { [status]: { description: STATUS_CODES[status], headers: { ...everyAnswer, ...headersOf(route) }, content } };
}

function headersOf(route: Route) {
  return {
    ...((writesOver(route) || route.omitsUnreadable) && warning),
    ...(namesFlagVersion(route) && manifestEtag),
    ...(route.deprecated && deprecation),
  };
}

function contentOf(route: AnyRoute, response: JsonSchema | undefined) {
  if (streamsEvents(route)) return { content: { [EVENTS_TYPE]: { schema: { type: 'string' } } } };
  const { streams, texts = [] }: Pick<Route, 'streams' | 'texts'> = isClientRoute(route) ? {} : route;
  // For an endpoint without a body in its answer, the introduction describes the preview.
  const preview = response && !isClientRoute(route) && previewsObject(route) ? [MANIFEST_TYPE] : [];
  const json = response && { [streams === 'lines' ? LINES_TYPE : 'application/json']: { schema: response } };
  const others = [...texts, ...preview].map((type) => [type, { schema: { type: 'string' } }]);
  return json || others.length > 0 ? { content: { ...json, ...Object.fromEntries(others) } } : {};
}

/** Whether the answer is server-sent events. */
export function streamsEvents(route: AnyRoute): boolean {
  return isClientRoute(route) ? route.streams === true : route.streams === 'events';
}

/** Whether the answer has an ETag. */
export function hasVersion(route: AnyRoute): boolean {
  if (isClientRoute(route)) return isQuestion(route) && !route.streams;
  return route.method === 'get' && !route.streams;
}

/** Whether the request may meet fields that others own. */
function writesOver(route: Route): boolean {
  return comparesVersions(route) || route.errors.includes('field-managed');
}

const GUARDED: ReadonlySet<string | undefined> = new Set(
  [featureFlag, project, segment, environment, strategyDefinition].map(({ plural }) => plural),
);

/** Whether the request may meet a freeze of an environment, or an environment where changes need approval. */
function meetsGuards({ requires: { verb, resource } }: Route): boolean {
  return GUARDED.has(resource) && verb !== 'get' && verb !== 'list';
}

/** By status, each possible refusal of the endpoint, its own or common to all. */
function refusalsOf(route: AnyRoute): Readonly<Record<string, readonly WireError[]>> {
  const codes = new Set(isClientRoute(route) ? clientCodesOf(route) : codesOf(route));
  const errors = [...codes].map((code) => wireErrors[code]);
  return Object.groupBy(errors, ({ status }) => status) as Readonly<Record<string, readonly WireError[]>>;
}

/** If authentication is off, the environment of an SDK may not exist. */
function clientCodesOf({ caller, isReport, errors, ...route }: ClientRoute): readonly ErrorCode[] {
  return [
    ...when(route.params || route.query || (route.body && !isReport), 'invalid'),
    ...when(caller !== 'anyone', 'unauthenticated', 'not-found'),
    ...when(caller !== 'anyone' && caller !== 'address', 'forbidden'),
    ...errors,
    ...when(route.body && !isReport, 'too-large', 'unsupported-media-type'),
    'rate-limited',
    'internal',
    'unavailable',
  ];
}

function codesOf(route: Route): readonly ErrorCode[] {
  const isWrite = route.method !== 'get';
  return [
    ...when(isWrite || route.params || route.query, 'invalid'),
    'unauthenticated',
    'forbidden',
    ...route.errors,
    ...when(isWrite, 'conflict'),
    ...when(route.past, 'uncertain-time'),
    ...when(writesOver(route), 'field-managed'),
    ...when(meetsGuards(route), 'frozen', 'approval-required'),
    ...when(comparesVersions(route), 'precondition-failed'),
    ...when(isWrite || route.ignoresBody, 'too-large'),
    ...when(route.body, 'unsupported-media-type'),
    'rate-limited',
    'internal',
    'unavailable',
  ];
}

function when(condition: unknown, ...codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return condition ? codes : [];
}

/** Answers with one status. */
interface RefusalGroup {
  readonly errors: readonly WireError[];
  readonly isOfrep: boolean;
}

export const OFREP = 'Ofrep';
const OFREP_ERROR = `${OFREP}Error`;

export const ofrepError = errorBody
  .extend(ofrepErrorMembers.shape)
  .meta({ id: OFREP_ERROR, description: 'The body of an error of OFREP.' });

function isOfrep(route: AnyRoute): boolean {
  return isClientRoute(route) && route.caller === 'provider';
}

function nameOf({ errors, isOfrep: prefixed }: RefusalGroup): string {
  return `${prefixed ? OFREP : ''}${errors.map(({ name }) => name).join('Or')}`;
}

/** The refusals and the shapes of their bodies, for everything that these endpoints refer to. */
export function refusals(routes: readonly AnyRoute[]) {
  const groups = routes.flatMap((route) =>
    Object.values(refusalsOf(route)).map((errors): RefusalGroup => ({ errors, isOfrep: isOfrep(route) })),
  );
  const all = groups.flatMap(({ errors }) => errors);
  return {
    responses: Object.fromEntries(groups.map((group) => [nameOf(group), refusal(group)])),
    schemas: Object.fromEntries(all.map((error) => [error.name, errorShape(error)])),
  };
}

function refusal({ errors, isOfrep: hasOneShape }: RefusalGroup): object {
  const names = hasOneShape ? [OFREP_ERROR] : errors.map(({ name }) => name);
  const shapes = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const [{ status } = { status: 500 }] = errors;
  return {
    description: errors.map(({ name, means }) => `${name}: ${means}`).join(' '),
    headers: { ...everyAnswer, ...headersOfRefusal(errors, status) },
    content: { 'application/json': { schema: shapes.length === 1 ? shapes[0] : { oneOf: shapes } } },
  };
}

function errorShape({ name, means, listsMessages }: WireError): JsonSchema {
  if (listsMessages) return { description: means, allOf: [{ $ref: '#/components/schemas/ErrorMessages' }] };
  return {
    description: means,
    allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { name: { const: name } } }],
  };
}
