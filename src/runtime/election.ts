/**
 * Leader election on a lease: at most one process leads, and a process that lost its lease knows it by its own clock.
 */
import { type Clock, pause } from '../model/clock.ts';
import type { LeaseTimings } from '../model/timings.ts';

/** What stands in the lease. */
export interface LeaseState {
  /** Empty: it has no holder. */
  readonly holder: string;
  readonly durationMs: number;
  /** Changes with every write by any client; names the version that an update replaces. */
  readonly version: string;
}

export interface Lease {
  /** undefined: there is none yet. */
  read(signal?: AbortSignal): Promise<LeaseState | undefined>;
  /** Writes over exactly this version (undefined: creates); throws after a concurrent write. */
  hold(holder: string, over: LeaseState | undefined, signal?: AbortSignal): Promise<LeaseState>;
}

/** One time of leading. */
export interface Term {
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** False from the moment the lease may be another replica's, also before `signal` could abort (a paused process). */
  isCurrent(): boolean;
}

export interface ElectionParts {
  readonly lease: Lease;
  readonly timings: Pick<LeaseTimings, 'renewDeadlineMs' | 'retryPeriodMs'>;
  /** Of this process, unlike any other's. */
  readonly identity: string;
  readonly clock: Clock;
  /** Between 0 and 1, to keep candidates from trying at the same moment. */
  readonly random: () => number;
  /** Leads until the signal of the term aborts, then ends. */
  readonly lead: (term: Term) => Promise<void>;
  readonly onNotice: (notice: ElectionNotice) => void;
  readonly signal: AbortSignal;
}

export type ElectionNotice =
  | { readonly type: 'leading' }
  | { readonly type: 'following'; readonly holder: string }
  | { readonly type: 'lost' | 'released' }
  | { readonly type: 'failed'; readonly error: unknown };

/** Several candidates look at a lease that expires at different moments within this time. */
const EXPIRY_SPREAD_MS = 100;

/** Takes part until the signal aborts; then the lease, if held, is given back at once. */
export async function runElection(parts: ElectionParts): Promise<void> {
  const { signal } = parts;
  while (!signal.aborted) {
    const won = await acquire(parts);
    if (won) await renewWhileLeading(parts, won);
  }
}

interface LeadershipTerm {
  readonly state: LeaseState;
  /** From before the request that renewed it was sent. */
  readonly renewedAt: number;
}

interface Seen {
  readonly state: LeaseState;
  /** When this version was first seen, at the latest. */
  readonly at: number;
}

/** Tries until the lease is ours; undefined: the signal has aborted. */
async function acquire(parts: ElectionParts): Promise<LeadershipTerm | undefined> {
  const self = candidate(parts);
  while (!parts.signal.aborted) {
    const term = await self.tryAcquire().catch((error: unknown) => reportError(parts, parts.signal, error));
    if (term) return term;
    await pause(parts.clock, Math.min(jittered(parts), self.expiresInMs()), parts.signal);
  }
  return undefined;
}

interface Candidate {
  /** One look at the lease; undefined while it is someone else's. */
  tryAcquire(): Promise<LeadershipTerm | undefined>;
  /** Until the lease can be taken, if it is not renewed. */
  expiresInMs(): number;
}

function candidate(parts: ElectionParts): Candidate {
  const { clock, timings, random, onNotice } = parts;
  let seen: Seen | undefined;
  return {
    async tryAcquire() {
      const found = await observe(parts, seen);
      const holder = found?.state.holder;
      if (holder && holder !== seen?.state.holder) onNotice({ type: 'following', holder });
      seen = found;
      return isFree(parts, seen) ? take(parts, seen) : undefined;
    },
    expiresInMs() {
      const leftMs = seen ? seen.state.durationMs - (clock.now() - seen.at) : 0;
      // A lease that has expired and could not be taken is no reason to ask without end.
      return leftMs > 0 ? leftMs + (0.2 + 0.8 * random()) * EXPIRY_SPREAD_MS : timings.retryPeriodMs;
    },
  };
}

/** What fails because we are stopping is no news. */
function reportError({ onNotice }: ElectionParts, signal: AbortSignal, error: unknown): undefined {
  if (!signal.aborted) onNotice({ type: 'failed', error });
}

async function observe({ lease, clock, signal }: ElectionParts, before: Seen | undefined): Promise<Seen | undefined> {
  const state = await lease.read(signal);
  if (!state || state.version === before?.state.version) return state && before;
  // From after the answer: counted from before the question, a lease that was renewed on the way would look too old.
  return { state, at: clock.now() };
}

/** Judged by our own clock alone: the times in a lease are those of other machines. */
function isFree({ identity, clock }: ElectionParts, seen: Seen | undefined): boolean {
  if (!seen || seen.state.holder === '' || seen.state.holder === identity) return true;
  return clock.now() - seen.at > seen.state.durationMs;
}

async function take(
  { lease, identity, clock, signal }: ElectionParts,
  seen: Seen | undefined,
): Promise<LeadershipTerm> {
  const renewedAt = clock.now();
  return { state: await lease.hold(identity, seen?.state, signal), renewedAt };
}

/** Leads for as long as the lease can be renewed. */
async function renewWhileLeading(parts: ElectionParts, won: LeadershipTerm): Promise<void> {
  const { clock, timings, signal, lead, onNotice } = parts;
  const end = new AbortController();
  let term = won;
  const isCurrent = () => !end.signal.aborted && clock.now() - term.renewedAt < timings.renewDeadlineMs;
  const stop = () => end.abort(signal.reason);
  const lose = () => end.abort(new Error('The lease could not be renewed'));
  /** Ends the term in time also while a renewal has no answer. */
  const expire = async () => {
    while (isCurrent()) await pause(clock, term.renewedAt + timings.renewDeadlineMs - clock.now(), end.signal);
    lose();
  };
  signal.addEventListener('abort', stop, { once: true });
  onNotice({ type: 'leading' });
  const expired = expire();
  const work = lead({ signal: end.signal, isCurrent }).finally(() =>
    end.abort(new Error('The work of the leader is over')),
  );
  try {
    while (isCurrent()) {
      await pause(clock, jittered(parts), end.signal);
      if (isCurrent()) term = await renew(parts, term, end.signal);
    }
  } finally {
    lose();
    signal.removeEventListener('abort', stop);
    await Promise.all([work, expired]);
    await release(parts, term);
  }
}

/** A renewal whose answer got lost has changed the version; only the lease says whose it is then. */
async function renew(parts: ElectionParts, term: LeadershipTerm, signal: AbortSignal): Promise<LeadershipTerm> {
  const { lease, identity, clock } = parts;
  const renewedAt = clock.now();
  try {
    return { state: await lease.hold(identity, term.state, signal), renewedAt };
  } catch (error) {
    reportError(parts, signal, error);
  }
  const state = await lease.read(signal).catch(() => undefined);
  return state?.holder === identity ? { ...term, state } : term;
}

/** Given back only when nothing runs any more; someone else's lease is left alone by its version. */
async function release(parts: ElectionParts, term: LeadershipTerm): Promise<void> {
  const { lease, onNotice, signal } = parts;
  if (!signal.aborted) {
    onNotice({ type: 'lost' });
    return;
  }
  try {
    await lease.hold('', term.state).catch(() => releaseAnew(parts));
    onNotice({ type: 'released' });
  } catch (error) {
    onNotice({ type: 'failed', error });
  }
}

/** The end of the term does not await the answer of a renewal, which may have changed the version. */
async function releaseAnew({ lease, identity }: ElectionParts): Promise<void> {
  const state = await lease.read();
  if (state?.holder === identity) await lease.hold('', state);
}

/** Keeps candidates from trying at the same moment. */
function jittered({ timings, random }: ElectionParts): number {
  return timings.retryPeriodMs * (0.8 + 0.4 * random());
}
