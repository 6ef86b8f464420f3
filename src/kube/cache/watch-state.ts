/** The watch of one kind as a state machine without I/O: `advance(state, event)` returns the next step. */
import { ClusterError, isClusterError } from '../../errors.ts';
import { recordOf } from '../../model/json.ts';
import { compareVersions, isAtMost } from '../../model/version.ts';
import { isVersionTooLarge, refusedWatch } from '../api/errors.ts';
import type { ListPage } from '../api/page.ts';
import type { Query } from '../api/transport.ts';
import { versionOf } from '../object/raw-object.ts';

interface RetryState {
  /** Failures in a row, for the back-off. */
  readonly failures: number;
  /** False after the server rejected streamed lists (WatchList). */
  readonly streamable: boolean;
  /** Missed changes are replayed from past versions if they still exist; absent: everything is listed again. */
  readonly replayable?: boolean;
}

export type WatchState = RetryState &
  (
    | { readonly phase: 'stream-list' }
    /** `replay`: the list is read at the start of this range, and the range is replayed after it. */
    | {
        readonly phase: 'paged-list';
        readonly token?: string;
        readonly version?: string;
        readonly replay?: VersionRange;
      }
    /** `resumedAt` is the version at which the open stream was resumed; absent for the stream that follows a list. */
    | { readonly phase: 'watching'; readonly version: string; readonly resumedAt?: string }
    /** Before a watch resumes after a failure: checks that the cluster was not restored. */
    | { readonly phase: 'checking'; readonly version: string }
    /** The server cannot resume the watch: finds the oldest version that can be read. */
    | { readonly phase: 'seeking'; readonly version: string }
    | { readonly phase: 'replaying'; readonly version: string; readonly until: string }
  );

/** The result of seeking: the oldest readable version. */
export interface SeekResult {
  readonly version: string;
  readonly present: string;
  /** The past does not contain what the watch has seen: the cluster was restored, and versions repeat. */
  readonly isRewritten: boolean;
}

/** A range of cluster versions: `from` exclusive, `until` inclusive. */
export interface VersionRange {
  readonly from: string;
  readonly until: string;
}

/** `aliveMs`: how long the stream was open. */
export type WatchEvent =
  | { readonly type: 'frame'; readonly frame: unknown; readonly aliveMs: number }
  | { readonly type: 'page'; readonly page: ListPage }
  | { readonly type: 'seek-result'; readonly found: SeekResult }
  /** The server closed the stream normally. */
  | { readonly type: 'ended'; readonly aliveMs: number }
  /** There was no data for too long: the connection is closed. */
  | { readonly type: 'silent' }
  | { readonly type: 'failed'; readonly error: unknown; readonly aliveMs: number };

export type WatchEffect =
  | { readonly do: 'begin'; readonly isRewritten: boolean }
  | { readonly do: 'listed'; readonly objects: readonly unknown[] }
  | { readonly do: 'unlisted'; readonly object: unknown }
  | { readonly do: 'applied' | 'deleted'; readonly object: unknown; readonly notAfter?: number }
  /** `lateUpTo`: everything up to this version had happened before the watch was resumed. */
  | { readonly do: 'swap' | 'progressed' | 'lateUpTo'; readonly version: string };

/** How to continue: read on from the open stream, or send a new request, now or after a wait. */
export type Next = 'read-on' | 'now' | { readonly failures: number; readonly atLeastMs: number };

export interface WatchStep {
  readonly state: WatchState;
  readonly effects: readonly WatchEffect[];
  readonly next: Next;
  /** Why the stream was closed, for log and metrics. */
  readonly failure?: unknown;
}

const PAGE_SIZE = 500;

/** A stream open for this long resets the backoff. Shorter ones without new data count as failures in a row. */
export const HEALTHY_MS = 10_000;

/**
 * A resumed stream with new data also resets the backoff, however short it was. At least this time passes from its
 * start to the next request, so that a server that disconnects after each event does not cause a busy loop.
 */
export const APART_MS = 1_000;

/** A longer Retry-After is not trusted. */
export const MAX_RETRY_AFTER_MS = 600_000;

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The first step: a list, or a watch resumed at the version `from`. */
export function startWatch(from?: string, replayable = false): WatchStep {
  const retryState: RetryState = { failures: 0, streamable: true, ...(replayable && { replayable }) };
  if (from === undefined) return relist(retryState, 'now');
  return { state: { ...retryState, phase: 'checking', version: from }, effects: [], next: 'now' };
}

export interface ServerRequest {
  readonly mode: 'stream' | 'page';
  readonly query: Query;
}

/** The work of a state; seeking and replaying take many requests. */
export type WatchRequest =
  | ServerRequest
  | { readonly mode: 'seek'; readonly from: string }
  | { readonly mode: 'replay'; readonly range: VersionRange };

export function requestOf(state: WatchState, timeoutSeconds: number): WatchRequest {
  const watch = { watch: true, allowWatchBookmarks: true, timeoutSeconds };
  switch (state.phase) {
    case 'stream-list':
      // Without a resourceVersion the list is at least as new as the request.
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
      return { mode: 'replay', range: { from: state.version, until: state.until } };
  }
}

function asOf(replay: VersionRange | undefined): Query {
  return replay === undefined ? {} : { resourceVersion: replay.from, resourceVersionMatch: 'Exact' };
}

export function advance(state: WatchState, event: WatchEvent): WatchStep {
  switch (event.type) {
    case 'frame':
      return onFrame(state, event.frame, event.aliveMs);
    case 'page':
      return onPage(state, event.page);
    case 'seek-result':
      return onSeekResult(state, event.found);
    case 'ended':
      return onEnd(state, event.aliveMs);
    case 'silent':
      return onSilence(state);
    case 'failed':
      return onFailure(state, event.error, event.aliveMs);
  }
}

function onFrame(state: WatchState, frame: unknown, aliveMs: number): WatchStep {
  const { type, object, notAfter } = recordOf(frame);
  if (type === 'ERROR') return onFailure(state, refusedWatch('WATCH', object), aliveMs);
  const version = versionOf(object);
  const take = state.phase === 'stream-list' ? onInitialEvent : onChange;
  const step =
    version === undefined
      ? undefined
      : take(state, { type, object, version, ...(typeof notAfter === 'number' && { notAfter }) });
  return (
    step ??
    onFailure(state, new ClusterError('unavailable', 'The API server sent a frame that is not a watch event'), aliveMs)
  );
}

interface ServerEvent {
  readonly type: unknown;
  readonly object: unknown;
  readonly version: string;
  /** Set only by a replay; see `WatchSink`. */
  readonly notAfter?: number;
}

function onInitialEvent(state: WatchState, { type, object, version }: ServerEvent): WatchStep | undefined {
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

function onChange(state: WatchState, { type, version, ...change }: ServerEvent): WatchStep | undefined {
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

/** A bookmark older than the watch means that the cluster was restored. */
function onBookmark(state: WatchState, version: string): WatchStep {
  if (state.phase === 'watching' && compareVersions(version, state.version) === -1)
    return relist(state, { ...waitFor(state), isRewritten: true });
  return readOn(passed(state, version), { do: 'progressed', version });
}

function onPage(state: WatchState, page: ListPage): WatchStep {
  if (state.phase === 'checking') {
    // A list is never stale, so an older version means that the cluster was restored.
    if (compareVersions(page.version, state.version) === -1)
      return relist(state, { ...waitFor(state), isRewritten: true });
    const effects: readonly WatchEffect[] = [{ do: 'lateUpTo', version: page.version }];
    return { state: resumeAt(state, state.version), effects, next: 'now' };
  }
  if (state.phase !== 'paged-list') return { state, effects: [], next: 'now' };
  // All pages should have the version of the first one; if they differ, the oldest one misses nothing.
  const version = state.version ?? page.version;
  const taken: WatchEffect = { do: 'listed', objects: page.items };
  if (page.token === undefined) return listed(state, { version, next: 'now', before: taken });
  const { token } = page;
  return {
    state: { ...retryStateOf(state), phase: 'paged-list', version, token, ...replayIn(state) },
    effects: [taken],
    next: 'now',
  };
}

function replayIn(state: WatchState): { readonly replay?: VersionRange } {
  return state.phase === 'paged-list' && state.replay !== undefined ? { replay: state.replay } : {};
}

function listed(state: WatchState, done: { version: string; next: Next; before?: WatchEffect }): WatchStep {
  const { replay } = replayIn(state);
  const { version } = done;
  return {
    state: replay ? replayingOf(state, replay) : { ...retryStateOf(state), phase: 'watching', version },
    effects: [...(done.before === undefined ? [] : [done.before]), { do: 'swap', version: done.version }],
    next: done.next,
  };
}

/** Changes before the oldest readable version are lost: a list at that version replaces the known objects. */
function onSeekResult(state: WatchState, { version, present, isRewritten }: SeekResult): WatchStep {
  if (state.phase !== 'seeking') return { state, effects: [], next: 'now' };
  if (isRewritten) return relist(state, { ...waitFor(state), isRewritten });
  const late: WatchEffect = { do: 'lateUpTo', version: present };
  const replay = { from: version, until: present };
  if (version === state.version) return { state: replayingOf(state, replay), effects: [late], next: 'now' };
  const listing: WatchState = { ...retryStateOf(state), phase: 'paged-list', replay };
  return { state: listing, effects: [late, { do: 'begin', isRewritten: false }], next: 'now' };
}

function onEnd(state: WatchState, aliveMs: number): WatchStep {
  // Changes during the replay are late, too.
  if (state.phase === 'replaying') return { state: checkingAt(state, state.version), effects: [], next: 'now' };
  // A server without streamed lists sends the objects but no bookmark after the last one.
  if (state.phase === 'stream-list') return relist(state, { ...waitFor(state, aliveMs), by: 'pages' });
  const next = aliveMs >= HEALTHY_MS ? 'now' : waitToResume(state, aliveMs);
  const failures = next === 'now' ? 0 : next.failures + 1;
  const going: WatchState =
    state.phase === 'watching' ? resumeAt({ ...state, failures }, state.version) : { ...state, failures };
  return { state: going, effects: [], next };
}

function onSilence(state: WatchState): WatchStep {
  if (state.phase !== 'watching') return relist(state, { ...waitFor(state), by: 'pages' });
  return { state: checkingAt(state, state.version), effects: [], next: 'now' };
}

function onFailure(state: WatchState, error: unknown, aliveMs: number): WatchStep {
  const wait = waitFor(state, aliveMs, error);
  if (state.phase === 'stream-list') {
    if (!isClusterError(error, 'invalid')) return { ...relist(state, wait), failure: error };
    return { ...relist({ ...state, streamable: false }, 'now'), failure: error };
  }
  if (canSeek(state, error)) return { ...seek(state, wait), failure: error };
  const lost = state.phase === 'paged-list' ? isClusterError(error, 'gone', 'invalid') : isLost(error);
  if (lost) return { ...relist(state, { ...wait, isRewritten: isVersionTooLarge(error) }), failure: error };
  const next = waitToResume(state, aliveMs, error);
  const failures = next.failures + 1;
  const going: WatchState =
    state.phase === 'watching' ? checkingAt({ ...state, failures }, state.version) : { ...state, failures };
  return { state: going, effects: [], next, failure: error };
}

/**
 * A watch seeks its version in the past if the API server has dropped its version. A replay seeks again after each
 * failure, because etcd may have compacted its version, or may have been restored.
 */
function canSeek(state: WatchState, error: unknown): state is WatchState & { phase: 'watching' | 'replaying' } {
  if (state.replayable !== true) return false;
  return state.phase === 'replaying' || (state.phase === 'watching' && isClusterError(error, 'gone'));
}

function seek(state: WatchState & { phase: 'watching' | 'replaying' }, { failures, atLeastMs }: Wait): WatchStep {
  const seeking: WatchState = {
    ...retryStateOf(state),
    failures: failures + 1,
    phase: 'seeking',
    version: state.version,
  };
  return { state: seeking, effects: [], next: { failures, atLeastMs } };
}

/** Whether the version cannot be resumed: compacted, in the future, malformed, or the CRD was deleted. */
function isLost(error: unknown): boolean {
  return isClusterError(error, 'gone', 'not-found', 'invalid') || isVersionTooLarge(error);
}

interface Wait {
  readonly failures: number;
  readonly atLeastMs: number;
}

function waitFor(state: WatchState, aliveMs = 0, error?: unknown): Wait {
  const askedMs = isClusterError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return {
    failures: aliveMs >= HEALTHY_MS ? 0 : state.failures,
    atLeastMs: Math.min(askedMs, MAX_RETRY_AFTER_MS),
  };
}

/**
 * The wait before the next stream or check, not before a list.
 *
 * Events after a list do not count as progress; only a resumed stream shows that no further list is necessary.
 */
function waitToResume(state: WatchState, aliveMs: number, error?: unknown): Wait {
  const wait = waitFor(state, aliveMs, error);
  const isMoving = state.phase === 'watching' && state.resumedAt !== undefined && state.resumedAt !== state.version;
  return isMoving ? { failures: 0, atLeastMs: Math.max(wait.atLeastMs, APART_MS - aliveMs) } : wait;
}

/**
 * Starts a list; the pages of an unfinished one are discarded.
 *
 * Also after a continue token has expired: the server's replacement token continues at a newer version, and objects of
 * earlier pages that were deleted meanwhile would stay in the cache forever.
 */
function relist(
  retryState: RetryState,
  next: 'now' | (Wait & { readonly by?: 'pages'; readonly isRewritten?: boolean }),
): WatchStep {
  const byPages = !retryState.streamable || (next !== 'now' && next.by === 'pages');
  const failures = next === 'now' ? retryState.failures : next.failures + 1;
  const isRewritten = next !== 'now' && next.isRewritten === true;
  return {
    state: { ...retryStateOf(retryState), failures, phase: byPages ? 'paged-list' : 'stream-list' },
    effects: [{ do: 'begin', isRewritten }],
    next: next === 'now' ? next : { failures: next.failures, atLeastMs: next.atLeastMs },
  };
}

function readOn(state: WatchState, effect: WatchEffect): WatchStep {
  return { state, effects: [effect], next: 'read-on' };
}

/** The version never decreases, so that a repeated frame does not move the watch back. */
function passed(state: WatchState, version: string): WatchState {
  const isGoing = state.phase === 'watching' || state.phase === 'replaying';
  return isGoing && !isAtMost(version, state.version) ? { ...state, version } : state;
}

function resumeAt(retryState: RetryState, version: string): WatchState {
  return { ...retryStateOf(retryState), phase: 'watching', version, resumedAt: version };
}

function checkingAt(retryState: RetryState, version: string): WatchState {
  return { ...retryStateOf(retryState), phase: 'checking', version };
}

function replayingOf(retryState: RetryState, { from, until }: VersionRange): WatchState {
  return { ...retryStateOf(retryState), phase: 'replaying', version: from, until };
}

function retryStateOf({ failures, streamable, replayable }: RetryState): RetryState {
  return { failures, streamable, ...(replayable && { replayable }) };
}

function endsInitialEvents(object: unknown): boolean {
  const { annotations } = recordOf(recordOf(object)['metadata']);
  return recordOf(annotations)[INITIAL_EVENTS_END] === 'true';
}
