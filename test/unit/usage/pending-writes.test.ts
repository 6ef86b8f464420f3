/** Batches that the database does not accept. */
import { expect, test } from 'vitest';
import { Refusal } from '../../../src/errors.ts';
import type { Counter } from '../../../src/usage/counters.ts';
import { createPendingWrites } from '../../../src/usage/pending-writes.ts';
import { fakeClock } from '../../support/fake-clock.ts';

function counter(flagUid: string): Counter {
  const place = { flagUid, environment: 'production', appName: 'shop' };
  return { ...place, at: 0, yes: 3, no: 1, variants: new Map([['red', 3]]), firstAt: 0, lastAt: 0 };
}

/**
 * `answers` are the results of the database, one for each write. When none is left, the database accepts everything.
 */
function pendingWith(taken: Counter[][], answers: Error[]) {
  const seen = { writes: 0, dropped: 0, failures: [] as unknown[] };
  const pending = createPendingWrites({
    database: {
      write: () => {
        seen.writes += 1;
        const error = answers.shift();
        return error ? Promise.reject(error) : Promise.resolve(undefined as never);
      },
    },
    writer: 'one',
    clock: fakeClock(),
    now: () => 0,
    take: () => ({ counters: taken.shift() ?? [], presence: { sdks: [], names: [] } }),
    observe: {
      flushed: () => undefined,
      dropped: (evaluations) => {
        seen.dropped += evaluations;
      },
      failed: (_, error) => void seen.failures.push(error),
    },
  });
  return { pending, seen };
}

test('a batch that the database refuses for good is dropped and counted, and the next one is written', async () => {
  const wrong = new Refusal('internal', 'value out of range');
  const { pending, seen } = pendingWith([[counter('a'), counter('b')], [counter('c')]], [wrong]);
  await pending.flush();
  expect(seen).toEqual({ writes: 1, dropped: 8, failures: [wrong] });
  expect(pending.keys()).toBe(0);
  await pending.flush();
  expect(seen).toEqual({ writes: 2, dropped: 8, failures: [wrong] });
});

test('batches wait while the database is down, in their order', async () => {
  const away = new Refusal('unavailable', 'the database is away');
  const { pending, seen } = pendingWith([[counter('a')], [counter('b')]], [away]);
  await expect(pending.flush()).rejects.toBe(away);
  expect([pending.keys(), seen.dropped]).toEqual([2, 0]);
  await pending.flush();
  expect([pending.keys(), seen]).toEqual([0, { writes: 3, dropped: 0, failures: [] }]);
});
