/** The drafts of the editor: weights as the operator computes them, and the values that forms send. */
import { afterEach, describe, expect, test } from 'vitest';
import { constraintOf, draftOfConstraint } from '../../../console/src/editor/draft/constraint-draft.ts';
import { changedStrategy, draftOfStrategy } from '../../../console/src/editor/draft/strategy-draft.ts';
import { draftOfTime, timeOf } from '../../../console/src/editor/draft/time-draft.ts';
import {
  draftOfVariant,
  newVariant,
  variantOf,
  weightProblem,
  weightsOf,
} from '../../../console/src/editor/draft/variant-draft.ts';
import { fieldChanges } from '../../../console/src/editor/history/field-changes.ts';
import { weigh } from '../../../src/domain/flag/variants.ts';

const fixed = (name: string, percent: string) => ({ ...newVariant('default'), name, isFixed: true, percent });
const sharing = (name: string) => ({ ...newVariant('default'), name });

test.each([
  [[sharing('a'), sharing('b'), sharing('c')]],
  [[fixed('a', '12.5'), sharing('b'), sharing('c')]],
  [[fixed('a', '0.1'), fixed('b', '99.8'), sharing('c')]],
])('the shares of variants are those of SDKs, and add up to 100 %%', (variants) => {
  const weighed = weigh(variants.map((one) => ({ name: one.name, ...pick(variantOf(one)) })));
  expect(weightsOf(variants)).toEqual(weighed.map(({ weight }) => weight));
  expect(weightsOf(variants).reduce((sum, weight) => sum + weight)).toBe(1000);
});

const pick = ({ weightType = 'variable', weight }: ReturnType<typeof variantOf>) => {
  return { weightType, ...(weight !== undefined && { weight }) };
};

test.each([
  [[], undefined],
  [[sharing('a')], undefined],
  [[fixed('a', '100')], 'At least one variant'],
  [[fixed('a', '60'), fixed('b', '40'), sharing('c')], 'add up to 100 %'],
])('weights that cannot add up to 100 % are a problem', (variants, problem) => {
  if (problem === undefined) expect(weightProblem(variants)).toBeUndefined();
  else expect(weightProblem(variants)).toContain(problem);
});

test('an unchanged variant is sent as it was read', () => {
  const overrides = [{ contextName: 'userId', values: ['a, b', 'c'] }];
  const stored = { name: 'a', weight: 125, weightType: 'fix' as const, stickiness: 'userId', overrides };
  const payload = { type: 'json' as const, value: '{}' };
  expect(variantOf(draftOfVariant({ ...stored, payload }))).toEqual({ ...stored, payload });
});

test.each([
  [{ contextName: 'userId', operator: 'IN' as const, values: ['a, b', 'c'], inverted: true }],
  [{ contextName: 'mail', operator: 'STR_CONTAINS' as const, values: ['@'], caseInsensitive: true }],
  [{ contextName: 'age', operator: 'NUM_GT' as const, values: [], value: '5' }],
])('an unchanged constraint is sent as it was read', (constraint) => {
  expect(constraintOf(draftOfConstraint(constraint))).toEqual(constraint);
});

describe('times in forms', () => {
  const { TZ: zone } = process.env;
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  const chosen = (text: string) => timeOf({ stored: undefined, text, isIncomplete: false });

  test.each([
    ['Europe/Berlin', '2031-12-01T08:00', '2031-12-01T08:00:00+01:00'],
    ['Europe/Berlin', '2031-07-01T08:00:30', '2031-07-01T08:00:30+02:00'],
    ['America/St_Johns', '2031-12-01T08:00', '2031-12-01T08:00:00-03:30'],
    ['UTC', '2031-12-01T08:00', '2031-12-01T08:00:00+00:00'],
    // The clock is set from 2 to 3 o'clock.
    ['Europe/Berlin', '2031-03-30T02:30', '2031-03-30T03:30:00+02:00'],
  ])('in %s, %s is %s', (timeZone, text, expected) => {
    process.env['TZ'] = timeZone;
    expect(chosen(text)).toBe(expected);
    expect(draftOfTime(expected).text).toBe(expected.slice(0, 16 + (text.length > 16 ? 3 : 0)));
  });

  test.each(['2031-12-01T08:00:00.123Z', '2031-12-01T23:59:59+05:30'])('%s is sent as it was read', (stored) => {
    expect(timeOf(draftOfTime(stored))).toBe(stored);
  });
});

test('an unchanged ramp is not sent, and a changed one keeps its pause', () => {
  const ramp = { startAt: '2031-12-01T08:00:00Z', steps: [{ rollout: 5, for: '1h' }, { rollout: 100 }] };
  const more = { constraints: [], variants: [], segments: [], parameters: {}, sortOrder: 0, disabled: false };
  const paused = { ...ramp, pausedAt: '2031-12-01T08:30:00Z' };
  const before = draftOfStrategy({ ...more, id: 'a', name: 'flexibleRollout', title: null, ramp: paused });
  expect(changedStrategy(before, { ...before })).toBeUndefined();
  expect(changedStrategy(before, { ...before, title: 'new' })).not.toHaveProperty('ramp');
  const { ramp: draft } = before;
  const start = draft && { ...draft, start: draftOfTime('2031-12-02T08:00:00Z') };
  expect(changedStrategy(before, { ...before, ramp: start })?.ramp).toEqual({
    ...paused,
    startAt: '2031-12-02T08:00:00Z',
  });
  expect(changedStrategy(before, { ...before, ramp: undefined })?.ramp).toBeNull();
});

test('a freeze in the history is a sentence', () => {
  const freeze = { name: 'load-test', from: '2026-12-01T00:00:00Z', until: '2026-12-04T00:00:00Z', reason: 'Calm' };
  const [change] = fieldChanges({}, { freezes: [freeze] }, String);
  expect(change?.after).toMatch(/^load-test from .*2026.* until .*2026.* \(Calm\)$/);
});

test('the changes of an event are the fields that differ', () => {
  const before = { name: 'x', parameters: { rollout: 10, groupId: 'g' }, segments: [1], title: null };
  const after = { name: 'x', parameters: { rollout: 20, groupId: 'g' }, segments: [1, 2], title: 'new' };
  expect(fieldChanges(before, after, (id) => `segment-${id}`)).toEqual([
    { path: 'parameters.rollout', before: '10', after: '20' },
    { path: 'segments', before: 'segment-1', after: 'segment-1, segment-2' },
    { path: 'title', before: undefined, after: 'new' },
  ]);
});
