/** The opposite of a condition holds for exactly those for whom the condition does not. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Alternatives,
  conjunction,
  disjunction,
  inverted,
  type Term,
} from '../../../../cli/import/rules/alternatives.ts';
import { filled, negated, numberExcept, oneOf, versionExcept } from '../../../../cli/import/rules/comparison.ts';
import { compileConstraint } from '../../../../src/evaluation/constraint.ts';
import { type Context, readContext } from '../../../../src/evaluation/context.ts';
import type { Constraint } from '../../../../src/schema/constraint.ts';

const comparison = fc.constantFrom<Pick<Constraint, 'operator' | 'value' | 'values'>>(
  { operator: 'IN', values: ['1', 'x'] },
  { operator: 'NUM_GT', value: '1' },
  { operator: 'SEMVER_LT', value: '1.2.3' },
);
const constraint: fc.Arbitrary<Constraint> = fc
  .record({ contextName: fc.constantFrom('a', 'b'), inverted: fc.boolean(), comparison })
  .map(({ comparison: compared, ...rest }) => ({ ...rest, ...compared }));
const term: fc.Arbitrary<Term> = fc.oneof(
  constraint,
  fc.array(constraint, { maxLength: 2 }).map((constraints) => ({ segment: 's', constraints })),
);
const alternatives: fc.Arbitrary<Alternatives> = fc.array(fc.array(term, { maxLength: 3 }), { maxLength: 3 });
const value = fc.option(fc.constantFrom('', '1', '2', 'x', '1.2.2', '1.2.3'), { nil: undefined });
const context = fc.record({ a: value, b: value }).map((given) => readContext(given, 0));

function holds(read: Alternatives | undefined, given: Context): boolean | undefined {
  return read?.some((terms) => terms.every((one) => ('segment' in one ? one.constraints.every(isTrue) : isTrue(one))));
  function isTrue({
    contextName,
    operator,
    value: operand = '',
    values,
    inverted: negates = false,
  }: Constraint): boolean {
    const one = { contextName, operator, value: operand, values: values ?? [], caseInsensitive: false };
    return compileConstraint({ ...one, inverted: negates }).holds(given);
  }
}

test('of any alternatives', () => {
  fc.assert(
    fc.property(alternatives, context, (given, user) => {
      const opposite = inverted(given);
      if (opposite) expect(holds(opposite, user)).toBe(!holds(given, user));
    }),
    { numRuns: 1000 },
  );
});

test('and both, or one of them, hold as said', () => {
  fc.assert(
    fc.property(alternatives, alternatives, context, (one, other, user) => {
      const [first, second] = [holds(one, user), holds(other, user)];
      expect(holds(conjunction([one, other]), user)).toBe(first && second);
      expect(holds(disjunction([one, other]), user)).toBe(first || second);
    }),
  );
});

test.each<[string, Alternatives | undefined, readonly (string | undefined)[]]>([
  ['a negation', negated('a', oneOf({ field: 'a', operator: 'IN', values: ['x'] })), ['', '1', '2', '1.2.2', '1.2.3']],
  ['text', filled('a'), ['1', '2', 'x', '1.2.2', '1.2.3']],
  ['a number', numberExcept('a', [2]), ['1']],
  ['a version', versionExcept('a', ['1.2.3']), ['1.2.2']],
])('%s holds for a field that is there alone', (_, read, expected) => {
  const values = [undefined, '', '1', '2', 'x', '1.2.2', '1.2.3'];
  expect(values.filter((a) => holds(read, readContext({ a }, 0)))).toEqual(expected);
});

test('more alternatives than a flag may have strategies are none', () => {
  const many = Array.from(
    { length: 6 },
    (_, index): Term => ({ contextName: `f${index}`, operator: 'IN', values: ['x'] }),
  );
  expect(conjunction([many.map((one) => [one]), many.map((one) => [one])])).toBeUndefined();
});
