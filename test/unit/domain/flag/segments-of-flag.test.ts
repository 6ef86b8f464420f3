/** Whether a flag can use the segments that its strategies name, and the effect on the flag. */
import { expect, test } from 'vitest';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge/judge-flag.ts';
import { segmentNamesOf } from '../../../../src/domain/flag/segments-of-flag.ts';
import { isForFlagsOf, type SegmentLookups, usableSegment } from '../../../../src/domain/segment/segment-values.ts';
import { dependents } from '../dependents.ts';
import { flagObject, segmentObject } from '../objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const usable = { id: 1, name: 'beta', constraints: [] };

const flagWith = (...segments: readonly string[]) =>
  flagObject('home/flag', {
    environments: {
      production: { enabled: true, strategies: { some: { name: 'default', segments } } },
      development: { enabled: true, strategies: { all: { name: 'default' } } },
    },
  });

function judge(segments: SegmentLookups | undefined, ...names: readonly string[]) {
  const flag = flagWith(...names);
  const flagContext = { ...dependents(), segments };
  const effect = effectOf(flag, flagContext);
  const { status } = judgeFlag({ flag, flagContext, effect }, NOW);
  return {
    on: [...effect.enabledIn],
    state: status.conditions?.find(({ type }) => type !== 'Ready')?.type,
    reported: (status.problems ?? []).map(({ path, reason, message }) => `${path} ${reason}: ${message}`),
  };
}

const at = 'spec.environments.production.strategies.some.segments';
const missing = (name: string) =>
  `${at} SegmentNotFound: there is no segment "${name}" for flags of the project "shop" in namespace home: create it or remove this entry`;

test.each<[string, SegmentLookups | undefined, readonly string[], ReturnType<typeof judge>]>([
  ['no segment', undefined, [], { on: ['production', 'development'], state: undefined, reported: [] }],
  [
    'a segment that it can use',
    new Map([['beta', usable]]),
    ['beta'],
    { on: ['production', 'development'], state: undefined, reported: [] },
  ],
  [
    'a segment that is missing, beside one that it can use',
    new Map<string, typeof usable | 'not-found'>([
      ['beta', usable],
      ['gone', 'not-found'],
    ]),
    ['beta', 'gone'],
    { on: ['development'], state: 'Reconciling', reported: [missing('gone')] },
  ],
  [
    'a segment that nobody looked up',
    undefined,
    ['beta'],
    { on: ['development'], state: 'Reconciling', reported: [missing('beta')] },
  ],
  [
    'a segment with problems of its own',
    new Map([['beta', 'not-ready' as const]]),
    ['beta'],
    {
      on: ['development'],
      state: 'Reconciling',
      reported: [`${at} SegmentNotReady: the segment "beta" cannot be used yet: its own status says why`],
    },
  ],
])('a flag with %s', (_, segments, names, wanted) => {
  expect(judge(segments, ...names)).toEqual(wanted);
});

test('names of segments are collected once, over all environments', () => {
  const strategies = { a: { name: 'default', segments: ['x', 'y'] }, b: { name: 'default', segments: ['x'] }, c: null };
  const flag = flagObject('home/flag', { environments: { production: { strategies }, development: null } });
  expect([...segmentNamesOf(flag)]).toEqual(['x', 'y']);
});

test('a segment is not usable before it has an id, and not with an unreadable part', () => {
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
  const withId = { status: { id: 4 } };
  expect(usableSegment(segmentObject('home/beta', { name: 'Beta', constraints }, withId))).toEqual({
    ...{ id: 4, name: 'Beta', constraints },
  });
  expect(usableSegment(segmentObject('home/beta', { constraints }))).toBe('not-ready');
  expect(usableSegment(segmentObject('home/beta', { constraints: [{ operator: 'LIKE' }] }, withId))).toBe('not-ready');
});

test.each([
  ['operator namespace, no project', 'home/s', {}, ['away/shop', 'away/pay', 'home/shop']],
  ['operator namespace, a project', 'home/s', { project: 'shop' }, ['away/shop', 'home/shop']],
  ['another namespace, no project', 'away/s', {}, ['away/shop', 'away/pay']],
  ['another namespace, a project', 'away/s', { project: 'shop' }, ['away/shop']],
])('a segment in the %s applies', (_, place, spec, wanted) => {
  const places = ['away/shop', 'away/pay', 'home/shop'].map((one) => one.split('/'));
  const reached = places.filter(([namespace = '', projectId = '']) =>
    isForFlagsOf(segmentObject(place, spec), { namespace, projectId }, 'home'),
  );
  expect(reached.map((one) => one.join('/'))).toEqual(wanted);
});
