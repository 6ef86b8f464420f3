/** Publishing from the archive: each Event until it is there, in whatever state the API server is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import type { Archive } from '../../../src/audit/archive.ts';
import type { Entry } from '../../../src/audit/entry.ts';
import type { HistoryNotice } from '../../../src/audit/notice.ts';
import { createPublisher, type Publisher } from '../../../src/audit/publisher.ts';
import { AppError } from '../../../src/errors.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { anEntry } from '../../support/archive/an-entry.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';

let folder: string;
let archive: Archive;
let end: AbortController;
let notices: HistoryNotice[];
let published: string[];
let publisher: Publisher;
let running: Promise<void>;
/** What the API server says of an Event; undefined: it takes it. */
let refusals: (entry: Entry) => AppError | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-publisher-'));
  archive = openArchive(`sqlite:${join(folder, 'audit.db')}`, { notice: () => undefined });
  end = new AbortController();
  [notices, published] = [[], []];
  refusals = () => undefined;
  publisher = createPublisher({
    archive,
    publish: async (entry) => {
      const refusal = refusals(entry);
      if (refusal) throw refusal;
      published.push(entry.key);
    },
    clock: systemClock,
    backoff: () => 5,
    onNotice: (notice) => notices.push(notice),
  });
});

afterEach(async () => {
  end.abort();
  await running;
  await archive.close();
  await rm(folder, { recursive: true, force: true });
});

let revision: number | undefined;
beforeEach(() => {
  revision = undefined;
});

async function tell(...keys: string[]): Promise<void> {
  const entries = keys.map((key) => anEntry(key));
  await archive.commit({ scope: 's/', after: revision, version: '1', era: 0, at: 1, states: [], gone: [], entries });
  revision = (revision ?? 0) + 1;
  publisher.wake();
}

const run = () => {
  running = publisher.run(end.signal);
};
const noneWaits = () => waitUntil({ what: 'none waits' }, async () => (await archive.backlog()).count === 0);

test('what was left by somebody else is published at once, what is told later when it is told', async () => {
  await tell('a', 'b');
  run();
  await noneWaits();
  await tell('c');
  await noneWaits();
  expect([published.toSorted(), publisher.waiting]).toEqual([['a', 'b', 'c'], 0]);
});

test('while the API server takes none they wait; each is published once when it does', async () => {
  let isDown = true;
  refusals = ({ key }) => (isDown && key !== 'a' ? new AppError('unavailable', 'down') : undefined);
  await tell('a', 'b', 'c');
  run();
  await waitUntil({ what: 'it was tried' }, () => notices.length > 0);
  expect(notices).toMatchObject([{ type: 'events-failed' }]);
  isDown = false;
  await noneWaits();
  expect(published.toSorted()).toEqual(['a', 'b', 'c']);
  expect(notices.map(({ type }) => type)).toEqual(['events-failed', 'events-recovered']);
});

test('one that the API server will never take is told of, and holds up no other', async () => {
  refusals = ({ key }) => (key === 'b' ? new AppError('invalid', 'never') : undefined);
  await tell('a', 'b', 'c');
  run();
  await noneWaits();
  expect(published.toSorted()).toEqual(['a', 'c']);
  expect(notices).toMatchObject([{ type: 'event-refused', entry: { key: 'b' } }]);
});
