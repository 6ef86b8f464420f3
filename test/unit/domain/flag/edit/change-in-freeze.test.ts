/** The writes that a freeze refuses; test/integration/freezes.test.ts sends the same ones without the policy. */
import { expect, test } from 'vitest';
import { refusedByFreeze } from '../../../../../src/domain/flag/edit/change-in-freeze.ts';
import { afterOf, beforeFreeze, beforeOf, freezeWays } from '../../../../support/freeze-ways.ts';

test.each(freezeWays)('$name: refused $isRefused', (way) => {
  const write = { before: beforeOf(way), after: afterOf(way) };
  expect(refusedByFreeze(write).includes('production')).toBe(way.isRefused);
});

test('a new flag, and the deletion of a flag, are refused if the flag names the environment', () => {
  expect(refusedByFreeze({ before: beforeFreeze })).toContain('production');
  expect(refusedByFreeze({ after: beforeFreeze })).toContain('production');
  expect(refusedByFreeze({ after: { description: 'new' } })).toEqual([]);
});
