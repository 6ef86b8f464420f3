/** Streams of changed objects: what a reader receives while reviews are slow, fail, or come too late. */
import { beforeEach, expect, test } from 'vitest';
import { type ChangeStreams, createChangeStreams } from '../../../src/delivery/change-streams.ts';
import { createObjectLog, type ObjectChange, type ObjectLog } from '../../../src/delivery/object-log.ts';
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts';

let log: ObjectLog;
let clock: FakeClock;
let streams: ChangeStreams;
let faults: unknown[];
let observed: string[];
let isCutOff: boolean;

beforeEach(() => {
  faults = [];
  const onFault = (error: unknown) => faults.push(error);
  log = createObjectLog('p', onFault);
  clock = fakeClock();
  observed = [];
  isCutOff = false;
  const ending = new AbortController().signal;
  streams = createChangeStreams({
    ...{ clock, log, limit: 2, keepAliveMs: 20_000, ending },
    isCutOff: () => isCutOff,
    observe: {
      opened: () => void observed.push('opened'),
      closed: (reason) => void observed.push(reason),
      advanced: () => undefined,
    },
    onFault,
  });
});

let version = 0;
function change(name: string, to = log): void {
  version += 1;
  const about = { kind: 'FeatureFlag', resource: 'featureflags', namespace: 'home', objectName: name, project: 'shop' };
  to.add({ ...about, name, resourceVersion: `${version}`, isDeleted: false });
}

type Readable = (changes: readonly ObjectChange[]) => Promise<readonly ObjectChange[]>;

function read({ known, readable = async (all) => all }: { known?: string; readable?: Readable } = {}) {
  const reader = { text: '', isReading: true, isStillCaller: true, ended: 'not' };
  const stream = streams.open(
    { caller: 'ada', known, readable, isStillCaller: async () => reader.isStillCaller },
    {
      write(pieces) {
        reader.text += Buffer.concat(pieces).toString();
        return reader.isReading;
      },
      end() {
        reader.ended = 'cleanly';
      },
      destroy() {
        reader.ended = 'abruptly';
      },
    },
  );
  stream.start();
  return Object.assign(reader, { stream });
}

test('the number of streams is limited by the setting, and each is counted', () => {
  const [first] = [read(), read()];
  expect(() => read()).toThrow('2 streams are open, which is the limit of this replica.');
  first?.stream.closed();
  read();
  expect(observed).toEqual(['opened', 'opened', 'client', 'opened']);
});

const namesIn = (text: string) => [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);

test('several changes of one object are one event, in the order of their last', async () => {
  const reader = read();
  for (const name of ['a', 'b', 'a']) change(name);
  await clock.advance(100);
  expect(namesIn(reader.text)).toEqual(['b', 'a']);
  expect(reader.text).toContain(`"resourceVersion":"${version}"`);
});

test('a reader is notified once when the API server is lost, and once when it is back', async () => {
  const reader = read();
  isCutOff = true;
  await clock.advance(3_000);
  const late = read();
  await clock.advance(3_000);
  isCutOff = false;
  await clock.advance(3_000);
  for (const { text } of [reader, late]) {
    const notices = [...text.matchAll(/event: api-server\ndata: (.*)/g)].map(([, data]) => data);
    expect(notices).toEqual(['{"connected":false}', '{"connected":true}']);
  }
});

test('a reader receives what it may see, and nothing uncertain', async () => {
  let isCertain = false;
  const reader = read({
    async readable(changes) {
      if (!isCertain) throw new Error('no review');
      return changes.filter(({ name }) => name !== 'secret');
    },
  });
  change('secret');
  change('a');
  await clock.advance(100);
  expect(namesIn(reader.text)).toEqual([]);
  isCertain = true;
  await clock.advance(1_100);
  expect(namesIn(reader.text)).toEqual(['a']);
  expect(faults).toEqual([]);
});

test('a reader that comes back too late has to read everything again', async () => {
  for (let number = 0; number <= 1_001; number += 1) change(`f${number}`);
  expect(read({ known: 'p-1' }).text).toMatch(/^id: p-1002\nevent: resync\n/);
  expect(read({ known: 'p-1001' }).text).toMatch(/^id: p-1001\nevent: connected\n/);
});

test('a listener of the log that throws keeps no reader from a change', async () => {
  const failing = createObjectLog('q', (error) => faults.push(error));
  const [mistake, heads] = [new Error('mistake'), [] as number[]];
  failing.onTouched(() => {
    throw mistake;
  });
  failing.onTouched(() => heads.push(failing.head()));
  for (const name of ['a', 'b']) change(name, failing);
  expect([heads, faults]).toEqual([
    [1, 2],
    [mistake, mistake],
  ]);
  expect(failing.since(0)?.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('a reader whose reviews take longer than changes are kept has to read everything again', async () => {
  const reviews: (() => void)[] = [];
  const reader = read({ readable: (all) => new Promise((resolve) => reviews.push(() => resolve(all))) });
  change('a');
  await clock.advance(100);
  for (let number = 0; number <= 1_001; number += 1) change(`f${number}`);
  reviews[0]?.();
  await clock.advance(2_000);
  expect(reader.text).toContain('event: resync');
});

test('a reader that does not read is closed when its changes are not kept any more', async () => {
  const reader = read();
  reader.isReading = false;
  change('a');
  await clock.advance(100);
  for (let number = 0; number <= 1_001; number += 1) change(`f${number}`);
  await clock.advance(1_000);
  expect(reader.ended).toBe('abruptly');
});

test('a stream ends within two seconds of the end of its credentials', async () => {
  const reader = read();
  reader.isStillCaller = false;
  await clock.advance(2_000);
  expect(reader.ended).toBe('cleanly');
  change('a');
  await clock.advance(100);
  expect(namesIn(reader.text)).toEqual([]);
});
