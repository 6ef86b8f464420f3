/** Which configurations of a flag in two environments are alike. */
import { expect, test } from 'vitest';
import { isConfiguredAlike } from '../../../../src/domain/flag/compare-environments.ts';
import { flagObject } from '../objects.ts';

const rollout = (percent: number, more: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: percent, stickiness: 'default' },
  ...more,
});
const all = { name: 'default' };
const ada = { contextName: 'userId', operator: 'IN', values: ['ada'] };

test.each<[string, object, object, boolean]>([
  ['nothing', {}, {}, true],
  ['switches', { enabled: true }, { enabled: false }, true],
  ['keys', { strategies: { a: all } }, { strategies: { b: all } }, true],
  ['numbers of the same order', { strategies: { a: all } }, { strategies: { a: { ...all, sortOrder: 7 } } }, true],
  [
    'the order of parameters and segments',
    { strategies: { a: rollout(5, { segments: ['x', 'y'] }) } },
    {
      strategies: {
        a: { name: 'flexibleRollout', parameters: { stickiness: 'default', rollout: 5 }, segments: ['y', 'x'] },
      },
    },
    true,
  ],
  ['percentages', { strategies: { a: rollout(5) } }, { strategies: { a: rollout(6) } }, false],
  [
    'the order of strategies',
    { strategies: { a: all, b: rollout(5) } },
    { strategies: { a: { ...all, sortOrder: 2 }, b: rollout(5) } },
    false,
  ],
  ['constraints', { strategies: { a: all } }, { strategies: { a: { ...all, constraints: [ada] } } }, false],
  ['segments', { strategies: { a: all } }, { strategies: { a: { ...all, segments: ['x'] } } }, false],
  ['disabled', { strategies: { a: all } }, { strategies: { a: { ...all, disabled: true } } }, false],
  ['variants', { variants: [{ name: 'a' }] }, { variants: [{ name: 'b' }] }, false],
  ['windows', { activeFrom: '2030-01-01T00:00:00Z' }, {}, false],
])('%s', (_, one, other, isAlike) => {
  const flag = flagObject('home/flag', { environments: { one, other } });
  expect(isConfiguredAlike(flag, 'one', 'other')).toBe(isAlike);
});

test('variants of the flag apply if an environment has none', () => {
  const variants = [{ name: 'a' }];
  const flag = flagObject('home/flag', { variants, environments: { one: { variants } } });
  expect(isConfiguredAlike(flag, 'one', 'other')).toBe(true);
});
