/** Edits of a segment, and the environments that they affect. */
import { describe, expect, test } from 'vitest';
import { touchedBySegment } from '../../../../src/domain/flag/edit/environments-touched.ts';
import { changeSegment, type SegmentChange } from '../../../../src/domain/segment/edit-segment.ts';
import type { SegmentSpec } from '../../../../src/schema/segment.ts';
import { segmentObject } from '../objects.ts';

const constraint = { contextName: 'age', operator: 'NUM_GT', value: '17' } as const;
const spec: SegmentSpec = { description: 'd', project: 'shop', constraints: [constraint] };
const changed = (change: SegmentChange, from: object = spec) => changeSegment(segmentObject('home/s', from), change);

describe('a change', () => {
  test.each<[string, SegmentChange, SegmentSpec]>([
    ['of nothing', {}, spec],
    ['that says the same in other words', { constraints: [{ ...constraint, values: [] }] }, spec],
    ['of the description', { description: 'e' }, { ...spec, description: 'e' }],
    ['that removes description and project', { description: null, project: null }, { constraints: [constraint] }],
    ['of the constraints', { constraints: [] }, { ...spec, constraints: [] }],
  ])('%s', (_, change, want) => {
    expect(changed(change)).toEqual(want);
  });

  test('without an effect returns the same spec', () => {
    const segment = segmentObject('home/s', spec);
    expect(changeSegment(segment, { ...spec, constraints: [constraint] })).toBe(segment.spec);
  });

  test('of constraints with an unreadable part is refused, of the description is not', () => {
    const odd = { constraints: [{ contextName: 'age', operator: 'NUM_GT', value: 'x' }] };
    expect(() => changed({ constraints: [], description: 'e' }, odd)).toThrow(
      'Cannot change the constraints of "s": spec.constraints.0 cannot be read',
    );
    expect(changed({ description: 'e' }, odd)).toMatchObject({ description: 'e' });
  });
});

test.each<[string, SegmentSpec | undefined, SegmentSpec | undefined, readonly string[] | 'all']>([
  ['a new segment', undefined, spec, 'all'],
  ['a deleted one', spec, undefined, 'all'],
  ['other constraints', spec, { ...spec, constraints: [] }, 'all'],
  ['another project', spec, { ...spec, project: 'pay' }, 'all'],
  ['another description', spec, { ...spec, description: 'e' }, []],
  ['no constraints, and an empty list', {}, { constraints: [] }, []],
])('the environments that %s affects', (_, before, after, want) => {
  expect(touchedBySegment({ before, after })).toEqual(want);
});
