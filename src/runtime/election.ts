/**
 * Leader election on a lease: at most one process leads, and a process that lost its lease detects this by its own
 * clock.
 */
import { type Clock, pause } from '../model/clock.ts';
import type { LeaseTimings } from '../model/settings/timings.ts';

/** The content of the lease. */
export interface LeaseState {
  /** Empty if the lease has no holder. */
  readonly holder: string;
  readonly durationMs: number;
  /** Changes with every write by any client; identifies the version that an update replaces. */
  readonly version: string;
}

export interface Lease {
  /** undefined: the lease does not exist yet. */
  read(signal?: AbortSignal): Promise<LeaseState | undefined>;
  /** Writes over exactly this version (undefined: creates the lease); throws after a concurrent write. */
  hold(holder: string, over: LeaseState | undefined, signal?: AbortSignal): Promise<LeaseState>;
}

/** A period of leadership. */
export interface Term {
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /**
   * False from the moment at which another replica may hold the lease, even if `signal` could not abort yet (a paused
   * process).
   */
  isCurrent(): boolean;
}

export interface ElectionParts {
  readonly lease: Lease;
  readonly timings: Pick<LeaseTimings, 'renewDeadlineMs' | 'retryPeriodMs'>;
  /** The identity of this process, different from that of any other. */
  readonly identity: string;
  readonly clock: Clock;
  /** A number from 0 to 1, which prevents candidates from trying at the same moment. */
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

/** Candidates check a lease that expires at different moments within this time. */
const EXPIRY_SPREAD_MS = 100;

/** Takes part until the signal aborts; then releases the lease at once, if this process holds it. */
export async function runElection(parts: ElectionParts): Promise<void> {
  const { signal } = parts;
  while (!signal.aborted) {
    const won = await acquire(parts);
    if (won) await renewWhileLeading(parts, won);
  }
}

interface LeadershipTerm {
  readonly state: LeaseState;
  /** The time before the request that renewed the lease was sent. */
  readonly renewedAt: number;
}

interface Seen {
  readonly state: LeaseState;
  /** The latest time at which this version was first seen. */
  readonly at: number;
}

/** Tries until this process holds the lease; undefined if the signal has aborted. */
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
  /** One attempt to take the lease; undefined while another process holds it. */
  tryAcquire(): Promise<LeadershipTerm | undefined>;
  /** The time until the lease can be taken, if it is not renewed. */
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
      // A lease that has expired and could not be taken must not be requested without a pause.
      return leftMs > 0 ? leftMs + (0.2 + 0.8 * random()) * EXPIRY_SPREAD_MS : timings.retryPeriodMs;
    },
  };
}

/** Failures because of the stop are not reported. */
function reportError({ onNotice }: ElectionParts, signal: AbortSignal, error: unknown): undefined {
  if (!signal.aborted) onNotice({ type: 'failed', error });
}

async function observe({ lease, clock, signal }: ElectionParts, before: Seen | undefined): Promise<Seen | undefined> {
  const state = await lease.read(signal);
  if (!state || state.version === before?.state.version) return state && before;
  // Counts from after the answer: counted from before the request, a lease that was renewed meanwhile would look too
  // old.
  return { state, at: clock.now() };
}

/** Uses only the clock of this process: the times in a lease come from other machines. */
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
  /** Ends the term in time even if a renewal has no answer. */
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
  // A failure is handled below. Without this, a failure during a renewal ends the process as an unhandled rejection.
  work.catch(() => undefined);
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

/** A renewal whose answer was lost has changed the version; only the lease shows who holds it then. */
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

/** Releases the lease only when nothing runs any more. The version protects a lease of another holder. */
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

/**
 * Reads the lease again: the end of the term does not await the answer of a renewal, which may have changed the
 * version.
 */
async function releaseAnew({ lease, identity }: ElectionParts): Promise<void> {
  const state = await lease.read();
  if (state?.holder === identity) await lease.hold('', state);
}

/** Prevents candidates from trying at the same moment. */
function jittered({ timings, random }: ElectionParts): number {
  return timings.retryPeriodMs * (0.8 + 0.4 * random());
}
