/** The stored form of a strategy that a caller changes. */
import { expect, test } from 'vitest';
import {
  emptiesStickiness,
  type StrategyFields,
  withDefaultStickiness,
  writeFields,
} from '../../../../src/domain/flag/strategy-fields.ts';

const fields: StrategyFields = {
  name: 'default',
  title: null,
  disabled: false,
  sortOrder: 0,
  parameters: {},
  constraints: [],
  segments: [],
  ramp: null,
  variants: [],
};
const sticky = (stickiness: string) => ({ ...fields, parameters: { stickiness } });

test('only differences are written, and an absent field with the value stays absent', () => {
  const strategy = { name: 'default', disabled: false };
  expect(writeFields(strategy, { before: fields, after: fields })).toEqual(strategy);
  const after = { ...fields, title: 'Staff', sortOrder: 3 };
  expect(writeFields(strategy, { before: fields, after })).toEqual({ ...strategy, title: 'Staff', sortOrder: 3 });
});

test('the weight of a variable variant is not stored, that of a fixed one is', () => {
  const variants = [
    { name: 'a', weight: 600 },
    { name: 'b', weight: 400, weightType: 'fix' as const },
  ];
  expect(writeFields({ name: 'default' }, { before: fields, after: { ...fields, variants } })).toEqual({
    name: 'default',
    variants: [{ name: 'a' }, { name: 'b', weight: 400, weightType: 'fix' }],
  });
});

test('an empty stickiness of a new strategy becomes the default', () => {
  expect(withDefaultStickiness({ rollout: 5, stickiness: '' })).toEqual({ rollout: 5, stickiness: 'default' });
  expect(withDefaultStickiness({ stickiness: 'userId' })).toEqual({ stickiness: 'userId' });
  expect(withDefaultStickiness({})).toEqual({});
});

test.each<[string, StrategyFields, StrategyFields, boolean]>([
  ['taken away', sticky('userId'), sticky(''), true],
  ['emptied where there was none', fields, sticky(''), true],
  ['empty already', sticky(''), sticky(''), false],
  ['removed', sticky('userId'), fields, false],
])('stickiness %s', (_, before, after, wanted) => {
  expect(emptiesStickiness({ before, after })).toBe(wanted);
});
