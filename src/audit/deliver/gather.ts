/** Reads the entries that one message is about, until there are no more for a moment. */
import type { Entry } from '../../domain/history/entry.ts';
import { type Clock, pause } from '../../model/clock.ts';
import { nextTurn } from '../../runtime/turns.ts';
import type { SinkStore } from '../archive/sinks/sink-store.ts';
import type { DigestLine } from './messages/digest.ts';

/** An entry that waits, without its content. */
export interface WaitingEntry extends Pick<Entry, 'id' | 'uid' | 'createdAt'> {
  /** Undefined: the sink does not carry it. */
  readonly line: DigestLine | undefined;
}

export interface GatherParts {
  readonly store: Pick<SinkStore, 'after'>;
  readonly lineOf: (entry: Entry) => DigestLine | undefined;
  readonly clock: Clock;
}

const PAGE = 200;
/** An import of 500 flags is some 2,000 entries. */
const MAX_ENTRIES = 5_000;
/** A message is sent when nothing came for this time, */
const QUIET_MS = 1_000;
/** and after this time in any case. */
const MAX_GATHER_MS = 15_000;

export async function gather(
  { store, lineOf, clock }: GatherParts,
  position: number,
  signal: AbortSignal,
): Promise<readonly WaitingEntry[]> {
  const waiting: WaitingEntry[] = [];
  const until = clock.now() + MAX_GATHER_MS;
  while (!signal.aborted && waiting.length < MAX_ENTRIES) {
    const page = await store.after(waiting.at(-1)?.id ?? position, PAGE);
    for (const entry of page) {
      const { id, uid, createdAt } = entry;
      waiting.push({ id, uid, createdAt, line: lineOf(entry) });
      await nextTurn();
    }
    if (page.length === PAGE) continue;
    if (page.length === 0 || clock.now() >= until) break;
    await pause(clock, QUIET_MS, signal);
  }
  return waiting;
}
