/** A controller under a backlog: workers stay free for the change of a single object. */
import { expect, test } from 'vitest';
import { createController } from '../../../src/runtime/controller.ts';
import { done } from '../../../src/runtime/outcome.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { observedLogger, observedQueue } from './observed.ts';

test.each([
  { concurrency: 16, backlog: 4 },
  { concurrency: 4, backlog: 1 },
  { concurrency: 1, backlog: 1 },
])('$backlog of $concurrency workers take low keys, the others only high ones', async ({ concurrency, backlog }) => {
  const running: string[] = [];
  const ending = new AbortController();
  const end = Promise.withResolvers<void>();
  const controller = createController({
    clock: fakeClock(),
    observer: observedQueue().observer,
    backoff: () => 1,
    concurrency,
    loggerOf: () => observedLogger().logger,
    async reconcile(key) {
      running.push(key);
      await end.promise;
      return done;
    },
    onError: () => expect.unreachable(),
  });
  const ended = controller.run(ending.signal);
  for (let n = 0; n < 50; n += 1) controller.queue.add(`low-${n}`, { priority: 'low' });
  await settled();
  expect(running).toHaveLength(backlog);
  for (let n = 0; n < 50; n += 1) controller.queue.add(`high-${n}`, { priority: 'high' });
  await settled();
  expect(running).toHaveLength(concurrency);
  expect(running.filter((key) => key.startsWith('low'))).toHaveLength(backlog);
  ending.abort();
  end.resolve();
  await ended;
});
