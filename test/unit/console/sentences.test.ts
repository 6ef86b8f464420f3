/** Strategies as sentences, which contain everything that decides. */
import { expect, test } from 'vitest';
import {
  audienceText,
  constraintText,
  dependencyText,
  strategySentence,
} from '../../../console/src/feature/sentences.ts';

type Strategy = Parameters<typeof strategySentence>[0];

const all: Strategy = {
  ...{ id: 'id', name: 'default', title: null, disabled: false, sortOrder: 0, parameters: {} },
  ...{ constraints: [], variants: [], segments: [] },
};
const rollout = { name: 'flexibleRollout', parameters: { rollout: 5, stickiness: 'userId' } };
const variant = { name: 'red', weight: 1000, weightType: 'variable', stickiness: 'default', overrides: [] } as const;
const ada = { contextName: 'userId', operator: 'IN', values: ['ada', 'lin'] } as const;
const mail = { contextName: 'mail', operator: 'STR_ENDS_WITH', values: ['@x.org'], caseInsensitive: true } as const;
const names = new Map([[7, 'beta users']]);
const nameOf = (id: number) => names.get(id) ?? `${id}`;

test.each<[Partial<Strategy>, string]>([
  [{}, 'On for everyone.'],
  [rollout, 'On for 5 % of users by userId.'],
  [{ ...rollout, parameters: { rollout: '100', stickiness: 'userId' } }, 'On for everyone with a userId.'],
  [{ ...rollout, parameters: { rollout: 100 } }, 'On for everyone.'],
  [{ ...rollout, parameters: { rollout: 5, stickiness: 'random' } }, 'On for 5 % of users by chance.'],
  [{ name: 'userWithId', parameters: { userIds: '1,7, 42' } }, 'On for users by userWithId (userIds 1, 7, 42).'],
  [{ title: 'Pilot', disabled: true }, 'Pilot: Disabled: On for everyone.'],
  [{ segments: [7, 8] }, 'On for everyone, if in segment beta users and in segment 8.'],
  [{ variants: [{ ...variant, overrides: [] }] }, 'On for everyone, with the variants red 100 %.'],
  [{ constraints: [{ ...ada, values: ['ada', 'lin'] }] }, 'On for everyone, if userId is one of ada, lin.'],
])('%j', (part, sentence) => {
  expect(strategySentence({ ...all, ...part }, nameOf)).toBe(sentence);
});

test('a ramp shows its percentage now', () => {
  expect(strategySentence({ ...all, ...rollout }, nameOf, 25)).toBe('On for 25 % of users by userId.');
});

test('an audience names the share of each strategy that is not disabled', () => {
  const staff = { ...all, id: 'b', segments: [7] };
  const some = [{ ...all, ...rollout }, staff];
  expect(audienceText(some, [], nameOf)).toBe('5 % of users by userId, and segment beta users');
  const ramp = { strategyId: all.id, state: 'Running', rollout: 25, step: 2, nextChangeAt: null } as const;
  expect(audienceText(some.slice(0, 1), [ramp], nameOf)).toBe('25 % of users by userId');
  expect(audienceText([{ ...all, disabled: true }], [], nameOf)).toBe('nobody');
});

test('constraints name case-insensitivity and inversion', () => {
  const constraint = { ...mail, values: ['@x.org'] };
  expect(constraintText(constraint)).toBe('mail ends with @x.org (in any case)');
  expect(constraintText({ ...constraint, inverted: true })).toBe('not (mail ends with @x.org (in any case))');
});

test('dependencies name the variants that count', () => {
  expect(dependencyText({ feature: 'a', enabled: true, variants: ['x', 'y'] })).toBe('must be on with x or y');
  expect(dependencyText({ feature: 'a', enabled: false })).toBe('must be off');
});
