/** Null as a branch of flagd's `if`: the default variant. */
import { expect, test } from 'vitest';
import { readFlagd } from '../../../cli/import/flagd/read-flagd.ts';

const atExample = { in: ['@example.com', { var: ['email'] }] };
const half = {
  fractional: [
    ['on', 1],
    ['off', 1],
  ],
};

function imported(targeting: unknown, defaultVariant: string | undefined = 'off') {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant, targeting };
  return readFlagd({ flags: { f: flag } }, { environment: 'production', project: undefined }, []);
}

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

test('the sample is on for the users of its rule', () => {
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
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, targeting: { if: [atExample, null, 'on'] } };
  const { unmapped } = readFlagd({ flags: { f: flag } }, { environment: 'production', project: undefined }, []);
  expect(unmapped.map(({ advice }) => advice)).toContainEqual(expect.stringContaining('Vexil has no such rules.'));
});
