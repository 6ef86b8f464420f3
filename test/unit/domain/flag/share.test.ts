/** The share of users that the strategies of an environment choose. */
import { expect, test } from 'vitest';
import { isOnForEveryone, shareOf, sizeOf } from '../../../../src/domain/flag/share.ts';
import { NO_PAUSES } from '../../../../src/domain/freeze/pauses.ts';
import type { Strategy } from '../../../../src/schema/strategy.ts';
import { flagObject } from '../objects.ts';

const at = Date.parse('2026-03-05T10:00:00Z');
const gradual = (rollout: number | string): Strategy => ({ name: 'flexibleRollout', parameters: { rollout } });
const steps = [{ rollout: 5, for: '24h' }, { rollout: 25, for: '48h' }, { rollout: 100 }];
const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['ada'] }];

test.each<[string, readonly Strategy[], number, boolean]>([
  ['none without a strategy', [], 0, false],
  ['everyone by default', [{ name: 'default' }], 100, false],
  ['a percentage', [gradual(25)], 25, false],
  ['a percentage as text, with decimals', [gradual('25.9')], 25, false],
  ['the widest of several', [gradual(25), gradual(60)], 60, false],
  ['the percentage of an older type', [{ name: 'gradualRolloutRandom', parameters: { percentage: '10' } }], 10, false],
  ['no strategy that is disabled', [gradual(25), { name: 'default', disabled: true }], 25, false],
  ['users with a property', [{ name: 'default', constraints }], 0, true],
  ['users of a segment, and a percentage', [{ name: 'default', segments: ['staff'] }, gradual(25)], 25, true],
  ['everyone, whatever others choose', [{ name: 'default', constraints }, { name: 'default' }], 100, false],
  ['none by a percentage of 0 with a property', [{ ...gradual(0), constraints }], 0, false],
  ['users of another type', [{ name: 'userWithId', parameters: { userIds: 'ada' } }], 0, true],
  ['users of a type named like a member of each object', [{ name: 'constructor' }], 0, true],
  ['the present step of a ramp', [{ ...gradual(0), ramp: { startAt: '2026-03-04T11:00:00Z', steps } }], 5, false],
])('is %s', (_, strategies, percent, targeted) => {
  const keyed = Object.fromEntries(strategies.map((strategy, index) => [`s${index}`, strategy]));
  expect(shareOf({ strategies: keyed }, { at, pauses: NO_PAUSES })).toEqual({ percent, targeted });
});

test.each([
  ['none', { share: { percent: 100, targeted: false }, inEffect: false }],
  ['none', { share: { percent: 0, targeted: false }, inEffect: true }],
  ['part', { share: { percent: 0, targeted: true }, inEffect: true }],
  ['part', { share: { percent: 99, targeted: false }, inEffect: true }],
  ['everyone', { share: { percent: 100, targeted: false }, inEffect: true }],
] as const)('a switch is on for %s: %j', (size, state) => {
  expect(sizeOf(state)).toBe(size);
});

test.each<[boolean, Strategy]>([
  [true, { name: 'default' }],
  [true, gradual('100.0')],
  [false, gradual(99)],
  [false, { name: 'ours', parameters: { '': '100' } }],
  [false, { name: 'constructor', parameters: { '': '100' } }],
])('is on for everyone: %s, with %j', (everyone, strategy) => {
  const flag = flagObject('home/f', { environments: { production: { enabled: true, strategies: { one: strategy } } } });
  expect(isOnForEveryone(flag, 'production')).toBe(everyone);
});
