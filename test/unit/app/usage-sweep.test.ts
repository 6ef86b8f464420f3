/** The sweep that brings the condition Usage up to date. */
import { expect, test } from 'vitest';
import { sweepUsage } from '../../../src/app/usage-sweep.ts';
import type { FurtherCondition } from '../../../src/domain/judgement/findings.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { flagObject } from '../domain/objects.ts';

const inUse: FurtherCondition = { type: 'Usage', status: 'True', reason: 'InUse', message: 'asked' };
const status = { conditions: [{ ...inUse, lastTransitionTime: '2026-01-01T00:00:00Z' }] };

test('enqueues flags whose condition differs, ten per second, and no others', async () => {
  const clock = fakeClock();
  const flags = [
    flagObject('home/right', {}, { status }),
    ...Array.from({ length: 25 }, (_, number) => flagObject(`home/due-${number}`)),
  ];
  const added: string[] = [];
  const ending = new AbortController();
  const swept = sweepUsage(
    {
      flags: { all: () => flags },
      queue: { add: (key, { priority }) => void added.push(`${key} ${priority}`) },
      usageConditions: () => [inUse],
      clock,
      everyMs: 60_000,
    },
    ending.signal,
  );
  await settled();
  expect(added).toHaveLength(10);
  expect(added[0]).toBe('home/due-0 low');
  await clock.advance(1000);
  expect(added).toHaveLength(20);
  await clock.advance(1000);
  expect(added).toHaveLength(25);
  await clock.advance(59_000);
  expect(added).toHaveLength(25);
  ending.abort();
  await swept;
});
