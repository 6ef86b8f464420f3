/** Measures the archive with many entries: `node test/perf/audit/main.ts --entries 1000000 --database sqlite`. */
import { parseArgs } from 'node:util';
import type { Archive } from '../../../src/audit/archive/archive.ts';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import { describeMachine } from '../report.ts';
import { percentile } from '../statistics.ts';
import { type Place, places } from './places.ts';
import { plausibleEntry } from './plausible-entries.ts';
import { type Row, rows } from './rows.ts';

const BATCH = 1_000;
const SMALL = 100;
/** Batches that are measured with the index of texts in place, before the other entries are inserted. */
const MEASURED_BATCHES = 50;
const ROUNDS = 40;
const ROW_MS = 12_000;
const MIN_ROUNDS = 5;

interface Options {
  readonly entries: number;
  readonly start: () => Promise<Place>;
}

function readOptions(): Options {
  const { entries, database } = parseArgs({
    options: { entries: { type: 'string', default: '1000000' }, database: { type: 'string', default: 'sqlite' } },
  }).values;
  const start = places[database];
  if (start === undefined) throw new Error(`--database must be one of ${Object.keys(places).join(', ')}`);
  if (!/^[1-9]\d{3,6}$/.test(entries)) throw new Error('--entries must be from 1000 to 9999999');
  return { entries: Number(entries), start };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

class Filling {
  #next = 0;
  #revision: number | undefined;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  get isDone(): boolean {
    return this.#next >= this.#count;
  }

  /** Inserts a batch, and returns the milliseconds that the archive took. */
  async batch(archive: Archive, size: number): Promise<number> {
    const length = Math.min(size, this.#count - this.#next);
    const entries = Array.from({ length }, (_, index) => plausibleEntry(this.#next + index, this.#count));
    const before = performance.now();
    await archive.commit({
      scope: 'featureflags/',
      era: 0,
      after: this.#revision,
      version: String(this.#next),
      at: 0,
      states: [],
      gone: [],
      entries,
    });
    this.#next += length;
    this.#revision = (this.#revision ?? 0) + 1;
    return performance.now() - before;
  }
}

async function fill(place: Place, count: number): Promise<void> {
  const archive = openArchive(place.url, { notice: say });
  const filling = new Filling(count);
  const small: number[] = [];
  while (!filling.isDone && small.length < MEASURED_BATCHES) small.push(await filling.batch(archive, SMALL));
  say(
    `a commit of ${SMALL} entries: p50 ${percentile(small, 0.5).toFixed(1)} ms, p99 ${percentile(small, 0.99).toFixed(1)} ms`,
  );
  await place.fill();
  const before = performance.now();
  const late: number[] = [];
  while (!filling.isDone) late.push(await filling.batch(archive, BATCH));
  say(
    `the other entries in batches of ${BATCH}: ${((performance.now() - before) / 1000).toFixed(0)} s, each p50 ${percentile(late, 0.5).toFixed(0)} ms, p99 ${percentile(late, 0.99).toFixed(0)} ms`,
  );
  await archive.close();
}

async function measure(archive: Archive, row: Row, count: number): Promise<string> {
  const taken: number[] = [];
  const totals: number[] = [];
  const end = performance.now() + ROW_MS;
  for (let round = 0; round < ROUNDS && (round < MIN_ROUNDS || performance.now() < end); round += 1) {
    const { filter, page } = row.ask(round, count);
    const before = performance.now();
    const { total } = await archive.search(filter, page);
    taken.push(performance.now() - before);
    totals.push(total);
  }
  return describeRow(row, taken, totals);
}

function describeRow(row: Row, taken: readonly number[], totals: readonly number[]): string {
  const p99 = percentile(taken, 0.99);
  const cells = [
    row.name.padEnd(54),
    `p50 ${percentile(taken, 0.5).toFixed(1).padStart(7)} ms`,
    `p99 ${p99.toFixed(1).padStart(7)} ms`,
    `${String(percentile(totals, 0.5)).padStart(8)} match`,
    `${taken.length} rounds`,
  ];
  if (row.p99MsAtMost !== undefined)
    cells.push(`at most ${row.p99MsAtMost}: ${p99 <= row.p99MsAtMost ? 'met' : 'MISSED'}`);
  return cells.join('  ');
}

async function exportAll(archive: Archive): Promise<void> {
  const before = performance.now();
  const first = process.memoryUsage.rss();
  let [count, highest] = [0, first];
  for await (const _ of archive.stream({}, new AbortController().signal)) {
    count += 1;
    if (count % 1_000 === 0) highest = Math.max(highest, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - before) / 1000;
  say(
    `a stream of all ${count}: ${seconds.toFixed(1)} s; memory ${megabytes(first)} before, at most ${megabytes(highest)}`,
  );
}

async function measureLocked(archive: Archive, { lock }: Place): Promise<void> {
  const unlock = lock?.();
  if (unlock === undefined) return;
  const taken: number[] = [];
  for (let round = 0; round < MIN_ROUNDS; round += 1) {
    const before = performance.now();
    await new Filling(1).batch(archive, 1).then(
      () => Promise.reject(new Error('the archive is not locked')),
      () => taken.push(performance.now() - before),
    );
  }
  unlock();
  say(`a commit while the archive is locked is refused: p50 ${percentile(taken, 0.5).toFixed(0)} ms`);
}

async function run({ entries, start }: Options): Promise<void> {
  say(describeMachine());
  const place = await start();
  try {
    await fill(place, entries);
    const archive = openArchive(place.url, { notice: say });
    const before = performance.now();
    await archive.cursors();
    say(`opened again in ${((performance.now() - before) / 1000).toFixed(1)} s`);
    await place.settle();
    say(`${((await place.bytes()) / entries).toFixed(0)} bytes on disk for each entry`);
    for (const row of rows) say(await measure(archive, row, entries));
    await exportAll(archive);
    await measureLocked(archive, place);
    await archive.close();
  } finally {
    await place.clear();
  }
}

await run(readOptions());
