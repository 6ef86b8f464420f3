/** Backoff grows to its cap and never gives up. */
import { describe, expect, test } from 'vitest';
import { exponentialBackoff } from '../../../src/runtime/backoff.ts';

const almostOne = 1 - Number.EPSILON;

describe('exponential back-off with full jitter', () => {
  const longest = exponentialBackoff({ baseMs: 100, capMs: 5000, random: () => almostOne });

  test.each([
    { failuresBefore: 0, want: 99 },
    { failuresBefore: 1, want: 199 },
    { failuresBefore: 5, want: 3199 },
    { failuresBefore: 6, want: 4999 },
    { failuresBefore: 1_000, want: 4999 },
    { failuresBefore: 1_000_000, want: 4999 },
  ])('after $failuresBefore failures it waits $want ms at most', ({ failuresBefore, want }) => {
    expect(longest(failuresBefore)).toBe(want);
  });

  test('the whole range down to nothing is used', () => {
    const shortest = exponentialBackoff({ baseMs: 100, capMs: 5000, random: () => 0 });
    const middle = exponentialBackoff({ baseMs: 100, capMs: 5000, random: () => 0.5 });

    expect([shortest(0), shortest(1000), middle(0), middle(3), middle(1000)]).toEqual([0, 0, 50, 400, 2500]);
  });
});
