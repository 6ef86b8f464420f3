/** Which change of Ready emits an Event. */
import { expect, test } from 'vitest';
import { readyTransition } from '../../../../src/domain/judgement/ready-transition.ts';
import type { Condition } from '../../../../src/schema/condition.ts';

const EARLIER = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T01:00:00Z';

function ready(status: 'True' | 'False', more: Partial<Condition> = {}) {
  const good = { reason: 'Succeeded', message: 'Everything in the spec is in effect' };
  const bad = { reason: 'ProjectNotFound', message: 'spec.project: there is no project "shop"' };
  const condition = { type: 'Ready', status, ...(status === 'True' ? good : bad), lastTransitionTime: NOW, ...more };
  const stalled = { ...condition, type: 'Stalled', status: 'True' };
  return { conditions: [stalled, condition] as Condition[] };
}

const good = ready('True');
const bad = ready('False');
const earlier = { lastTransitionTime: EARLIER };

test.each([
  ['the first status of a good object', undefined, good],
  ['a status without conditions, then good', {}, good],
  ['good, and good again', ready('True', earlier), good],
  ['bad, and bad again', ready('False', earlier), bad],
  ['bad for another reason', ready('False', { ...earlier, reason: 'NameConflict', message: 'taken' }), bad],
  ['a status without Ready', good, { conditions: [] }],
])('%s: none', (_, before, after) => {
  expect(readyTransition(before, after)).toBeUndefined();
});

test.each([
  ['the first status of a bad object', undefined, bad, 'Ready False after creation'],
  ['good, then bad', ready('True', earlier), bad, `Ready False after ${EARLIER}`],
])('%s: a Warning with the reason', (_, before, after, occurrence) => {
  const note = 'spec.project: there is no project "shop"';
  expect(readyTransition(before, after)).toEqual({ type: 'Warning', reason: 'ProjectNotFound', note, occurrence });
});

test('bad, then good: a Normal one', () => {
  const note = 'Everything in the spec is in effect';
  const occurrence = `Ready True after ${EARLIER}`;
  const want = { type: 'Normal', reason: 'Succeeded', note, occurrence };
  expect(readyTransition(ready('False', earlier), good)).toEqual(want);
});

test('the occurrence follows from the previous status, so that a repeat after a crash is the same', () => {
  const before = ready('True', earlier);
  const later = ready('False', { lastTransitionTime: '2026-01-01T02:00:00Z', reason: 'NameConflict' });
  expect(readyTransition(before, later)?.occurrence).toBe(readyTransition(before, bad)?.occurrence);
});
