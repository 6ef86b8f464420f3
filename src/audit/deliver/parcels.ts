/** What is sent at once: one entry, or a message about many. */
import type { Entry } from '../../domain/history/entry.ts';
import { type Clock, pause } from '../../model/clock.ts';
import { nextTurn } from '../../runtime/turns.ts';
import type { SinkStore } from '../archive/sinks/sink-store.ts';
import type { DigestLine } from './messages/digest.ts';
import type { Answer } from './receiver.ts';

/** Sends to the receiver of a sink, one entry after the other. */
export interface EachSender {
  /** Undefined: the sink does not carry the entry, or does not want it. */
  send(entry: Entry, signal: AbortSignal): Promise<Answer | undefined>;
  test(request: string, signal: AbortSignal): Promise<Answer>;
}

/** Sends many entries as one message. */
export interface TogetherSender extends Pick<EachSender, 'test'> {
  /** Undefined: the sink does not carry the entry, or does not want it. */
  lineOf(entry: Entry): DigestLine | undefined;
  sendTogether(lines: readonly [DigestLine, ...DigestLine[]], signal: AbortSignal): Promise<Answer>;
}

export type Sender = EachSender | TogetherSender;

export interface Parcel {
  /** In the order of their ids; at least one. */
  readonly entries: readonly Pick<Entry, 'id' | 'createdAt'>[];
  /** Undefined: there is nothing to send. */
  readonly send: (signal: AbortSignal) => Promise<Answer | undefined>;
}

export interface Parcels {
  /** All entries, in the order of their ids. */
  readonly entries: Parcel['entries'];
  /** Each group is sent in its order, next to the others. */
  readonly groups: readonly (readonly Parcel[])[];
}

/** An entry that waits, without its content. */
interface WaitingEntry extends Pick<Entry, 'id' | 'uid' | 'createdAt'> {
  /** Undefined: the sink does not carry it. */
  readonly line: DigestLine | undefined;
}

interface ParcelsParts {
  readonly sender: Sender;
  readonly store: Pick<SinkStore, 'after'>;
  readonly clock: Clock;
  /** Old entries have a parcel of their own, so that newer ones are not given up with them. */
  readonly isTooOld: (entry: Pick<Entry, 'createdAt'>) => boolean;
}

export async function parcelsAfter(parts: ParcelsParts, position: number, signal: AbortSignal): Promise<Parcels> {
  const { sender, store, isTooOld } = parts;
  if ('sendTogether' in sender) {
    const waiting = await gather({ store, sender, clock: parts.clock }, position, signal);
    const byAge = Object.values(Object.groupBy(waiting, (entry) => (isTooOld(entry) ? 'old' : 'new')));
    return { entries: waiting, groups: byAge.map((some) => [messageAbout(some, sender)]) };
  }
  const entries = await store.after(position);
  const ofObjects = Map.groupBy(entries, ({ uid }) => uid).values();
  const groups = [...ofObjects].map((some) =>
    some.map((entry) => ({ entries: [entry], send: (until: AbortSignal) => sender.send(entry, until) })),
  );
  return { entries, groups };
}

interface GatherParts extends Pick<ParcelsParts, 'store' | 'clock'> {
  readonly sender: TogetherSender;
}

const PAGE = 200;
/** An import of 500 flags is some 2,000 entries. */
const MAX_ENTRIES = 5_000;
/** A message is sent when nothing came for this time, */
const QUIET_MS = 1_000;
/** and after this time in any case. */
const MAX_GATHER_MS = 15_000;

/** Reads the entries that one message is about, until there are no more for a moment. */
async function gather(
  { store, sender, clock }: GatherParts,
  position: number,
  signal: AbortSignal,
): Promise<readonly WaitingEntry[]> {
  const waiting: WaitingEntry[] = [];
  const until = clock.now() + MAX_GATHER_MS;
  while (!signal.aborted && waiting.length < MAX_ENTRIES) {
    const page = await store.after(waiting.at(-1)?.id ?? position, PAGE);
    for (const entry of page) {
      const { id, uid, createdAt } = entry;
      waiting.push({ id, uid, createdAt, line: sender.lineOf(entry) });
      await nextTurn();
    }
    if (page.length === PAGE) continue;
    if (page.length === 0 || clock.now() >= until) break;
    await pause(clock, QUIET_MS, signal);
  }
  return waiting;
}

function messageAbout(entries: readonly WaitingEntry[], sender: TogetherSender): Parcel {
  return {
    entries,
    async send(signal) {
      const [first, ...others] = entries.flatMap(({ line }) => line ?? []);
      return first && sender.sendTogether([first, ...others], signal);
    },
  };
}
