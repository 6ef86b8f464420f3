/** The groups of events that the history of a flag can be filtered by. */
import { expect, test } from 'vitest';
import { KINDS } from '../../../console/src/editor/history/kinds.ts';
import { auditEventTypes } from '../../../src/domain/history/event-types.ts';

test('each event of a flag is in one group', () => {
  const grouped = Object.values(KINDS).flatMap(({ types }) => [...types]);
  const ofFlags = auditEventTypes.filter((type) => type.startsWith('feature-') || type === 'strategy-order-changed');
  expect(grouped.toSorted()).toEqual(ofFlags.toSorted());
});
