/** The watch of one kind in one scope, kept going until it is aborted. */
import { AppError } from '../errors.ts';
import { readPage } from './page.ts';
import { type Located, resourcePath } from './paths.ts';
import { type Clock, pause } from './pause.ts';
import type { Replay } from './replay.ts';
import type { Transport } from './transport.ts';
import {
  advance,
  type Next,
  requestOf,
  type ServerRequest,
  type Step,
  startWatch,
  type WatchEffect,
  type WatchRequest,
  type WatchState,
} from './watch-state.ts';

/** Where a watch tells what it sees: raw objects, in the server's order. */
export interface WatchSink {
  /** A list begins; what an unfinished one before gathered does not count. Rewritten: versions known from before mean nothing. */
  begin(isRewritten: boolean): void;
  listed(object: unknown): void;
  unlisted(object: unknown): void;
  /** The list is complete: it replaces what was known, as of this version. */
  swap(version: string): void;
  /** `notAfter`: it happened then at the latest, in ms since 1970. */
  applied(object: unknown, notAfter?: number): void;
  deleted(object: unknown, notAfter?: number): void;
  /** Everything up to this version has been told. */
  progressed(version: string): void;
  /** Frames up to this version are of changes from before the watch was resumed. */
  behind?(version: string): void;
  /** Awaited before more is read, by a reader that is slower than the server; undefined: go on at once. */
  pace?(): Promise<void> | undefined;
}

/** What a watch lives through, for metrics and log. */
export type WatchNotice =
  | { readonly type: 'frame' }
  | { readonly type: 'requested'; readonly phase: WatchState['phase'] }
  | { readonly type: 'opened'; readonly phase: WatchState['phase'] }
  /** The server tells another history than before: everything is read anew. */
  | { readonly type: 'rewound' }
  | { readonly type: 'synced'; readonly version: string }
  | { readonly type: 'silent' }
  | { readonly type: 'failed'; readonly phase: WatchState['phase']; readonly error: unknown }
  | { readonly type: 'waiting'; readonly waitMs: number };

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
  /** From 0 up to 1, to spread the ends of many watches over time. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly observe?: (notice: WatchNotice) => void;
  /** A version from before at which to resume instead of listing. */
  readonly from?: string;
  /** Reads what was missed, where the API server refuses to resume; absent: everything is listed anew. */
  readonly replay?: Replay;
  readonly silenceMs?: number;
}

/**
 * After so long without a frame a connection counts as dead.
 *
 * The server sends a bookmark about once a minute, so half a minute of lateness is forgiven. Being wrong costs two small
 * requests: a kind without any event since the server started gets no bookmarks at all.
 */
const SILENCE_MS = 90_000;

const SHORTEST_STREAM_SECONDS = 300;

/** Runs until the signal aborts; whatever goes wrong is tried again. */
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

/** Does what a step asks for, then its request, up to the step that gives that request up. */
async function follow(watch: WatchParts, step: Step): Promise<Step> {
  const connection = openConnection(watch, step.state);
  try {
    perform(watch, step.effects);
    watch.observe?.({ type: 'requested', phase: step.state.phase });
    const spread = Math.floor(watch.random() * SHORTEST_STREAM_SECONDS);
    return await send(watch, connection, requestOf(step.state, SHORTEST_STREAM_SECONDS + spread));
  } catch (error) {
    return connection.silent ? silenced(watch, connection) : failed(watch, connection, error);
  } finally {
    connection.close();
  }
}

async function send(watch: WatchParts, connection: Connection, request: WatchRequest): Promise<Step> {
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

/** Without a limit of silence: each of its reads has its own. */
async function readPast(
  watch: WatchParts,
  connection: Connection,
  request: Exclude<WatchRequest, ServerRequest>,
): Promise<Step> {
  const { replay } = watch;
  const { signal } = connection;
  if (replay === undefined) throw new AppError('invalid', 'Nothing reads the past of this watch');
  if (request.mode === 'replay') return readFrames(watch, connection, replay.frames(request.stretch, signal));
  const sought = await replay.seek(request.from, signal);
  return taken(watch, connection, advance(connection.state, { type: 'sought', sought }));
}

async function readFrames(watch: WatchParts, connection: Connection, frames: AsyncIterable<unknown>): Promise<Step> {
  for await (const frame of frames) {
    connection.heard();
    watch.observe?.({ type: 'frame' });
    const step = advance(connection.state, { type: 'frame', frame, aliveMs: connection.aliveMs() });
    if (step.failure !== undefined)
      watch.observe?.({ type: 'failed', phase: connection.state.phase, error: step.failure });
    if (step.next !== 'read-on') return step;
    taken(watch, connection, step);
    const pace = watch.sink.pace?.();
    if (pace !== undefined) await pace;
  }
  return advance(connection.state, { type: 'ended', aliveMs: connection.aliveMs() });
}

/** Performs first: a frame whose effects throw has not been taken, so its version is not passed. */
function taken(watch: WatchParts, connection: Connection, step: Step): Step {
  perform(watch, step.effects);
  connection.state = step.state;
  return { ...step, effects: [] };
}

function silenced(watch: WatchParts, connection: Connection): Step {
  watch.observe?.({ type: 'silent' });
  return advance(connection.state, { type: 'silent' });
}

function failed(watch: WatchParts, connection: Connection, error: unknown): Step {
  if (!watch.signal.aborted) watch.observe?.({ type: 'failed', phase: connection.state.phase, error });
  return advance(connection.state, { type: 'failed', error, aliveMs: connection.aliveMs() });
}

function perform({ sink, observe, replay }: WatchParts, effects: readonly WatchEffect[]): void {
  for (const effect of effects) {
    replay?.saw(effect);
    switch (effect.do) {
      case 'begin':
        sink.begin(effect.isRewritten);
        if (effect.isRewritten) observe?.({ type: 'rewound' });
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
      case 'behind':
        sink.behind?.(effect.version);
        break;
      case 'unlisted':
        sink.unlisted(effect.object);
        break;
      default:
        sink[effect.do](effect.object, effect.notAfter);
    }
  }
}

interface Connection {
  state: WatchState;
  readonly signal: AbortSignal;
  readonly silent: boolean;
  opened(): void;
  heard(): void;
  aliveMs(): number;
  close(): void;
}

/** One request with its own end: the caller's, or too long a silence once it is a stream. */
function openConnection({ clock, signal, silenceMs = SILENCE_MS }: WatchParts, state: WatchState): Connection {
  const end = new AbortController();
  const abort = (): void => end.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let openedAt: number | undefined;
  let heardAt = 0;
  let silent = false;

  async function listen(): Promise<void> {
    for (let left = silenceMs; left > 0 && !end.signal.aborted; left = heardAt + silenceMs - clock.now()) {
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
      heardAt = openedAt;
      void listen();
    },
    heard() {
      heardAt = clock.now();
    },
    aliveMs: () => (openedAt === undefined ? 0 : clock.now() - openedAt),
    close() {
      signal.removeEventListener('abort', abort);
      end.abort(new Error('The stream is no longer read'));
    },
  };
}
