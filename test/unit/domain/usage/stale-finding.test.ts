/** The finding about the removal of a flag that follows from its use. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findStale, type StaleReason } from '../../../../src/domain/usage/stale-finding.ts';
import { flagTypes } from '../../../../src/schema/feature-flag.ts';
import { asked, daysAgo, NOW, onFor, rules, subject } from './subject.ts';

type Row = readonly [
  what: string,
  of: ReturnType<typeof subject>,
  want: readonly [reason: StaleReason, days: number, keep: boolean | null] | undefined,
];

const yes = (first: number, last = 0) => asked('production', { yes: [first, last] });
const no = (first: number, last = 0) => asked('production', { no: [first, last] });
const twoVariants = { variants: [{ name: 'a' }, { name: 'b' }] };
const narrow = (strategy: object) => ({
  environments: { production: { enabled: true, strategies: { one: { name: 'default', ...strategy } } } },
});
const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];

test.each<Row>([
  ['asked for nowhere since it was created', subject({}), ['NeverUsed', 100, null]],
  ['new, and not asked for yet', subject({}, { creationTimestamp: '2026-05-20T00:00:00Z' }), undefined],
  ['asked for nowhere for 31 days', subject({}, { usage: [yes(90, 31)] }), ['Unused', 31, null]],
  ['asked for 29 days ago', subject({}, { usage: [yes(90, 29)] }), undefined],
  [
    'with a lifetime of its own that is shorter',
    subject({ lifetimeDays: 7 }, { usage: [no(90, 8)] }),
    ['Unused', 8, null],
  ],
  ['with a lifetime of its own that is longer', subject({ lifetimeDays: 200 }, { usage: [no(90, 31)] }), undefined],
  ['of a type with more days', subject({ type: 'permission' }, { usage: [no(95, 31)] }), undefined],
  ['not asked for, and others depend on it', subject({}, { dependents: ['child'] }), ['DependedOn', 100, null]],
  ['only yes, and on for everyone', subject(onFor(100), { usage: [yes(40)] }), ['AlwaysOn', 40, true]],
  ['only yes, and on for half of the users', subject(onFor(50), { usage: [yes(40)] }), undefined],
  ['only yes for 29 days', subject(onFor(100), { usage: [yes(29)] }), undefined],
  [
    'only yes since a no of 35 days ago',
    subject(onFor(100), { usage: [asked('production', { yes: [60, 0], no: [60, 35] })] }),
    ['AlwaysOn', 35, true],
  ],
  [
    'yes beside a no of yesterday',
    subject(onFor(100), { usage: [asked('production', { yes: [60, 0], no: [60, 1] })] }),
    undefined,
  ],
  ['only yes, with constraints', subject(narrow({ constraints }), { usage: [yes(40)] }), undefined],
  ['only yes, with a segment', subject(narrow({ segments: ['beta'] }), { usage: [yes(40)] }), undefined],
  ['only yes, by a disabled strategy', subject(narrow({ disabled: true }), { usage: [yes(40)] }), undefined],
  ['only yes, with two variants', subject({ ...onFor(100), ...twoVariants }, { usage: [yes(40)] }), undefined],
  [
    'only yes, with a parent',
    subject({ ...onFor(100), dependencies: [{ feature: 'p' }] }, { usage: [yes(40)] }),
    undefined,
  ],
  ['only no', subject({}, { usage: [no(40)] }), ['AlwaysOff', 40, false]],
  ['only no, outside production', subject({}, { usage: [asked('development', { no: [40, 0] })] }), undefined],
  [
    'only no in production, and others elsewhere',
    subject({}, { usage: [no(40), asked('development', { yes: [9, 0] })] }),
    ['AlwaysOff', 40, false],
  ],
  ['archived and asked for', subject({ archived: true }, { usage: [no(40)] }), ['ArchivedInUse', 0, null]],
  ['archived and not asked for since yesterday', subject({ archived: true }, { usage: [no(40, 2)] }), undefined],
  ['a kill switch that only says no', subject({ type: 'kill-switch' }, { usage: [no(95)] }), undefined],
  [
    'a kill switch that nobody asked for',
    subject({ type: 'kill-switch' }, { usage: [no(99, 91)] }),
    ['Unused', 91, null],
  ],
])('a flag %s', (_, of, want) => {
  const found = findStale(of, rules);
  expect(found && [found.reason, found.days, found.keep]).toEqual(want);
});

test('the evidence has its numbers', () => {
  const usage = [yes(40), asked('development', { no: [50, 9] })];
  expect(findStale(subject(onFor(100), { usage, dependents: ['child'] }), rules)).toEqual({
    reason: 'AlwaysOn',
    since: daysAgo(40),
    days: 40,
    usage,
    applications: ['shop', 'web'],
    dependents: ['child'],
    advice: 'Remove the flag and keep the code behind it.',
    keep: true,
  });
});

test('there is no finding before SDKs have reported for long enough, nor for a time without any report', () => {
  const of = subject({}, { usage: [yes(90, 40)] });
  const during = (since: number, until: number) =>
    [of, subject({})].map(
      (one) => findStale(one, { ...rules, measured: { since: daysAgo(since), until: daysAgo(until) } })?.reason,
    );
  expect(during(95, 0)).toEqual(['Unused', 'NeverUsed']);
  expect(during(29, 0)).toEqual(['Unused', undefined]);
  expect(during(95, 39)).toEqual([undefined, 'NeverUsed']);
  expect(findStale(subject({}), { ...rules, measured: undefined })).toBeUndefined();
});

const when = fc.tuple(fc.integer({ min: 0, max: 150 }), fc.integer({ min: 0, max: 150 })).map(([one, other]) => {
  return [Math.max(one, other), Math.min(one, other)] as const;
});
const anySubject = fc
  .record({
    type: fc.constantFrom(...flagTypes),
    share: fc.constantFrom(0, 50, 100),
    archived: fc.boolean(),
    answers: fc.array(
      fc.tuple(fc.constantFrom('development', 'production'), fc.record({ yes: when, no: when }, { requiredKeys: [] })),
      { maxLength: 2 },
    ),
    dependents: fc.subarray(['one', 'two']),
  })
  .map(({ type, share, archived, answers, dependents }) =>
    subject(
      { type, archived, ...onFor(share) },
      {
        dependents,
        usage: answers
          .filter(([, { yes: some, no: others }]) => some || others)
          .map(([environment, days]) => asked(environment, days)),
      },
    ),
  );

test('for any flag, a parent is never unused, and a kill switch or permission never one-sided', () => {
  const reasons = new Set<string>();
  fc.assert(
    fc.property(anySubject, (of) => {
      const found = findStale(of, rules);
      if (!found) return;
      reasons.add(found.reason);
      if (of.dependents.length > 0) expect(['NeverUsed', 'Unused']).not.toContain(found.reason);
      if (['kill-switch', 'permission'].includes(of.flag.spec.type ?? ''))
        expect(['AlwaysOn', 'AlwaysOff']).not.toContain(found.reason);
      // A finding always has its numbers.
      expect(found.since).toBeLessThanOrEqual(NOW);
      expect(found.days).toBe(Math.floor((NOW - found.since) / 86_400_000));
      expect(found.keep === null).toBe(!['AlwaysOn', 'AlwaysOff'].includes(found.reason));
    }),
    { seed: 1, numRuns: 3000 },
  );
  expect([...reasons].sort()).toEqual(['AlwaysOff', 'AlwaysOn', 'ArchivedInUse', 'DependedOn', 'NeverUsed', 'Unused']);
});
