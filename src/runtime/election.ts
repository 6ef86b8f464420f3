/** Leader election on a lease: at most one process leads, and a process that lost its lease knows it by its own clock. */
import type { Clock } from './clock.ts';

/** What stands in the lease. */
export interface LeaseState {
  /** Empty: nobody holds it. */
  readonly holder: string;
  readonly durationMs: number;
  /** Changes with each write, whoever wrote; names what an update replaces. */
  readonly version: string;
}

export interface Lease {
  /** undefined: there is none yet. */
  read(signal: AbortSignal): Promise<LeaseState | undefined>;
  /** Writes over exactly this version (undefined: creates); throws if anybody else was faster. */
  hold(holder: string, over: LeaseState | undefined, signal?: AbortSignal): Promise<LeaseState>;
}

/** One time of leading. */
export interface Term {
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** False from the moment the lease may be someone else's, also before `signal` could tell (a paused process). */
  isCurrent(): boolean;
}

export interface ElectionParts {
  readonly lease: Lease;
  /** Of this process, unlike any other's. */
  readonly identity: string;
  readonly clock: Clock;
  /** Between 0 and 1, to keep candidates from asking in step. */
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

/** Others may take the lease when it was not renewed for so long. */
export const LEASE_MS = 6_000;
/** The holder stops leading after this time without a renewal, so before others may take the lease. */
export const RENEW_WITHIN_MS = 4_500;
/** How often the holder renews, and a candidate looks. */
export const ASK_EVERY_MS = 1_000;
/** Several candidates look at a lease that expires at different moments within this time. */
const EXPIRY_SPREAD_MS = 100;

/** Takes part until the signal aborts; then the lease, if held, is given back at once. */
export async function runElection(parts: ElectionParts): Promise<void> {
  const { signal } = parts;
  while (!signal.aborted) {
    const won = await campaign(parts);
    if (won) await serve(parts, won);
  }
}

interface Held {
  readonly state: LeaseState;
  /** From before the request that renewed it was sent. */
  readonly renewedAt: number;
}

interface Seen {
  readonly state: LeaseState;
  /** When this version was first seen, at the latest. */
  readonly at: number;
}

/** Asks until the lease is ours; undefined when told to stop. */
async function campaign(parts: ElectionParts): Promise<Held | undefined> {
  const ask = candidate(parts);
  while (!parts.signal.aborted) {
    const held = await ask.now().catch((error: unknown) => complain(parts, parts.signal, error));
    if (held) return held;
    await rest(parts, Math.min(jittered(parts), ask.expiresInMs()), parts.signal);
  }
  return undefined;
}

interface Candidate {
  /** One look at the lease; undefined while it is someone else's. */
  now(): Promise<Held | undefined>;
  /** Until the lease can be taken, if nobody renews it. */
  expiresInMs(): number;
}

function candidate(parts: ElectionParts): Candidate {
  const { clock, random, onNotice } = parts;
  let seen: Seen | undefined;
  return {
    async now() {
      const found = await look(parts, seen);
      const holder = found?.state.holder;
      if (holder && holder !== seen?.state.holder) onNotice({ type: 'following', holder });
      seen = found;
      return isFree(parts, seen) ? take(parts, seen) : undefined;
    },
    expiresInMs() {
      const leftMs = seen ? seen.state.durationMs - (clock.now() - seen.at) : 0;
      // A lease that has expired and could not be taken is no reason to ask without end.
      return leftMs > 0 ? leftMs + (0.2 + 0.8 * random()) * EXPIRY_SPREAD_MS : ASK_EVERY_MS;
    },
  };
}

/** What fails because we are stopping is no news. */
function complain({ onNotice }: ElectionParts, signal: AbortSignal, error: unknown): undefined {
  if (!signal.aborted) onNotice({ type: 'failed', error });
}

async function look({ lease, clock, signal }: ElectionParts, before: Seen | undefined): Promise<Seen | undefined> {
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

async function take({ lease, identity, clock, signal }: ElectionParts, seen: Seen | undefined): Promise<Held> {
  const renewedAt = clock.now();
  return { state: await lease.hold(identity, seen?.state, signal), renewedAt };
}

/** Leads for as long as the lease can be renewed. */
async function serve(parts: ElectionParts, won: Held): Promise<void> {
  const { clock, signal, lead, onNotice } = parts;
  const end = new AbortController();
  let held = won;
  const isCurrent = () => !end.signal.aborted && clock.now() - held.renewedAt < RENEW_WITHIN_MS;
  const stop = () => end.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  onNotice({ type: 'leading' });
  const work = lead({ signal: end.signal, isCurrent }).finally(() =>
    end.abort(new Error('The work of the leader is over')),
  );
  try {
    while (isCurrent()) {
      await rest(parts, jittered(parts), end.signal);
      if (isCurrent()) held = await renew(parts, held, end.signal);
    }
  } finally {
    end.abort(new Error('The lease could not be renewed'));
    signal.removeEventListener('abort', stop);
    await work;
    await release(parts, held);
  }
}

/** A renewal whose answer got lost has changed the version; whose the lease is then, only the lease can tell. */
async function renew(parts: ElectionParts, held: Held, signal: AbortSignal): Promise<Held> {
  const { lease, identity, clock } = parts;
  const renewedAt = clock.now();
  try {
    return { state: await lease.hold(identity, held.state, signal), renewedAt };
  } catch (error) {
    complain(parts, signal, error);
  }
  const state = await lease.read(signal).catch(() => undefined);
  return state?.holder === identity ? { ...held, state } : held;
}

/** Given back only when nothing runs any more; someone else's lease is left alone by its version. */
async function release({ lease, onNotice, signal }: ElectionParts, held: Held): Promise<void> {
  if (!signal.aborted) {
    onNotice({ type: 'lost' });
    return;
  }
  try {
    await lease.hold('', held.state);
    onNotice({ type: 'released' });
  } catch (error) {
    onNotice({ type: 'failed', error });
  }
}

/** Keeps candidates from asking in step. */
function jittered({ random }: ElectionParts): number {
  return ASK_EVERY_MS * (0.8 + 0.4 * random());
}

function rest({ clock }: ElectionParts, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
