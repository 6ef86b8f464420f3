/** Follows the flags of one scope at the present upstream, by its stream where it has one, by polls where not. */
import { type Clock, pause } from '../model/clock.ts';
import type { Backoff } from '../runtime/backoff.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ClientDocument, ClientEvent } from '../wire/client/read-document.ts';
import type { EdgeFlags, FlagSource } from './flags.ts';
import { failureOf, isUpstreamError, UpstreamError, type UpstreamProblem } from './upstream/errors.ts';
import type { GoodAt, StreamedChange, Upstream } from './upstream/upstream.ts';
import type { Upstreams } from './upstreams.ts';

export interface SubscriptionParts {
  readonly source: FlagSource;
  /** A client token of the scope. */
  readonly token: () => string;
  readonly flags: EdgeFlags;
  readonly upstreams: Upstreams;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly backoff: Backoff;
  readonly random: () => number;
  /** Asks whether the token still has this scope; false ends the subscription. */
  readonly isStillValid: () => Promise<boolean>;
  /** The state is the one that the upstream has now. An upstream that is an edge says how old its own is. */
  readonly onGood: (goodAt: GoodAt) => void;
  readonly observeFailure: (problem: UpstreamProblem) => void;
  readonly logger: Logger;
}

/** The pause before a stream that has ended is opened again, so that not all edges come at once. */
const REOPEN_MS = 1_000;
/** How long an upstream without streams is polled until it is asked for a stream again. */
const WITHOUT_STREAM_MS = 600_000;

/** A state that comes as many changes is no larger than one that comes as one answer. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** What is known of the state at one upstream: each numbers its changes in its own way. */
interface Position {
  readonly upstream: Upstream;
  tag: string | undefined;
  lastId: string | undefined;
  /** Until this time of the clock, the upstream is polled. */
  pollsUntil: number;
  /** The state is that of this upstream. */
  isHydrated: boolean;
  /** The last document had no flags and was not believed. */
  wasEmpty: boolean;
}

/** Resolves when the signal aborts, or the token has lost its scope. */
export async function follow(parts: SubscriptionParts, signal: AbortSignal): Promise<void> {
  const { upstreams, logger, source } = parts;
  let position = newPosition(upstreams.present().upstream);
  let failures = 0;
  const onGood = (goodAt: GoodAt): void => {
    if (failures > 0) logger.info({ environment: source.environment }, 'upstream: is read again');
    failures = 0;
    upstreams.confirm();
    parts.onGood(goodAt);
  };
  while (!signal.aborted) {
    const { upstream, signal: left } = upstreams.present();
    if (upstream !== position.upstream) position = newPosition(upstream);
    const until = AbortSignal.any([signal, left]);
    const error = await unlessEnded(failureOf(followOnce({ ...parts, onGood, position }, until)), until);
    if (until.aborted) continue;
    if (error && !(await maySurvive(parts, { upstream, error, failures }, signal))) return;
    if (error) failures += 1;
  }
}

function newPosition(upstream: Upstream): Position {
  const nothing = { tag: undefined, lastId: undefined, isHydrated: false, wasEmpty: false };
  return { upstream, ...nothing, pollsUntil: Number.NEGATIVE_INFINITY };
}

/** Work that is ended rejects with the reason of the signal. */
async function unlessEnded(failure: Promise<UpstreamError | undefined>, until: AbortSignal) {
  try {
    return await failure;
  } catch (error) {
    if (until.aborted) return undefined;
    throw error;
  }
}

interface Failed {
  readonly upstream: Upstream;
  readonly error: UpstreamError;
  /** The number of failures in a row before. */
  readonly failures: number;
}

/** Resolves with true when the next attempt is due; with false if the token has lost its scope. */
async function maySurvive(
  { upstreams, clock, backoff, isStillValid, observeFailure, logger, source }: SubscriptionParts,
  { upstream, error, failures }: Failed,
  signal: AbortSignal,
): Promise<boolean> {
  const { problem, retryAfterMs = 0, message: reason } = error;
  observeFailure(problem);
  // Later failures are the same one.
  const level = failures === 0 ? 'warn' : 'debug';
  logger[level]({ environment: source.environment, reason }, 'upstream: cannot be read, the last good state stays');
  if (problem === 'refused' && !(await isStillValid())) return false;
  if (problem !== 'refused' && problem !== 'busy') upstreams.leave(upstream);
  // Each of the other upstreams is tried at once.
  const repeats = failures - (upstreams.count - 1);
  if (repeats >= 0) await pause(clock, Math.max(retryAfterMs, backoff(repeats)), signal);
  return true;
}

interface Following extends SubscriptionParts {
  readonly position: Position;
}

/** Returns when the state was read and the next reading is due, or the stream has ended in good order. */
async function followOnce(parts: Following, signal: AbortSignal): Promise<void> {
  const { clock, position, pollMs, random } = parts;
  if (clock.now() >= position.pollsUntil && (await hasStreamed(parts, signal))) {
    await pause(clock, random() * REOPEN_MS, signal);
    return;
  }
  await poll(parts, signal);
  await pause(clock, pollMs * (0.9 + 0.2 * random()), signal);
}

async function poll(parts: Following, signal: AbortSignal): Promise<void> {
  const { position, token, onGood } = parts;
  const found = await position.upstream.poll(token(), position.tag, signal);
  if (found.document) await replace(parts, found.document);
  position.tag = found.tag;
  onGood(found.goodAt);
}

/** False if the upstream has no stream for this caller now. */
async function hasStreamed(parts: Following, signal: AbortSignal): Promise<boolean> {
  const { clock, position, pollMs } = parts;
  try {
    return await stream(parts, signal);
  } catch (error) {
    if (isUpstreamError(error, 'absent')) position.pollsUntil = clock.now() + WITHOUT_STREAM_MS;
    else if (isUpstreamError(error, 'busy')) position.pollsUntil = clock.now() + (error.retryAfterMs ?? pollMs);
    else throw error;
    return false;
  }
}

/** False if the upstream asks to poll. */
async function stream(parts: Following, signal: AbortSignal): Promise<boolean> {
  const { position, token, onGood, clock, pollMs } = parts;
  for await (const change of position.upstream.stream(token(), position.lastId, signal)) {
    if (change.type === 'poll') {
      position.pollsUntil = clock.now() + pollMs;
      return false;
    }
    if (change.type === 'events') await applyAll(parts, change);
    if (position.isHydrated) onGood(change.goodAt);
  }
  return true;
}

async function applyAll(parts: Following, { events, id }: Extract<StreamedChange, { type: 'events' }>): Promise<void> {
  const { position, flags, source } = parts;
  // Until the events are applied, the place in the stream is unknown.
  position.lastId = undefined;
  for (const event of events) {
    await apply(parts, event);
    const { characters = 0 } = flags.sizeOf(source) ?? {};
    if (characters <= MAX_CHARACTERS) continue;
    // The next state is read as a whole, which has a limit.
    position.isHydrated = false;
    const message = `the changes of ${position.upstream.name} make flags of more than ${MAX_CHARACTERS} characters`;
    throw new UpstreamError('unusable', message);
  }
  position.lastId = id || undefined;
}

async function apply(parts: Following, event: ClientEvent): Promise<void> {
  const { flags, source, position } = parts;
  if (event.type === 'hydration') await replace(parts, event);
  else if (position.isHydrated) flags.apply(source, [event]);
  else throw new UpstreamError('unusable', 'the stream begins with changes of a state that is not known');
}

/**
 * A document without flags after one with flags is how some servers answer a token that has lost its rights. It is
 * believed once the token is known to be valid and the next document has no flags either.
 */
async function replace({ flags, source, position, isStillValid }: Following, document: ClientDocument): Promise<void> {
  const before = flags.sizeOf(source)?.flags ?? 0;
  const isSuspicious = document.features.length === 0 && before > 0;
  if (isSuspicious && !(position.wasEmpty && (await isStillValid()))) {
    position.wasEmpty = true;
    const message = `the answer has no flags, and the last one had ${before}: it is believed if the next one has none either`;
    throw new UpstreamError('unusable', message);
  }
  position.wasEmpty = false;
  position.isHydrated = true;
  flags.replace(source, document);
}
