/** Runs the watch of one kind in one namespace (or all) until it is aborted. */
import { ClusterError } from '../../errors.ts';
import { type Clock, pause } from '../../model/clock.ts';
import { nextTurn } from '../../runtime/turns.ts';
import { readPage } from '../api/page.ts';
import { type Located, resourcePath } from '../api/paths.ts';
import type { Transport } from '../api/transport.ts';
import {
  advance,
  type Next,
  requestOf,
  type SeekResult,
  type ServerRequest,
  startWatch,
  type VersionRange,
  type WatchEffect,
  type WatchRequest,
  type WatchState,
  type WatchStep,
} from './watch-state.ts';

/** The receiver of a watch: raw objects, in the server's order. */
export interface WatchSink {
  /**
   * A list starts; discard the objects of an unfinished one. `isRewritten`: the cluster was restored, earlier versions
   * are invalid.
   */
  begin(isRewritten: boolean): void;
  listed(object: unknown): void;
  unlisted(object: unknown): void;
  /** The list is complete at this version: it replaces all known objects. Objects not listed were deleted. */
  swap(version: string): void;
  /** An object was created or changed. `notAfter`: latest possible time of the change, in ms since 1970. */
  applied(object: unknown, notAfter?: number): void;
  deleted(object: unknown, notAfter?: number): void;
  /** Everything up to this version was delivered. */
  progressed(version: string): void;
  /** Frames up to this version are changes from before the watch was resumed. */
  lateUpTo?(version: string): void;
  /** Backpressure: awaited before more is read; undefined: continue at once. */
  pace?(): Promise<void> | undefined;
}

/** The notices of a watch for metrics and log. */
export type WatchNotice =
  | { readonly type: 'frame' }
  | { readonly type: 'requested'; readonly phase: WatchState['phase'] }
  | { readonly type: 'opened'; readonly phase: WatchState['phase'] }
  /** The cluster was restored from a backup: everything is listed again. */
  | { readonly type: 'restored' }
  | { readonly type: 'synced'; readonly version: string }
  | { readonly type: 'silent' }
  /** The API server does not stream lists: Kubernetes 1.33 does so with a feature gate only. */
  | { readonly type: 'unstreamable' }
  | { readonly type: 'failed'; readonly phase: WatchState['phase']; readonly error: unknown }
  | { readonly type: 'waiting'; readonly waitMs: number };

/** Rebuilds frames that the API server cannot send any more (`kube/replay`). */
export interface Replay {
  /**
   * Remembers the newest object of the watch, because the past that is read must contain it; and the versions of
   * changes, because searches of other kinds can skip them.
   */
  saw(effect: WatchEffect): void;
  /**
   * Finds the oldest readable version from this one on, and the present one. Rejects with `invalid` if versions are not
   * numbers.
   */
  seek(from: string, signal: AbortSignal): Promise<SeekResult>;
  /** Yields all frames after the first version, in order, up to a bookmark at the second. */
  frames(range: VersionRange, signal: AbortSignal): AsyncIterable<unknown>;
}

export interface WatchParts {
  readonly transport: Transport;
  readonly kind: Located;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  /** Absent: all objects. */
  readonly fieldSelector?: string;
  readonly sink: WatchSink;
  readonly backoff: (attempt: number) => number;
  readonly clock: Clock;
  /** From 0 up to 1; spreads the timeouts of many watches over time. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly observe?: (notice: WatchNotice) => void;
  /** A known version at which to resume instead of listing. */
  readonly from?: string;
  /** Replays missed changes if the API server cannot resume; absent: everything is listed again. */
  readonly replay?: Replay;
  readonly silenceMs?: number;
}

/**
 * A connection without a frame for this long counts as dead.
 *
 * The server sends a bookmark about once a minute, so this allows half a minute of delay. A false alarm costs two small
 * requests; it happens for a kind without any event since the server started, which gets no bookmarks.
 */
const SILENCE_MS = 90_000;

const MIN_STREAM_SECONDS = 300;

/** Runs until the signal aborts; retries all failures. */
export async function runWatch(watch: WatchParts): Promise<void> {
  let step = startWatch(watch.from, watch.replay !== undefined);
  while (!watch.signal.aborted) {
    await wait(watch, step.next);
    if (!watch.signal.aborted) step = await follow(watch, step);
  }
}

async function wait({ clock, backoff, signal, observe }: WatchParts, next: Next): Promise<void> {
  if (typeof next === 'string') return;
  const waitMs = Math.max(backoff(next.failures), next.atLeastMs);
  observe?.({ type: 'waiting', waitMs });
  await pause(clock, waitMs, signal);
}

/** Executes the effects and the request of a step; returns the step that ends that request. */
async function follow(watch: WatchParts, step: WatchStep): Promise<WatchStep> {
  const connection = openConnection(watch, step.state);
  try {
    execute(watch, step.effects);
    watch.observe?.({ type: 'requested', phase: step.state.phase });
    const spread = Math.floor(watch.random() * MIN_STREAM_SECONDS);
    return await send(watch, connection, requestOf(step.state, MIN_STREAM_SECONDS + spread));
  } catch (error) {
    return connection.silent ? silenced(watch, connection) : failed(watch, connection, error);
  } finally {
    connection.close();
  }
}

async function send(watch: WatchParts, connection: WatchConnection, request: WatchRequest): Promise<WatchStep> {
  const { transport } = watch;
  if (request.mode === 'seek' || request.mode === 'replay') return readPast(watch, connection, request);
  const query = { ...request.query, fieldSelector: watch.fieldSelector };
  const call = { path: resourcePath(watch.kind, watch.namespace), query, signal: connection.signal };
  if (request.mode === 'page') {
    const page = readPage(await transport.request({ method: 'GET', ...call }));
    const next = taken(watch, connection, advance(connection.state, { type: 'page', page }));
    await watch.sink.pace?.();
    return next;
  }
  const frames = await transport.stream(call);
  connection.opened();
  watch.observe?.({ type: 'opened', phase: connection.state.phase });
  return readFrames(watch, connection, frames);
}

/** Has no silence limit: each of its requests has its own timeout. */
async function readPast(
  watch: WatchParts,
  connection: WatchConnection,
  request: Exclude<WatchRequest, ServerRequest>,
): Promise<WatchStep> {
  const { replay } = watch;
  const { signal } = connection;
  if (replay === undefined) throw new ClusterError('invalid', 'This watch has no replay');
  if (request.mode === 'replay') return readFrames(watch, connection, replay.frames(request.range, signal));
  const found = await replay.seek(request.from, signal);
  return taken(watch, connection, advance(connection.state, { type: 'seek-result', found }));
}

async function readFrames(
  watch: WatchParts,
  connection: WatchConnection,
  frames: AsyncIterable<unknown>,
): Promise<WatchStep> {
  for await (const frame of frames) {
    connection.received();
    watch.observe?.({ type: 'frame' });
    const step = advance(connection.state, { type: 'frame', frame, aliveMs: connection.aliveMs() });
    if (step.failure !== undefined)
      watch.observe?.({ type: 'failed', phase: connection.state.phase, error: step.failure });
    if (step.next !== 'read-on') return step;
    taken(watch, connection, step);
    const pace = watch.sink.pace?.() ?? nextTurn();
    if (pace !== undefined) await pace;
  }
  return advance(connection.state, { type: 'ended', aliveMs: connection.aliveMs() });
}

/** Executes the effects before the transition: a frame whose effects throw does not advance the version. */
function taken(watch: WatchParts, connection: WatchConnection, step: WatchStep): WatchStep {
  execute(watch, step.effects);
  connection.state = step.state;
  return { ...step, effects: [] };
}

function silenced(watch: WatchParts, connection: WatchConnection): WatchStep {
  watch.observe?.({ type: 'silent' });
  return advance(connection.state, { type: 'silent' });
}

function failed(watch: WatchParts, connection: WatchConnection, error: unknown): WatchStep {
  const { state } = connection;
  const step = advance(state, { type: 'failed', error, aliveMs: connection.aliveMs() });
  const isUnstreamable = state.streamable && !step.state.streamable;
  const notice = isUnstreamable
    ? ({ type: 'unstreamable' } as const)
    : ({ type: 'failed', phase: state.phase, error } as const);
  if (!watch.signal.aborted) watch.observe?.(notice);
  return step;
}

function execute({ sink, observe, replay }: WatchParts, effects: readonly WatchEffect[]): void {
  for (const effect of effects) {
    replay?.saw(effect);
    switch (effect.do) {
      case 'begin':
        sink.begin(effect.isRewritten);
        if (effect.isRewritten) observe?.({ type: 'restored' });
        break;
      case 'listed':
        for (const object of effect.objects) sink.listed(object);
        break;
      case 'swap':
        sink.swap(effect.version);
        observe?.({ type: 'synced', version: effect.version });
        break;
      case 'progressed':
        sink.progressed(effect.version);
        break;
      case 'lateUpTo':
        sink.lateUpTo?.(effect.version);
        break;
      case 'unlisted':
        sink.unlisted(effect.object);
        break;
      default:
        sink[effect.do](effect.object, effect.notAfter);
    }
  }
}

interface WatchConnection {
  state: WatchState;
  readonly signal: AbortSignal;
  readonly silent: boolean;
  opened(): void;
  received(): void;
  aliveMs(): number;
  close(): void;
}

/** Opens a request that ends with the caller's signal or, for a stream, after the silence limit. */
function openConnection({ clock, signal, silenceMs = SILENCE_MS }: WatchParts, state: WatchState): WatchConnection {
  const end = new AbortController();
  const abort = (): void => end.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let openedAt: number | undefined;
  let receivedAt = 0;
  let silent = false;

  async function listen(): Promise<void> {
    for (let left = silenceMs; left > 0 && !end.signal.aborted; left = receivedAt + silenceMs - clock.now()) {
      await pause(clock, left, end.signal);
    }
    if (end.signal.aborted) return;
    silent = true;
    end.abort(new Error('The stream fell silent'));
  }

  return {
    state,
    signal: end.signal,
    get silent() {
      return silent;
    },
    opened() {
      openedAt = clock.now();
      receivedAt = openedAt;
      void listen();
    },
    received() {
      receivedAt = clock.now();
    },
    aliveMs: () => (openedAt === undefined ? 0 : clock.now() - openedAt),
    close() {
      signal.removeEventListener('abort', abort);
      end.abort(new Error('The stream is no longer read'));
    },
  };
}
