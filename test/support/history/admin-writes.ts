/** Writes to a flag through the admin API of a replica. */
import { type AnsweredFeature, ENVIRONMENTS, enabledIn, type Fields, fieldsOfAnswer } from './fields.ts';
import type { Operation, Read } from './history.ts';
import { ARCHIVED, NOT_ARCHIVED, NOT_SERVED, SERVED } from './life.ts';
import type { PlannedOperation } from './plan.ts';

export interface ReplicaAddress {
  readonly name: string;
  readonly url: string;
}

/** The result of an attempt to write. */
export type Result = Pick<Operation, 'outcome' | 'expected' | 'over' | 'answered' | 'version'>;

/** Writes, then reads at once. If the plan says so, the write has an If-Match of a read immediately before it. */
export async function writeThroughReplica(
  replica: ReplicaAddress,
  planned: PlannedOperation,
): Promise<{ result: Result; endedAt: number; reads: Read[] }> {
  const reads: Read[] = [];
  // A new flag has no version that could be matched.
  const isMatching = planned.ifMatch && planned.entryPoint !== 'create';
  const seen = isMatching ? await read(replica, planned.flag, reads) : undefined;
  const result = await write(replica, planned, seen);
  const endedAt = performance.now();
  await read(replica, planned.flag, reads);
  return { result, endedAt, reads };
}

interface Seen extends Read {
  /** The ETag; empty if the flag was not found. */
  readonly etag: string;
}

/** Reads the flag, and the archive if it is not found; undefined if no answer came. */
async function read(replica: ReplicaAddress, flag: string, reads: Read[]): Promise<Seen | undefined> {
  const found = await look(replica, { flag, path: pathOf(flag), fieldsIn: fieldsOfFound });
  if (!found) return undefined;
  reads.push(found);
  if (found.etag !== '') return found;
  const inArchive = await look(replica, { flag, path: ARCHIVE, fieldsIn: ({ body }) => fieldsOfArchive(flag, body) });
  if (inArchive) reads.push(inArchive);
  return found;
}

function fieldsOfFound({ status, body }: Answer): Fields {
  return status === 404 ? NOT_SERVED : { ...fieldsOfAnswer(body as AnsweredFeature), ...SERVED };
}

type ArchivedFeature = AnsweredFeature & { readonly name: string };

function fieldsOfArchive(flag: string, body: unknown): Fields {
  const { features } = body as { readonly features: readonly ArchivedFeature[] };
  const feature = features.find(({ name }) => name === flag);
  return feature ? { ...fieldsOfAnswer(feature), ...ARCHIVED } : NOT_ARCHIVED;
}

interface Look {
  readonly flag: string;
  readonly path: string;
  readonly fieldsIn: (answer: Answer) => Fields;
}

/** Also returns undefined if the replica only answers that it is stopping. */
async function look(replica: ReplicaAddress, { flag, path, fieldsIn }: Look): Promise<Seen | undefined> {
  const startedAt = performance.now();
  const answer = await send(replica, { method: 'GET', path });
  if (typeof answer === 'string' || answer.status === 503) return undefined;
  if (![200, 404].includes(answer.status)) throw new Error(`${replica.name} answers ${answer.status} for ${path}`);
  const seen = { replica: replica.name, flag, startedAt, endedAt: performance.now(), fields: fieldsIn(answer) };
  return { ...seen, etag: answer.status === 200 ? answer.etag : '' };
}

/** The answer of a replica for a flag that no longer changes. */
export async function showFlag(replica: ReplicaAddress, flag: string): Promise<Fields> {
  const reads: Read[] = [];
  await read(replica, flag, reads);
  return Object.assign({}, ...reads.map(({ fields }) => fields));
}

async function write(replica: ReplicaAddress, planned: PlannedOperation, seen: Seen | undefined): Promise<Result> {
  const isMatched = seen !== undefined && seen.etag !== '';
  const answer = await send(replica, { ...requestOf(planned), ...(isMatched && { ifMatch: seen.etag }) });
  const expected = { expected: { ...planned.expected, ...(isMatched && seen.fields) } };
  if (typeof answer === 'string') return { outcome: { type: 'unknown', reason: answer }, ...expected };
  return { ...outcomeOf(answer), ...expected };
}

function outcomeOf({ status, body }: Answer): Result {
  const reason = (body as { name?: string } | undefined)?.name ?? '';
  if (status >= 500) return { outcome: { type: 'unknown', reason: `${status} ${reason}` } };
  if (status >= 400) return { outcome: { type: 'refused', status, reason } };
  const answered = body !== undefined && { answered: fieldsOfAnswer(body as AnsweredFeature) };
  return { outcome: { type: 'acknowledged' }, ...answered };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

function requestOf({ entryPoint, flag, writes, dryRun }: PlannedOperation): Request {
  const values = Object.entries(writes).map(([path, text]) => ({ path, value: JSON.parse(text) as unknown }));
  const query = dryRun ? '?dryRun=true' : '';
  switch (entryPoint) {
    case 'patch': {
      const body = values.map(({ path, value }) => ({ op: 'replace', path: `/${path}`, value }));
      return { method: 'PATCH', path: `${pathOf(flag)}${query}`, body };
    }
    case 'put': {
      const body = Object.fromEntries(values.map(({ path, value }) => [path, value]));
      return { method: 'PUT', path: `${pathOf(flag)}${query}`, body };
    }
    case 'create':
      return { method: 'POST', path: `${FEATURES}${query}`, body: { name: flag, description: textOf(writes) } };
    case 'archive':
      return { method: 'DELETE', path: `${pathOf(flag)}${query}` };
    case 'revive':
      return { method: 'POST', path: `/api/admin/archive/revive/${flag}${query}` };
    case 'delete':
      return { method: 'DELETE', path: `/api/admin/archive/${flag}${query}` };
    default: {
      const environment = ENVIRONMENTS.find((name) => enabledIn(name) in writes);
      const position = values[0]?.value ? 'on' : 'off';
      return { method: 'POST', path: `${pathOf(flag)}/environments/${environment}/${position}${query}` };
    }
  }
}

const FEATURES = '/api/admin/projects/shop/features';
const ARCHIVE = '/api/admin/archive/features';

function pathOf(flag: string): string {
  return `${FEATURES}/${flag}`;
}

function textOf(writes: Fields): unknown {
  return JSON.parse(writes['description'] ?? 'null');
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string;
}

/**
 * Returns a text if no answer came: fetch throws a TypeError if the connection breaks, before the answer or within it.
 */
async function send({ url }: ReplicaAddress, { method, path, body, ifMatch }: Request): Promise<Answer | string> {
  const headers = { 'content-type': 'application/json', ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const response = await fetch(url + path, { method, headers, ...content });
    const text = await response.text();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, body: parsed, etag: response.headers.get('etag') ?? '' };
  } catch (error) {
    if (error instanceof TypeError) return String(error.cause ?? error);
    throw error;
  }
}
