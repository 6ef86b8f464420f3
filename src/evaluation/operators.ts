/** The comparisons that constraints can make. */
import { compileRanges } from './address.ts';
import type { ClientConstraint } from './client-document.ts';
import { parseDateTime, parseDecimal } from './operand.ts';
import { compiledPattern } from './patterns.ts';
import { comparePrecedence, parseVersion } from './semantic-version.ts';

/** Whether a value of the context satisfies the comparison; undefined if the value cannot be read. */
export type Test = (value: string) => boolean | undefined;

export interface Operator {
  /** The required form of a value. */
  readonly wants: string;
  /** The result for a context without the value. */
  readonly whenMissing: boolean;
  /** Undefined if the operand cannot be read. */
  readonly compile: (constraint: ClientConstraint) => Test | undefined;
}

type OrderTest = (order: number) => boolean;

const equal: OrderTest = (order) => order === 0;
const greater: OrderTest = (order) => order > 0;
const less: OrderTest = (order) => order < 0;
const greaterOrEqual: OrderTest = (order) => order >= 0;
const lessOrEqual: OrderTest = (order) => order <= 0;

const number = ordered('a number', parseDecimal, compareNumbers);
const date = ordered('an ISO 8601 date', parseDateTime, compareNumbers);
const version = ordered('a semantic version', parseVersion, comparePrecedence);

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['IN', { ...text(), compile: isIn }],
  ['NOT_IN', { ...text(), whenMissing: true, compile: isNotIn }],
  ['STR_CONTAINS', { ...text(), compile: anyPart((value, part) => value.includes(part)) }],
  ['STR_STARTS_WITH', { ...text(), compile: anyPart((value, part) => value.startsWith(part)) }],
  ['STR_ENDS_WITH', { ...text(), compile: anyPart((value, part) => value.endsWith(part)) }],
  ['NUM_EQ', number(equal)],
  ['NUM_GT', number(greater)],
  ['NUM_GTE', number(greaterOrEqual)],
  ['NUM_LT', number(less)],
  ['NUM_LTE', number(lessOrEqual)],
  ['DATE_AFTER', date(greater)],
  ['DATE_BEFORE', date(less)],
  ['SEMVER_EQ', version(equal)],
  ['SEMVER_GT', version(greater)],
  ['SEMVER_GTE', version(greaterOrEqual)],
  ['SEMVER_LT', version(less)],
  ['SEMVER_LTE', version(lessOrEqual)],
  ['REGEX', { ...text(), compile: matchesPattern }],
  ['IN_CIDR', { ...text(), wants: 'an address', compile: ({ values }) => compileRanges(values) }],
]);

/** Undefined if there is no such operator. */
export function operatorOf(name: string): Operator | undefined {
  return operators.get(name);
}

function text() {
  return { wants: 'text', whenMissing: false } as const;
}

function isIn({ values }: ClientConstraint): Test {
  const wanted = new Set(values);
  return (value) => wanted.has(value);
}

function isNotIn({ values }: ClientConstraint): Test {
  const unwanted = new Set(values);
  return (value) => !unwanted.has(value);
}

const fold = remembered((text) => text.toLowerCase());

function anyPart(has: (value: string, part: string) => boolean): Operator['compile'] {
  return ({ values, caseInsensitive }) => {
    const parts = caseInsensitive ? values.map((part) => part.toLowerCase()) : values;
    return (value) => {
      const compared = caseInsensitive ? fold(value) : value;
      for (const part of parts) if (has(compared, part)) return true;
      return false;
    };
  };
}

function ordered<Value>(
  wants: string,
  parse: (text: string) => Value | undefined,
  compare: (a: Value, b: Value) => number,
) {
  const read = remembered(parse);
  return (isWanted: OrderTest): Operator => ({
    wants,
    whenMissing: false,
    compile: ({ value }) => {
      const operand = value === undefined ? undefined : parse(value);
      if (operand === undefined) return undefined;
      return (text) => {
        const seen = read(text);
        return seen === undefined ? undefined : isWanted(compare(seen, operand));
      };
    },
  });
}

/** As many as a context has. */
const MAX_REMEMBERED = 200;

/** Keeps values that were read: all flags of an evaluation look at the same few values. */
function remembered<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { readonly value: Value }>();
  return (text) => {
    const found = known.get(text);
    if (found) return found.value;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const value = read(text);
    known.set(text, { value });
    return value;
  };
}

function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * RE2 takes a time that is linear in the value, for every pattern. A pattern that it rejects matches nothing. Compiled
 * when a value is compared for the first time, so flags that nobody evaluates take no memory for patterns.
 */
function matchesPattern({ value = '', caseInsensitive }: ClientConstraint): Test {
  return (text) => compiledPattern(value, { ignoreCase: caseInsensitive })?.matcher(text).find() ?? false;
}
