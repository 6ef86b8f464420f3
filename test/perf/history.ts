/** The delay until the history shows a change, while many flags change, through the admin API and past it in turn. */
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { untilPublished } from './caught-up.ts';
import { SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';
import { changes, descriptionStraight, descriptionThroughApi, straight, throughApi, type Write } from './patches.ts';
import { footprintOf } from './scale/footprint.ts';
import type { Sightings } from './sightings.ts';
import type { Stage } from './stage.ts';

const CHANGES_PER_SECOND = 100;
const CHANGES = 1_000;

/** Polling must not be what is measured: it takes time of the operator too. */
const LOOK_EVERY_MS = 50;
const UNSHOWN_AFTER_MS = 30_000;
const MAX_LOOKING_MS = 300_000;
const TRIAL_LOOKS = 100;

/**
 * The first number of these changes, so that other rows use other numbers. Even ones go through the admin API, odd ones
 * past it.
 */
const FIRST = 1_000_000;
const NUMBER = /as changed for the \d(\d{7})th time/;

const SEARCH = '/api/admin/search/events?project=IS:shop&type=IS:feature-metadata-updated';
const MAX_PER_PAGE = 1_000;
/**
 * Further entries that a search may contain: those of other changes, and those that change places because they have the
 * same time.
 */
const SPARE = 20;

const EVENTS = `/apis/events.k8s.io/v1/namespaces/${SHOP}/events?labelSelector=vexil.dev/audit=1&limit=500`;
const ENTRY = 'vexil.dev/audit-entry';

export interface RecordedHistory {
  /** The time in ms from the acknowledged write until the search showed it, for each change that it showed. */
  readonly afterMs: readonly number[];
  /** The time until a watch that does nothing else received the change. */
  readonly watchedAfterMs: readonly number[];
  readonly perSecond: number;
  readonly changes: number;
  readonly missing: number;
  /** The number of changes with more than one entry. */
  readonly double: number;
  /** The time in ms from the last acknowledged write until all Events were published. */
  readonly publishedMs: number;
  readonly withoutEvent: number;
  /**
   * The processor time of the operator for all its work: reading, judging, recording, publishing, answering the search.
   */
  readonly cpuMsPerChange: number;
  /** The approximate part of that time for the search. */
  readonly lookingMsPerChange: number;
}

/** The times at which each change was acknowledged and first shown, by its number. */
interface Ledger {
  sent: number;
  readonly acknowledged: Map<number, number>;
  readonly shown: Map<number, number>;
  readonly watched: Map<number, number>;
  looks: number;
}

export async function changeAndLook(stage: Stage, sightings: Sightings): Promise<RecordedHistory> {
  const write = inTurn(stage);
  await untilRecorded(stage, write);
  const ledger: Ledger = { sent: 0, acknowledged: new Map(), shown: new Map(), watched: new Map(), looks: 0 };
  const before = await footprintOf(stage.operator.pid);
  const startedAt = performance.now();
  await Promise.all([change(ledger, write, sightings), look(ledger, stage.api)]);
  const lastAt = Math.max(...ledger.acknowledged.values());
  await untilPublished(stage.operator);
  const publishedMs = performance.now() - lastAt;
  const after = await footprintOf(stage.operator.pid);
  const lookMs = await cpuMsOfALook(stage);
  const entries = await countEntries(stage.api);
  const events = await countEvents(stage.admin);
  const numbers = [...ledger.acknowledged.keys()];
  return {
    afterMs: latencies(ledger, ledger.shown),
    watchedAfterMs: latencies(ledger, ledger.watched),
    perSecond: (1000 * CHANGES) / (lastAt - startedAt),
    changes: numbers.length,
    missing: numbers.filter((number) => !entries.has(number)).length,
    double: numbers.filter((number) => (entries.get(number) ?? 0) > 1).length,
    publishedMs,
    withoutEvent: numbers.filter((number) => !events.has(number)).length,
    cpuMsPerChange: (1000 * (after.cpuSeconds - before.cpuSeconds)) / CHANGES,
    lookingMsPerChange: (ledger.looks * lookMs) / CHANGES,
  };
}

function inTurn({ api, asOperator }: Stage): Write {
  const [through, past] = [throughApi(api, changes.described), straight(asOperator, changes.described)];
  return (number) => (number % 2 === 0 ? through(number) : past(number));
}

/** Resolves when the operator records changes. It records only changes that happen after it has become the leader. */
async function untilRecorded({ api }: Stage, write: Write): Promise<void> {
  let number = FIRST - 1_000;
  await waitUntil({ what: 'the history has changes', timeoutMs: 60_000, everyMs: 200 }, async () => {
    await write(number++);
    return (await search(api, { limit: 1 })).length > 0;
  });
}

/** Begins a change with every beat, even if earlier ones are still under way. */
async function change(ledger: Ledger, write: Write, sightings: Sightings): Promise<void> {
  const underWay: Promise<void>[] = [];
  const allSent = Promise.withResolvers<void>();
  const beat = setInterval(() => {
    const writing = changeOnce(ledger, FIRST + ledger.sent, { write, sightings });
    ledger.sent += 1;
    underWay.push(writing);
    writing.catch(allSent.reject);
    if (ledger.sent === CHANGES) allSent.resolve();
  }, 1000 / CHANGES_PER_SECOND);
  await allSent.promise.finally(() => clearInterval(beat));
  await Promise.all(underWay);
}

async function changeOnce(
  { acknowledged, watched }: Ledger,
  number: number,
  { write, sightings }: { readonly write: Write; readonly sightings: Sightings },
): Promise<void> {
  const description = number % 2 === 0 ? descriptionThroughApi(number) : descriptionStraight(number);
  const watching = sightings.of(description).then(() => void watched.set(number, performance.now()));
  await write(number);
  acknowledged.set(number, performance.now());
  await watching;
}

/**
 * Polls the search. New entries come first, so it requests no more than may be new. Ends when there was nothing new for
 * long.
 */
async function look(ledger: Ledger, api: KeptClient): Promise<void> {
  const { shown, acknowledged } = ledger;
  let lastNewAt = performance.now();
  let limit = SPARE;
  await waitUntil({ what: 'the history shows all', timeoutMs: MAX_LOOKING_MS, everyMs: LOOK_EVERY_MS }, async () => {
    const hasNew = await lookOnce(ledger, api, limit);
    const isOver = acknowledged.size === CHANGES;
    if (hasNew || !isOver) lastNewAt = performance.now();
    // An entry that is recorded late has the time of the change, in whole seconds, and may come after others.
    limit = isOver && !hasNew ? MAX_PER_PAGE : Math.min(ledger.sent - shown.size + SPARE, MAX_PER_PAGE);
    return shown.size === CHANGES || performance.now() - lastNewAt > UNSHOWN_AFTER_MS;
  });
}

async function lookOnce(ledger: Ledger, api: KeptClient, limit: number): Promise<boolean> {
  const { shown } = ledger;
  ledger.looks += 1;
  const numbers = await search(api, { limit });
  const now = performance.now();
  const fresh = numbers.filter((number) => number >= FIRST && !shown.has(number));
  for (const number of fresh) shown.set(number, now);
  return fresh.length > 0;
}

/** The delays. A change that was shown before its write was answered has the delay 0. */
function latencies({ acknowledged }: Ledger, shown: ReadonlyMap<number, number>): readonly number[] {
  return [...acknowledged].flatMap(([number, at]) => {
    const shownAt = shown.get(number);
    return shownAt === undefined ? [] : Math.max(0, shownAt - at);
  });
}

/** The processor time of the operator for a search with the usual number of entries. */
async function cpuMsOfALook({ api, operator }: Stage): Promise<number> {
  const before = await footprintOf(operator.pid);
  for (let look = 0; look < TRIAL_LOOKS; look += 1) await search(api, { limit: SPARE });
  const after = await footprintOf(operator.pid);
  return (1000 * (after.cpuSeconds - before.cpuSeconds)) / TRIAL_LOOKS;
}

interface Described {
  readonly data: { readonly description?: string } | null;
}

/** Returns the numbers of the changes on a page of the search. */
async function search(api: KeptClient, page: { limit: number; offset?: number }): Promise<number[]> {
  const path = `${SEARCH}&limit=${page.limit}&offset=${page.offset ?? 0}`;
  const { bytes } = await api.call({ method: 'GET', path });
  const { events } = JSON.parse(bytes.toString()) as { events: readonly Described[] };
  return events.map(numberOf);
}

function numberOf({ data }: Described): number {
  return Number(NUMBER.exec(data?.description ?? '')?.[1]);
}

async function countEntries(api: KeptClient): Promise<ReadonlyMap<number, number>> {
  const numbers: number[] = [];
  for (let page = [Number.NaN], offset = 0; page.length > 0; offset += MAX_PER_PAGE) {
    page = await search(api, { limit: MAX_PER_PAGE, offset });
    numbers.push(...page);
  }
  return countEach(numbers);
}

interface EventPage {
  readonly items: readonly { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }[];
  readonly metadata: { readonly continue?: string };
}

async function countEvents(admin: KeptClient): Promise<ReadonlyMap<number, number>> {
  const numbers: number[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const path = token === '' ? EVENTS : `${EVENTS}&continue=${encodeURIComponent(token)}`;
    const { bytes } = await admin.call({ method: 'GET', path });
    const { items, metadata }: EventPage = JSON.parse(bytes.toString());
    numbers.push(...items.map((item) => numberOf(JSON.parse(item.metadata.annotations?.[ENTRY] ?? '{}'))));
    token = metadata.continue || undefined;
  }
  return countEach(numbers);
}

function countEach(numbers: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}
