/** The status of a segment. */
import { expect, test } from 'vitest';
import { judgeSegment, type SegmentInContext } from '../../../../src/domain/segment/judge-segment.ts';
import { segmentObject } from '../objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const other = { namespace: 'home', name: 'older' };

function judge(spec: object = {}, context: Partial<SegmentInContext> = {}) {
  const segment = segmentObject('home/beta', spec);
  const known = {
    conflictingOwner: undefined,
    idConflictWith: undefined,
    duplicates: [],
    environments: [],
    project: { exists: true },
  };
  const { status } = judgeSegment({ segment, id: 7, flags: 2, ...known, ...context }, NOW);
  return {
    id: status.id,
    flags: status.flags,
    state: status.conditions?.find(({ type }) => type !== 'Ready')?.type,
    reported: (status.problems ?? []).map(({ path, reason, message }) => `${path} ${reason}: ${message}`),
  };
}

const fine = { id: 7, flags: 2, state: undefined, reported: [] };
const constraint = { contextName: 'userId', operator: 'IN', values: ['1'] };

test.each<[string, Parameters<typeof judge>, Partial<ReturnType<typeof judge>>]>([
  ['without a spec', [], {}],
  ['with constraints', [{ constraints: [constraint], project: 'shop' }], {}],
  [
    'whose name another has',
    [{}, { id: undefined, conflictingOwner: other, flags: 0 }],
    {
      ...{ id: undefined, flags: 0, state: 'Stalled' },
      reported: [
        'spec.name NameConflict: the segment name "beta" is owned by the older object home/older: delete one of the two',
      ],
    },
  ],
  [
    'whose name belongs to another namespace',
    [{}, { conflictingOwner: { namespace: 'away' } }],
    {
      state: 'Stalled',
      reported: ['spec.name NameConflict: the segment name "beta" belongs to the namespace away: choose another name'],
    },
  ],
  [
    'whose name another wants',
    [{}, { duplicates: [other] }],
    {
      reported: [
        'spec.name DuplicateName: home/older has the same segment name "beta" and has no effect: ask its owner to delete or rename it',
      ],
    },
  ],
  [
    'whose id another has',
    [{ id: 3 }, { id: undefined, idConflictWith: other }],
    {
      ...{ id: undefined, state: 'Stalled' },
      reported: ['spec.id IdConflict: the id 3 is owned by home/older: leave spec.id out, or choose another'],
    },
  ],
  [
    'of a project that does not exist',
    [{ project: 'shop' }, { project: { exists: false } }],
    {
      state: 'Reconciling',
      reported: ['spec.project ProjectNotFound: there is no project "shop" in namespace home: create it there'],
    },
  ],
  [
    'of a project in another namespace',
    [{ project: 'shop' }, { project: { exists: false, elsewhere: 'away' } }],
    {
      state: 'Reconciling',
      reported: [
        'spec.project ProjectNotFound: the project "shop" is in namespace away and this segment is not: create the segment there, or under another project',
      ],
    },
  ],
  [
    'with a value that SDKs disagree about',
    [{ constraints: [constraint, { contextName: 'age', operator: 'NUM_GT', value: '.5' }] }],
    {
      reported: [
        'spec.constraints.1.value ClientsDisagree: the operators NUM_… need a number that begins with a digit, such as 0.5, in value',
      ],
    },
  ],
  [
    'with a value that SDKs cannot be sent',
    [{ constraints: [constraint, { contextName: 'age', operator: 'NUM_GT', value: '1e400' }] }],
    {
      state: 'Stalled',
      reported: [
        'spec.constraints.1.value ClientsDisagree: SDKs disagree about the number 1e400, which is too large; flags cannot use the segment',
      ],
    },
  ],
  [
    'with an address that is none',
    [{ constraints: [{ contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8', 'here'] }] }],
    {
      reported: [
        'spec.constraints.0.values ClientsDisagree: SDKs skip here: write an address or a range such as 10.0.0.0/8',
      ],
    },
  ],
])('a segment %s', (_, parts, wanted) => {
  expect(judge(...parts)).toEqual({ ...fine, ...wanted });
});

test('a segment with a constraint that cannot be read is Stalled', () => {
  const { state, reported } = judge({ constraints: [{ ...constraint, operator: 'LIKE' }] });
  expect([state, reported.map((one) => one.split(':')[0])]).toEqual([
    'Stalled',
    ['spec.constraints.0.operator InvalidSpec'],
  ]);
});
