/** Why a key runs, for the log. */
import { beforeEach, expect, test } from 'vitest';
import { createQueue, type Queue } from '../../../src/runtime/queue.ts';
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts';
import { observedQueue } from './observed.ts';

let clock: FakeClock;
let queue: Queue;

beforeEach(() => {
  clock = fakeClock();
  queue = createQueue({ clock, observer: observedQueue().observer, backoff: () => 100 });
});

/** Takes every key that is ready now; returns the reasons. */
async function reasons(): Promise<string[]> {
  const taken: string[] = [];
  while (queue.length > 0) taken.push(queue.reasonOf((await queue.get()) ?? ''));
  return taken;
}

test('the reason of a run is the first request, or the first one that raised the priority', async () => {
  queue.add('a', { reason: 'one' });
  queue.add('a', { reason: 'two' });
  queue.add('b', { priority: 'low', reason: 'start' });
  queue.add('b', { reason: 'edit' });
  queue.add('b', { priority: 'low', reason: 'count' });
  expect(await reasons()).toEqual(['one', 'edit']);
});

test('the reason of a run is the request that brought the run forward', async () => {
  queue.addAfter('a', 50, { reason: 'count' });
  queue.addAfter('a', 80, { reason: 'later' });
  queue.addAfter('a', 10, { reason: 'edit' });
  await clock.advance(10);
  expect(await reasons()).toEqual(['edit']);
});

test('the reason of a run is a change during the previous run, or else its failure', async () => {
  for (const during of [['edit', 'count'], []]) {
    queue.add('a');
    await queue.get();
    for (const reason of during) queue.add('a', { reason });
    queue.addRateLimited('a', 0);
    queue.done('a');
    await clock.advance(200);
    expect(await reasons()).toEqual([during[0] ?? 'retry']);
    queue.done('a');
  }
});
