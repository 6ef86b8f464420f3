/** Signs the head of the chain at intervals if it has moved, and lets each signed head leave the database. */
import type { KeyObject } from 'node:crypto';
import { type SignedHead, signHead } from '../../domain/history/signed-head.ts';
import { Refusal } from '../../errors.ts';
import type { Clock } from '../../model/clock.ts';
import type { HeadState, HeadStore } from '../archive/chain/head-store.ts';
import { createDueWork } from './due-work.ts';
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

  async function signIfDue(): Promise<void> {
    const state = await heads.state(signed);
    if (state.lost !== undefined) throw lostHead(state.lost);
    signed = state.signed ?? signed;
    if (!isDue(state)) return;
    const head = signHead(state.last, now(), await readKey());
    await heads.store(head);
    signed = head;
    onNotice({ type: 'head-signed', head });
  }

  /** A clock that was set back delays the next head by one interval at most. */
  function isDue({ last, signed: newest }: HeadState): boolean {
    return last.n !== (newest?.n ?? 0) && Math.abs(now() - (newest?.at ?? 0)) >= intervalMs;
  }

  async function publishAll(signal: AbortSignal): Promise<void> {
    for (const head of await heads.unpublished(PUBLISHED_AT_ONCE)) {
      await publish(head, signal);
      await heads.settle(head);
    }
  }

  const due = createDueWork({
    ...{ clock, now, lookEveryMs: Math.min(LOOK_EVERY_MS, intervalMs) },
    async work(signal) {
      await signIfDue();
      await publishAll(signal);
    },
    onFailure: (error, isFirst) => onNotice({ type: 'signing-failed', error, isFirst }),
    onRecovery: () => onNotice({ type: 'signing-recovered' }),
  });
  return {
    run: due.run,
    get signed() {
      return due.overdueMs === undefined ? undefined : signed;
    },
    get overdueMs() {
      return due.overdueMs;
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
