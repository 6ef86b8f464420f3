/** Signs the head of the chain at intervals if it has moved, and lets each signed head leave the database. */
import type { KeyObject } from 'node:crypto';
import { type SignedHead, signHead } from '../../domain/history/signed-head.ts';
import { Refusal } from '../../errors.ts';
import { type Clock, pause } from '../../model/clock.ts';
import type { HeadState, HeadStore } from '../archive/chain/head-store.ts';
import type { Notify } from './notice.ts';

export interface HeadSignerParts {
  readonly heads: Pick<HeadStore, 'state' | 'store' | 'unpublished' | 'settle'>;
  /** Reads the key for each head, so that a new one is taken. */
  readonly readKey: () => Promise<KeyObject>;
  /** Publishes the Event of a head, at most once. */
  readonly publish: (head: SignedHead, signal: AbortSignal) => Promise<void>;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onNotice: Notify;
}

export interface HeadSigner {
  /** Signs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Undefined: there is none, or another replica signs. */
  readonly signed: SignedHead | undefined;
  /** For how long the next head could not be signed or published, in ms; undefined: another replica signs. */
  readonly overdueMs: number | undefined;
}

/** Each look reads three rows. */
const LOOK_EVERY_MS = 30_000;
const PUBLISHED_AT_ONCE = 100;

export function createHeadSigner(parts: HeadSignerParts): HeadSigner {
  const { heads, readKey, publish, intervalMs, clock, now, onNotice } = parts;
  let signed: SignedHead | undefined;
  let isRunning = false;
  /** Since when a head should have been signed. */
  let dueSince: number | undefined;

  async function signIfDue(): Promise<void> {
    const state = await heads.state(signed);
    if (signed === undefined || state.lost === undefined) signed = state.signed ?? signed;
    if (!isDue(state)) return;
    dueSince ??= now();
    if (state.lost !== undefined) throw lostHead(state.lost);
    const head = signHead(state.last, now(), await readKey());
    await heads.store(head);
    signed = head;
    onNotice({ type: 'head-signed', head });
  }

  function isDue({ last, signed: newest, lost }: HeadState): boolean {
    if (lost !== undefined) return true;
    if (last.n === (newest?.n ?? 0)) return false;
    // A clock that was set back delays the next head by one interval at most.
    const since = Math.abs(now() - (newest?.at ?? 0));
    return since >= intervalMs;
  }

  async function publishAll(signal: AbortSignal): Promise<void> {
    for (const head of await heads.unpublished(PUBLISHED_AT_ONCE)) {
      await publish(head, signal);
      await heads.settle(head);
    }
  }

  async function work(signal: AbortSignal): Promise<void> {
    const wasFailing = dueSince !== undefined;
    try {
      await signIfDue();
      await publishAll(signal);
      dueSince = undefined;
      if (wasFailing) onNotice({ type: 'signing-recovered' });
    } catch (error) {
      if (signal.aborted) return;
      dueSince ??= now();
      onNotice({ type: 'signing-failed', error, isFirst: !wasFailing });
    }
  }

  return {
    async run(signal) {
      isRunning = true;
      dueSince = undefined;
      while (!signal.aborted) {
        await work(signal);
        await pause(clock, Math.min(LOOK_EVERY_MS, intervalMs), signal);
      }
      isRunning = false;
    },
    get signed() {
      return isRunning ? signed : undefined;
    },
    get overdueMs() {
      if (!isRunning) return undefined;
      return dueSince === undefined ? 0 : now() - dueSince;
    },
  };
}

/** Signing would vouch for a chain that was computed anew. */
function lostHead({ n, link }: { readonly n: number; readonly link: string }): Refusal {
  const what = `The chain of the history no longer has the signed head ${n}:${link}`;
  return new Refusal(
    'conflict',
    `${what}: the database was altered or restored. No head is signed. Run vexil history verify`,
  );
}
