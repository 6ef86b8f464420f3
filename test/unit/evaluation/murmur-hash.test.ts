/** The hash that decides who is in a percentage. */
import { expect, test } from 'vitest';
import { hashAfter } from '../../../src/evaluation/murmur-hash.ts';

/**
 * Group, id, the bucket of 100 with the seed of rollouts, and the buckets of 100 and of 1000 with the seed of variants.
 */
test.each([
  ['gr1', '123', 73, 96, 796],
  ['groupX', '999', 25, 60, 260],
  ['shop', 'user-1', 58, 18, 218],
  ['shop', 'user-2', 39, 62, 762],
  ['one-page-checkout', '42', 54, 82, 882],
  ['f', 'jürgen', 9, 55, 55],
  ['f', '日本', 25, 46, 746],
])('%s:%s has the buckets of all SDKs that hash UTF-8', (group, id, ofRollout, ofVariants, ofThousand) => {
  const [rollout, variants] = [hashAfter(`${group}:`, 0)(id), hashAfter(`${group}:`, 86028157)(id)];
  expect([(rollout % 100) + 1, (variants % 100) + 1, (variants % 1000) + 1]).toEqual([
    ofRollout,
    ofVariants,
    ofThousand,
  ]);
});

test('the end of the prefix has no effect', () => {
  const text = 'group:日本-é😀-user';
  const hashes = Array.from(text, (_, at) => hashAfter(text.slice(0, at), 7)(text.slice(at)));
  expect(new Set(hashes.filter((_, at) => text.slice(0, at).isWellFormed())).size).toBe(1);
});

test('texts of a megabyte and lone surrogates have a hash', () => {
  expect(hashAfter('g:', 0)('é'.repeat(500_000))).toBeTypeOf('number');
  expect(hashAfter('g:', 0)('\ud800')).toBe(hashAfter('g:', 0)('\ufffd'));
});
