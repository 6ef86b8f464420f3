/** The loops of several sinks, when one of them fails. */
import process from 'node:process';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { SinkPlace, SinkStore } from '../../../../src/audit/archive/sinks/sink-store.ts';
import { createSinkDelivery } from '../../../../src/audit/deliver/delivery.ts';
import type { SinkNotice } from '../../../../src/audit/deliver/sink-loop.ts';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import { createListeners, throwUncaught } from '../../../../src/model/listeners.ts';
import { type NotificationSink, notificationSink } from '../../../../src/schema/notification-sink.ts';
import { aSink } from '../../../support/builders.ts';
import { fakeClock, settled } from '../../../support/fake-clock.ts';

const mistake = new Error('mistake');
let unhandled: unknown[];

beforeEach(() => {
  unhandled = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
});

function sinkNamed(name: string, generation = 1): NotificationSink {
  const { metadata, ...manifest } = aSink(`home/${name}`);
  const stored = { uid: name, resourceVersion: '1', generation, creationTimestamp: '2026-03-01T00:00:00Z' };
  return parseObject(notificationSink, { ...manifest, metadata: { ...metadata, ...stored } });
}

interface SetUp {
  readonly close: (name: string) => Promise<void>;
  readonly onNotice?: (notice: SinkNotice) => void;
}

/** Delivers to the sinks `a` and `b`. */
function setUp({ close, onNotice = () => undefined }: SetUp) {
  const clock = fakeClock();
  const changes = createListeners<[change: { before?: NotificationSink; after?: NotificationSink }]>(throwUncaught);
  const present = new Map(['a', 'b'].map((name) => [name, sinkNamed(name)]));
  const place: SinkPlace = {
    ...{ revision: 1, position: 0, lastId: 0, lastAt: 0, setAside: 0, lastSetAside: null, gone: 0 },
    ...{ replay: null, replayedAt: 0 },
  };
  const [notices, reads]: [unknown[], Set<string>] = [[], new Set()];
  let broken: string | undefined;
  const store: Pick<SinkStore, 'open' | 'after' | 'keepOnly'> = {
    open: async () => place,
    after: async () => [],
    keepOnly: async () => undefined,
  };
  const delivery = createSinkDelivery({
    sinks: { all: () => present.values(), subscribe: changes.add },
    ...{ home: 'home', clock, now: clock.now, backoff: () => 1_000, retryIn: () => 1_000 },
    store: store as SinkStore,
    open: ({ metadata: { name } }) => ({
      async sender() {
        if (name === broken) throw mistake;
        reads.add(name);
        return undefined;
      },
      close: () => close(name),
    }),
    onNotice({ metadata: { name } }, notice) {
      notices.push([name, notice.type]);
      onNotice(notice);
    },
  });
  const ending = new AbortController();
  const work = delivery.run({ signal: ending.signal, isCurrent: () => true });
  return {
    ...{ clock, delivery, notices, work, end: () => ending.abort() },
    breakLoop: (name: string) => {
      broken = name;
    },
    put(name: string, after: NotificationSink | undefined) {
      const before = present.get(name);
      if (after) present.set(name, after);
      else present.delete(name);
      changes.call({ ...(before && { before }), ...(after && { after }) });
    },
    /** The sinks whose loops look at what is new. */
    async looking() {
      await settled();
      reads.clear();
      delivery.wake();
      await settled();
      return [...reads].toSorted();
    },
  };
}

test('a connection that cannot be closed is reported, and the sink goes on when it has changed', async () => {
  const close = async (name: string) => {
    if (name === 'a') throw mistake;
  };
  const { put, looking, notices, work, end } = setUp({ close });
  expect(await looking()).toEqual(['a', 'b']);
  put('a', sinkNamed('a', 2));
  expect([await looking(), notices]).toEqual([['a', 'b'], [['a', 'close-failed']]]);
  put('a', undefined);
  expect(await looking()).toEqual(['b']);
  end();
  await work;
  expect([notices.length, unhandled]).toEqual([2, []]);
});

test('a loop that fails for no known reason ends the delivery with its error', async () => {
  const closed: string[] = [];
  const fail = () => {
    throw mistake;
  };
  const { breakLoop, delivery, work, put } = setUp({ close: async (name) => void closed.push(name), onNotice: fail });
  const ended = expect(work).rejects.toBe(mistake);
  await settled();
  breakLoop('a');
  delivery.wake();
  await ended;
  put('b', undefined);
  await settled();
  expect([closed.toSorted(), unhandled]).toEqual([['a', 'b'], []]);
});
