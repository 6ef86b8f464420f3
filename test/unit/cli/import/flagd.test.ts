/** Targeting of flagd: what its conditions and its branches mean. */
import { expect, test } from 'vitest';
import { readFlagd } from '../../../../cli/import/flagd/read-flagd.ts';
import { importedFlags } from '../../../support/imported-flags.ts';

const FLAG = { state: 'ENABLED', variants: { on: true, off: false } };

function imported(targeting: unknown, defaultVariant: string | undefined = 'off') {
  const flags = { f: { ...FLAG, defaultVariant, targeting } };
  return readFlagd({ flags }, { environment: 'production', project: undefined }, []);
}

const age = { var: 'age' };

// A number that the context does not have is 0 for flagd, so a flag must not be on where 0 keeps it off.
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
  const [object] = imported({ if: [condition, 'off', 'on'] }).objects;
  expect(object?.spec).toMatchObject({
    environments: { production: { strategies: { 'rule-1': { constraints: [constraint] } } } },
  });
  expect(JSON.stringify(object?.spec).includes('inverted')).toBe('inverted' in constraint);
});

const atExample = { in: ['@example.com', { var: ['email'] }] };
const half = {
  fractional: [
    ['on', 1],
    ['off', 1],
  ],
};

test.each([
  ['the last branch', { if: [atExample, 'on', null] }, { if: [atExample, 'on'] }],
  ['the last branch after a fractional', { if: [atExample, half, null] }, { if: [atExample, half] }],
  [
    'the last branch of a nested if',
    { if: [atExample, 'on', { if: [atExample, 'off', null] }] },
    { if: [atExample, 'on', { if: [atExample, 'off'] }] },
  ],
  ['the whole targeting', null, {}],
  ['the first branch', { if: [atExample, null, 'on'] }, { if: [atExample, 'off', 'on'] }],
])('null as %s is the default variant', (_, withNull, without) => {
  const [read, expected] = [imported(withNull), imported(without)];
  const adviceOf = ({ unmapped }: typeof read) => unmapped.map(({ advice }) => advice);
  expect([read.objects, adviceOf(read)]).toEqual([expected.objects, adviceOf(expected)]);
});

test('null as the last branch leaves the flag on for the users of the rule before it', () => {
  const { objects } = imported({ if: [atExample, 'on', null] });
  expect(objects[0]?.spec).toMatchObject({
    environments: {
      production: {
        enabled: true,
        strategies: { 'rule-1': { constraints: [{ contextName: 'email', operator: 'STR_CONTAINS' }] } },
      },
    },
  });
});

test('null as the first branch of a flag without a default variant is left out, and reported', () => {
  const flags = { f: { ...FLAG, targeting: { if: [atExample, null, 'on'] } } };
  const { unmapped } = readFlagd({ flags }, { environment: 'production', project: undefined }, []);
  expect(unmapped.map(({ advice }) => advice)).toContainEqual(expect.stringContaining('Vexil has no such rules.'));
});

test.each<[object, boolean]>([
  [{ country: 'de', plan: 'free' }, false],
  [{ country: 'de', plan: 'pro' }, true],
  [{ plan: 'free' }, true],
  [{}, true],
])('a rule that keeps users off by several comparisons: %j', async (context, expected) => {
  const when = { and: [{ '==': [{ var: 'country' }, 'de'] }, { '==': [{ var: 'plan' }, 'free'] }] };
  const flags = { f: { ...FLAG, defaultVariant: 'on', targeting: { if: [when, 'off'] } } };
  const { valueOf: value, unmapped } = await importedFlags(JSON.stringify({ flags }));
  expect(unmapped).toEqual([]);
  expect(value('f', { userId: 'u', ...context })).toBe(expected);
});
