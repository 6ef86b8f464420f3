/** How many Events are published at the same time. */
import { expect, test } from 'vitest';
import { MAX_CONCURRENCY, nextConcurrency } from '../../../../src/audit/publish/publish-rate.ts';

const fast = [5, 5, 500];
const middling = [5, 50, 50];
const slow = [5, 200, 200];

test.each([
  ['fast answers: one more', 2, { tookMs: fast, isOverloaded: false }, 3],
  ['fast answers, as many as may be', MAX_CONCURRENCY, { tookMs: fast, isOverloaded: false }, MAX_CONCURRENCY],
  ['answers neither fast nor slow', 4, { tookMs: middling, isOverloaded: false }, 4],
  ['slow answers: half', 8, { tookMs: slow, isOverloaded: false }, 4],
  ['slow answers to one at a time', 1, { tookMs: slow, isOverloaded: false }, 1],
  ['an API server that asks for fewer', 5, { tookMs: fast, isOverloaded: true }, 2],
  ['no answer', 3, { tookMs: [], isOverloaded: true }, 1],
  ['nothing to publish', 3, { tookMs: [], isOverloaded: false }, 3],
])('%s', (_, present, round, next) => {
  expect(nextConcurrency(present, round)).toBe(next);
});
