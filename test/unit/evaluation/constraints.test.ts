/** The values that each operator evaluates to true, and those that it cannot read. */
import { expect, test } from 'vitest';
import { compileConstraint } from '../../../src/evaluation/constraint.ts';
import { readContext } from '../../../src/evaluation/context.ts';
import { aConstraint } from '../../support/evaluation/documents.ts';

const now = Date.UTC(2026, 10, 22, 12);

type Operand = string | readonly string[] | undefined;

function holds(operator: string, operand: Operand, value: unknown, more: object = {}): boolean {
  const given = Array.isArray(operand) ? { values: operand } : { value: operand as string };
  const constraint = compileConstraint(aConstraint({ contextName: 'x', operator, ...given, ...more }));
  return constraint.holds(readContext({ properties: { x: value } }, now));
}

test.each([
  ['IN', ['a', 'b'], 'b', true],
  ['IN', ['1'], 1, true],
  ['IN', ['true'], true, true],
  ['IN', ['[object Object]'], {}, false],
  ['IN', ['A'], 'a', false],
  ['NOT_IN', ['a'], undefined, true],
  ['NOT_IN', ['a'], null, true],
  ['STR_CONTAINS', ['b'], 'abc', true],
  ['STR_STARTS_WITH', [], 'abc', false],
  ['STR_ENDS_WITH', ['x', 'c'], 'abc', true],
  ['NUM_EQ', '12', '12.0', true],
  ['NUM_LTE', '1e3', '-Infinity', true],
  ['NUM_GTE', '1', '0x10', false],
  ['NUM_EQ', '0', '', false],
  ['DATE_AFTER', '2026-01-31T00:00:00Z', '2026-01-31T00:30:00+01:00', false],
  ['DATE_AFTER', '2026-01-30', '2026-01-31', true],
  ['DATE_BEFORE', '2026-01-31T00:00:00.000Z', '2026-01-30T23:59', true],
  ['DATE_AFTER', '2020-01-01', '2026-02-30', false],
  ['DATE_AFTER', '2020-01-01', 'Jan 1 2026', false],
  ['SEMVER_EQ', '1.2.3', '1.2.3+build', true],
  ['SEMVER_GT', '1.0.0-alpha', '1.0.0-alpha.1', true],
  ['SEMVER_GT', '1.0.0-2', '1.0.0-10', true],
  ['SEMVER_GT', '1.0.0-10', '1.0.0-a', true],
  ['SEMVER_GT', '1.0.0-rc.1', '1.0.0', true],
  ['SEMVER_GT', '9007199254740992.0.0', '9007199254740993.0.0', true],
  ['SEMVER_LTE', '1.2.3', '1.2.3', true],
  ['SEMVER_EQ', '1.2.3', 'v1.2.3', false],
  ['SEMVER_GT', '1.2.3', `2.0.0-${'a'.repeat(300)}`, false],
  ['REGEX', '^(?i)b+$', 'BBB', true],
  ['REGEX', '(?=a)', 'a', false],
  ['IN_CIDR', ['nope', '10.0.0.7/8'], '10.255.0.1', true],
  ['IN_CIDR', ['0.0.0.0/0'], '::1', false],
  ['IN_CIDR', ['::/0'], '1:2:3:4:5:6:1.2.3.4', true],
  ['IN_CIDR', ['2001:db8::/33'], '2001:db8:8000::', false],
  ['IN_CIDR', ['10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/8/8', '1.2.3', '::1::'], '10.0.0.0', false],
  ['IN_CIDR', ['::/0'], '1.2.3.4::', false],
  ['IN_CIDR', ['::/0'], ':1:2:3:4:5:6:7', false],
  ['NO_SUCH', ['a'], 'a', false],
] as const)('%s %j of %j is %j', (operator, operand, value, expected) => {
  expect(holds(operator, operand, value)).toBe(expected);
});

test.each([
  ['NUM_EQ', '5', 'five', true, 'the value is not a number'],
  ['NUM_EQ', '5', undefined, true, 'the context has no "x"'],
  ['NUM_EQ', 'five', '5', false, 'the operand is not a number'],
  ['DATE_AFTER', 'soon', '2026-01-01', false, 'the operand is not an ISO 8601 date'],
  ['SEMVER_EQ', undefined, '1.2.3', false, 'the operand is not a semantic version'],
  ['REGEX', '(', 'a', true, undefined],
  ['NO_SUCH', 'a', 'a', false, 'there is no such operator'],
] as const)('inverted, %s %j of %j is %j', (operator, value, seen, expected, problem) => {
  const constraint = aConstraint({ contextName: 'x', operator, inverted: true, ...(value && { value }) });
  const compiled = compileConstraint(constraint);
  expect(compiled.holds(readContext({ properties: { x: seen } }, now))).toBe(expected);
  expect(compiled.problemOf(seen)).toBe(problem);
});

test.each([
  ['NUM_EQ', '5', '1'],
  ['DATE_AFTER', '2026-01-01', '2'],
  ['SEMVER_GT', '1.2.3', '1.'],
  ['REGEX', '(a+)+$', 'a'],
  ['IN_CIDR', ['::/0'], '1:'],
  ['STR_CONTAINS', ['ab'], 'a'],
] as const)('%s of %j takes a time that is linear in the value', (operator, operand, part) => {
  expect(holds(operator, operand, `${part.repeat(300_000)}!`)).toBe(false);
});

test('a field hides the property of its name, null does not, and currentTime always exists', () => {
  const context = readContext({ userId: 'u', appName: null, properties: { userId: 'v', appName: 'a' } }, now);
  expect(Object.fromEntries(context)).toEqual({ userId: 'u', appName: 'a', currentTime: '2026-11-22T12:00:00.000Z' });
});

test('names of prototypes are ordinary names', () => {
  const context = readContext(JSON.parse('{"properties": {"__proto__": "a", "constructor": "b"}}'), now);
  const has = (contextName: string, value: string) =>
    compileConstraint(aConstraint({ contextName, values: [value] })).holds(context);
  expect([has('__proto__', 'a'), has('constructor', 'b'), has('toString', 'a')]).toEqual([true, true, false]);
});
