/** The watch of one kind as a state machine without I/O. */
import { AppError, isAppError } from '../errors.ts';
import { isVersionTooLarge, refusedWatch } from './errors.ts';
import type { Page } from './page.ts';
import { isRecord } from './raw-object.ts';
import type { Query } from './transport.ts';
import { compareVersions, isAtMost } from './version.ts';

interface Standing {
  /** Failures in a row, for the back-off. */
  readonly failures: number;
  /** False once the server refused to stream lists. */
  readonly streamable: boolean;
  /** What a watch has missed is read from the past, where the server still has it; absent: everything is listed anew. */
  readonly replayable?: boolean;
}

export type WatchState = Standing &
  (
    | { readonly phase: 'stream-list' }
    /** `replay`: the list is as of its beginning, and what came after is read from the past. */
    | { readonly phase: 'paged-list'; readonly token?: string; readonly version?: string; readonly replay?: Stretch }
    /** `resumedAt` is where the open stream began; absent while it is the one that follows a list. */
    | { readonly phase: 'watching'; readonly version: string; readonly resumedAt?: string }
    /** Before a watch goes on after a failure: is the server's history still the one we know? */
    | { readonly phase: 'checking'; readonly version: string }
    /** The server refuses to resume: from which version on can the past be read? */
    | { readonly phase: 'seeking'; readonly version: string }
    | { readonly phase: 'replaying'; readonly version: string; readonly until: string }
  );

/** From where on the past can be read. */
export interface Sought {
  readonly version: string;
  readonly present: string;
  /** What the watch has seen is not what the past holds: a backup was restored, and versions have come again. */
  readonly isRewritten: boolean;
}

/** Versions of the cluster: what came after the first, up to the second. */
export interface Stretch {
  readonly from: string;
  readonly until: string;
}

/** `aliveMs` is how long the stream had been open. */
export type WatchEvent =
  | { readonly type: 'frame'; readonly frame: unknown; readonly aliveMs: number }
  | { readonly type: 'page'; readonly page: Page }
  | { readonly type: 'sought'; readonly sought: Sought }
  /** The server ended the stream in order. */
  | { readonly type: 'ended'; readonly aliveMs: number }
  /** Nothing came for too long: the connection is given up. */
  | { readonly type: 'silent' }
  | { readonly type: 'failed'; readonly error: unknown; readonly aliveMs: number };

export type WatchEffect =
  | { readonly do: 'begin'; readonly isRewritten: boolean }
  | { readonly do: 'listed'; readonly objects: readonly unknown[] }
  | { readonly do: 'unlisted'; readonly object: unknown }
  | { readonly do: 'applied' | 'deleted'; readonly object: unknown; readonly notAfter?: number }
  /** Behind: everything up to this version had happened when the watch went on. */
  | { readonly do: 'swap' | 'progressed' | 'behind'; readonly version: string };

/** How to go on: with the stream that is open, or with a new request, at once or after a wait. */
export type Next = 'read-on' | 'now' | { readonly failures: number; readonly atLeastMs: number };

export interface Step {
  readonly state: WatchState;
  readonly effects: readonly WatchEffect[];
  readonly next: Next;
  /** Why the stream was given up, for log and metrics. */
  readonly failure?: unknown;
}

const PAGE_SIZE = 500;

/** A stream that lived so long was a success: the back-off starts anew. Shorter ones that told nothing new count as failures in a row. */
export const HEALTHY_MS = 10_000;

/**
 * A resumed stream that told something new was a success too, however short. But from its beginning to the next request
 * passes at least so long, or a server that hangs up after each event would be asked without end.
 */
export const APART_MS = 1_000;

/** A longer Retry-After is a mistake of something in between. */
export const LONGEST_RETRY_AFTER_MS = 600_000;

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The first step: a list, or the resumption of a watch at a version known from before. */
export function startWatch(from?: string, replayable = false): Step {
  const standing: Standing = { failures: 0, streamable: true, ...(replayable && { replayable }) };
  if (from === undefined) return relist(standing, 'now');
  return { state: { ...standing, phase: 'checking', version: from }, effects: [], next: 'now' };
}

/** One request to the server. */
export interface ServerRequest {
  readonly mode: 'stream' | 'page';
  readonly query: Query;
}

/** Seeking and replaying take many requests. */
export type WatchRequest =
  | ServerRequest
  | { readonly mode: 'seek'; readonly from: string }
  | { readonly mode: 'replay'; readonly stretch: Stretch };

/** What to ask the server in this state. */
export function requestOf(state: WatchState, timeoutSeconds: number): WatchRequest {
  const watch = { watch: true, allowWatchBookmarks: true, timeoutSeconds };
  switch (state.phase) {
    case 'stream-list':
      // Without a resourceVersion the list is at least as new as this moment.
      return { mode: 'stream', query: { ...watch, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } };
    case 'paged-list':
      return {
        mode: 'page',
        query: { limit: PAGE_SIZE, ...(state.token ? { continue: state.token } : asOf(state.replay)) },
      };
    case 'watching':
      return { mode: 'stream', query: { ...watch, resourceVersion: state.version } };
    case 'checking':
      return { mode: 'page', query: { limit: 1 } };
    case 'seeking':
      return { mode: 'seek', from: state.version };
    case 'replaying':
      return { mode: 'replay', stretch: { from: state.version, until: state.until } };
  }
}

function asOf(replay: Stretch | undefined): Query {
  return replay === undefined ? {} : { resourceVersion: replay.from, resourceVersionMatch: 'Exact' };
}

/** The transition: what happened in a state leads to the next one. */
export function advance(state: WatchState, event: WatchEvent): Step {
  switch (event.type) {
    case 'frame':
      return onFrame(state, event.frame, event.aliveMs);
    case 'page':
      return onPage(state, event.page);
    case 'sought':
      return onSought(state, event.sought);
    case 'ended':
      return onEnd(state, event.aliveMs);
    case 'silent':
      return onSilence(state);
    case 'failed':
      return onFailure(state, event.error, event.aliveMs);
  }
}

function onFrame(state: WatchState, frame: unknown, aliveMs: number): Step {
  const { type, object, notAfter } = isRecord(frame) ? frame : {};
  if (type === 'ERROR') return onFailure(state, refusedWatch('WATCH', object), aliveMs);
  const version = versionOf(object);
  const step =
    version === undefined
      ? undefined
      : onEvent(state, { type, object, version, ...(typeof notAfter === 'number' && { notAfter }) });
  return step ?? onFailure(state, new AppError('unavailable', 'The API server sent a frame that is no event'), aliveMs);
}

interface ServerEvent {
  readonly type: unknown;
  readonly object: unknown;
  readonly version: string;
  /** Of a replay alone: see `WatchSink`. */
  readonly notAfter?: number;
}

function onEvent(state: WatchState, event: ServerEvent): Step | undefined {
  return state.phase === 'stream-list' ? onInitialEvent(state, event) : onChange(state, event);
}

function onInitialEvent(state: WatchState, { type, object, version }: ServerEvent): Step | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return readOn(state, { do: 'listed', objects: [object] });
    case 'DELETED':
      return readOn(state, { do: 'unlisted', object });
    case 'BOOKMARK':
      if (endsInitialEvents(object)) return listed(state, { version, next: 'read-on' });
      return { state, effects: [], next: 'read-on' };
    default:
      return undefined;
  }
}

function onChange(state: WatchState, { type, version, ...change }: ServerEvent): Step | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return readOn(passed(state, version), { do: 'applied', ...change });
    case 'DELETED':
      return readOn(passed(state, version), { do: 'deleted', ...change });
    case 'BOOKMARK':
      return onBookmark(state, version);
    default:
      return undefined;
  }
}

/** A bookmark behind what we have seen says that the server's history is not the one we know. */
function onBookmark(state: WatchState, version: string): Step {
  if (state.phase === 'watching' && compareVersions(version, state.version) === -1)
    return relist(state, { ...waitFor(state), isRewritten: true });
  return readOn(passed(state, version), { do: 'progressed', version });
}

function onPage(state: WatchState, page: Page): Step {
  if (state.phase === 'checking') {
    // A list is never older than the moment it was asked for, so an older version means a restored backup.
    if (compareVersions(page.version, state.version) === -1)
      return relist(state, { ...waitFor(state), isRewritten: true });
    const effects: readonly WatchEffect[] = [{ do: 'behind', version: page.version }];
    return { state: resumeAt(state, state.version), effects, next: 'now' };
  }
  if (state.phase !== 'paged-list') return { state, effects: [], next: 'now' };
  // All pages show the version of the first one; should they not, the oldest misses nothing.
  const version = state.version ?? page.version;
  const taken: WatchEffect = { do: 'listed', objects: page.items };
  if (page.token === undefined) return listed(state, { version, next: 'now', before: taken });
  const { token } = page;
  return {
    state: { ...standingOf(state), phase: 'paged-list', version, token, ...replayIn(state) },
    effects: [taken],
    next: 'now',
  };
}

function replayIn(state: WatchState): { readonly replay?: Stretch } {
  return state.phase === 'paged-list' && state.replay !== undefined ? { replay: state.replay } : {};
}

function listed(state: WatchState, done: { version: string; next: Next; before?: WatchEffect }): Step {
  const { replay } = replayIn(state);
  const { version } = done;
  return {
    state: replay ? replayingOf(state, replay) : { ...standingOf(state), phase: 'watching', version },
    effects: [...(done.before === undefined ? [] : [done.before]), { do: 'swap', version: done.version }],
    next: done.next,
  };
}

/** What is older than the past reaches is lost: what existed when it begins replaces what was known. */
function onSought(state: WatchState, { version, present, isRewritten }: Sought): Step {
  if (state.phase !== 'seeking') return { state, effects: [], next: 'now' };
  if (isRewritten) return relist(state, { ...waitFor(state), isRewritten });
  const behind: WatchEffect = { do: 'behind', version: present };
  const replay = { from: version, until: present };
  if (version === state.version) return { state: replayingOf(state, replay), effects: [behind], next: 'now' };
  const listing: WatchState = { ...standingOf(state), phase: 'paged-list', replay };
  return { state: listing, effects: [behind, { do: 'begin', isRewritten: false }], next: 'now' };
}

function onEnd(state: WatchState, aliveMs: number): Step {
  // Whatever happened meanwhile is behind, too.
  if (state.phase === 'replaying') return { state: checkingAt(state, state.version), effects: [], next: 'now' };
  // A server that does not know streamed lists sends objects, but never says that they are all.
  if (state.phase === 'stream-list') return relist(state, { ...waitFor(state, aliveMs), by: 'pages' });
  const next = aliveMs >= HEALTHY_MS ? 'now' : waitToGoOn(state, aliveMs);
  const failures = next === 'now' ? 0 : next.failures + 1;
  const going: WatchState =
    state.phase === 'watching' ? resumeAt({ ...state, failures }, state.version) : { ...state, failures };
  return { state: going, effects: [], next };
}

function onSilence(state: WatchState): Step {
  if (state.phase !== 'watching') return relist(state, { ...waitFor(state), by: 'pages' });
  return { state: checkingAt(state, state.version), effects: [], next: 'now' };
}

function onFailure(state: WatchState, error: unknown, aliveMs: number): Step {
  const wait = waitFor(state, aliveMs, error);
  if (state.phase === 'stream-list') {
    if (!isAppError(error, 'invalid')) return { ...relist(state, wait), failure: error };
    return { ...relist({ ...state, streamable: false }, 'now'), failure: error };
  }
  if (canSeek(state, error)) return { ...seek(state, wait), failure: error };
  const lost = state.phase === 'paged-list' ? isAppError(error, 'gone') || isAppError(error, 'invalid') : isLost(error);
  if (lost) return { ...relist(state, { ...wait, isRewritten: isVersionTooLarge(error) }), failure: error };
  const next = waitToGoOn(state, aliveMs, error);
  const failures = next.failures + 1;
  const going: WatchState =
    state.phase === 'watching' ? checkingAt({ ...state, failures }, state.version) : { ...state, failures };
  return { state: going, effects: [], next, failure: error };
}

/** A watch is refused where the API server has forgotten, and what is replayed where etcd has, as it may meanwhile. */
function canSeek(state: WatchState, error: unknown): state is WatchState & { phase: 'watching' | 'replaying' } {
  const isResumed = state.phase === 'watching' || state.phase === 'replaying';
  return state.replayable === true && isResumed && isAppError(error, 'gone');
}

function seek(state: WatchState & { phase: 'watching' | 'replaying' }, { failures, atLeastMs }: Wait): Step {
  const seeking: WatchState = {
    ...standingOf(state),
    failures: failures + 1,
    phase: 'seeking',
    version: state.version,
  };
  return { state: seeking, effects: [], next: { failures, atLeastMs } };
}

/** The version to resume at means nothing any more: compacted, never reached, unreadable, or the kind itself is gone. */
function isLost(error: unknown): boolean {
  return (
    isAppError(error, 'gone') ||
    isAppError(error, 'not-found') ||
    isAppError(error, 'invalid') ||
    isVersionTooLarge(error)
  );
}

interface Wait {
  readonly failures: number;
  readonly atLeastMs: number;
}

function waitFor(state: WatchState, aliveMs = 0, error?: unknown): Wait {
  const asked = isAppError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return { failures: aliveMs >= HEALTHY_MS ? 0 : state.failures, atLeastMs: Math.min(asked, LONGEST_RETRY_AFTER_MS) };
}

/**
 * The wait before the next stream or check, not before a list.
 *
 * What comes behind a list does not count as progress: only a stream that was resumed shows that lists are over.
 */
function waitToGoOn(state: WatchState, aliveMs: number, error?: unknown): Wait {
  const wait = waitFor(state, aliveMs, error);
  const isMoving = state.phase === 'watching' && state.resumedAt !== undefined && state.resumedAt !== state.version;
  return isMoving ? { failures: 0, atLeastMs: Math.max(wait.atLeastMs, APART_MS - aliveMs) } : wait;
}

/**
 * A list from the start; what an unfinished one gathered is forgotten.
 *
 * Also after a continue token has expired: the token that the server offers instead goes on at a newer version, and
 * what was deleted from the earlier pages meanwhile would stay in the cache for ever.
 */
function relist(
  standing: Standing,
  next: 'now' | (Wait & { readonly by?: 'pages'; readonly isRewritten?: boolean }),
): Step {
  const byPages = !standing.streamable || (next !== 'now' && next.by === 'pages');
  const failures = next === 'now' ? standing.failures : next.failures + 1;
  const isRewritten = next !== 'now' && next.isRewritten === true;
  return {
    state: { ...standingOf(standing), failures, phase: byPages ? 'paged-list' : 'stream-list' },
    effects: [{ do: 'begin', isRewritten }],
    next: next === 'now' ? next : { failures: next.failures, atLeastMs: next.atLeastMs },
  };
}

function readOn(state: WatchState, effect: WatchEffect): Step {
  return { state, effects: [effect], next: 'read-on' };
}

/** Versions only grow, so that a frame told twice does not take the watch back. */
function passed(state: WatchState, version: string): WatchState {
  const isGoing = state.phase === 'watching' || state.phase === 'replaying';
  return isGoing && !isAtMost(version, state.version) ? { ...state, version } : state;
}

function resumeAt(standing: Standing, version: string): WatchState {
  return { ...standingOf(standing), phase: 'watching', version, resumedAt: version };
}

function checkingAt(standing: Standing, version: string): WatchState {
  return { ...standingOf(standing), phase: 'checking', version };
}

function replayingOf(standing: Standing, { from, until }: Stretch): WatchState {
  return { ...standingOf(standing), phase: 'replaying', version: from, until };
}

function standingOf({ failures, streamable, replayable }: Standing): Standing {
  return { failures, streamable, ...(replayable && { replayable }) };
}

function versionOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function endsInitialEvents(object: unknown): boolean {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  return isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
}
