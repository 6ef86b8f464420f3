/** A number that the context does not have is 0 for flagd, so a flag must not be on where 0 keeps it off. */
import { expect, test } from 'vitest';
import { readFlagd } from '../../../cli/import/flagd/read-flagd.ts';

const age = { var: 'age' };

function constraintsFor(targeting: unknown) {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off', targeting };
  const [object] = readFlagd({ flags: { f: flag } }, { environment: 'production', project: undefined }, []).objects;
  return object?.spec;
}

test.each([
  [{ '<': [age, 18] }, { operator: 'NUM_GTE' }],
  [{ '<=': [age, 18] }, { operator: 'NUM_GT' }],
  [{ '>': [age, -1] }, { operator: 'NUM_LTE' }],
  [{ '>=': [age, 0] }, { operator: 'NUM_LT' }],
  [{ '<': [age, 0] }, { operator: 'NUM_LT', inverted: true }],
  [{ '>': [age, 18] }, { operator: 'NUM_GT', inverted: true }],
  [{ '==': [age, 0] }, { operator: 'NUM_EQ', inverted: true }],
  [{ '!': { '>=': [age, 18] } }, { operator: 'NUM_GTE' }],
  [{ '!': { '<': [age, 18] } }, { operator: 'NUM_GTE', inverted: true }],
])('users who are not kept off by %j', (condition, constraint) => {
  expect(constraintsFor({ if: [condition, 'off', 'on'] })).toMatchObject({
    environments: { production: { strategies: { 'rule-1': { constraints: [constraint] } } } },
  });
  const place = JSON.stringify(constraintsFor({ if: [condition, 'off', 'on'] }));
  expect(place.includes('inverted')).toBe('inverted' in constraint);
});
