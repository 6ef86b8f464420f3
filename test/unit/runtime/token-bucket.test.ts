/** A burst at once, then a fixed rate per second. */
import { expect, test } from 'vitest';
import { createTokenBucket } from '../../../src/runtime/token-bucket.ts';
import { fakeClock } from '../../support/fake-clock.ts';

test('a full bucket allows the burst, then one token at a time, and never more than the burst', () => {
  const clock = fakeClock();
  const take = createTokenBucket({ clock, burst: 3, perSecond: 2 });
  const taken = (tries: number) => Array.from({ length: tries }, take).filter(Boolean).length;
  expect(taken(10)).toBe(3);
  clock.pass(499);
  expect(taken(10)).toBe(0);
  clock.pass(1);
  expect(taken(10)).toBe(1);
  clock.pass(1000);
  expect(taken(10)).toBe(2);
  clock.pass(3_600_000);
  expect(taken(10)).toBe(3);
});
