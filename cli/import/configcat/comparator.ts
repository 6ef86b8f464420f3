/** Reads the conditions of ConfigCat about one attribute of the user. */
import { NEVER, type Read } from '../rules/alternatives.ts';
import {
  type ConstraintOperator,
  compared,
  filled,
  negated,
  numberExcept,
  oneOf,
  versionExcept,
} from '../rules/comparison.ts';
import { type Given, listOf, textOf } from '../rules/records.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';

/** A condition about an attribute that the user does not have neither holds nor fails. */
export interface Condition {
  readonly holds: Read;
  readonly fails: Read;
}

const UNKNOWN: Condition = { holds: undefined, fails: undefined };

/** Comparators of texts with the opposite one, by their numbers in a config. */
const TEXTS: ReadonlyMap<number, { readonly operator: ConstraintOperator; readonly isNegated: boolean }> = new Map([
  [0, { operator: 'IN', isNegated: false }],
  [1, { operator: 'IN', isNegated: true }],
  [2, { operator: 'STR_CONTAINS', isNegated: false }],
  [3, { operator: 'STR_CONTAINS', isNegated: true }],
  [28, { operator: 'IN', isNegated: false }],
  [29, { operator: 'IN', isNegated: true }],
  [30, { operator: 'STR_STARTS_WITH', isNegated: false }],
  [31, { operator: 'STR_STARTS_WITH', isNegated: true }],
  [32, { operator: 'STR_ENDS_WITH', isNegated: false }],
  [33, { operator: 'STR_ENDS_WITH', isNegated: true }],
]);
const VERSIONS: ReadonlyMap<number, ConstraintOperator> = new Map([
  [6, 'SEMVER_LT'],
  [7, 'SEMVER_LTE'],
  [8, 'SEMVER_GT'],
  [9, 'SEMVER_GTE'],
]);
/** Times are numbers: seconds since 1970. */
const NUMBERS: ReadonlyMap<number, ConstraintOperator> = new Map([
  [12, 'NUM_LT'],
  [13, 'NUM_LTE'],
  [14, 'NUM_GT'],
  [15, 'NUM_GTE'],
  [18, 'NUM_LT'],
  [19, 'NUM_GT'],
]);
const NUMBER_EQUAL = 10;
const NUMBER_NOT_EQUAL = 11;
const VERSION_IN = 4;
const VERSION_NOT_IN = 5;

/** Comparators whose values are hashes, so nobody can read them. */
export function isHashed(comparator: unknown): boolean {
  return typeof comparator === 'number' && ([16, 17].includes(comparator) || (comparator >= 20 && comparator <= 27));
}

/** The identifier is the user. */
export function fieldOf(attribute: unknown): string | undefined {
  return attribute === 'Identifier' ? DEFAULT_FIELD : textOf(attribute);
}

/** Returns a condition without its results if Vexil has no such condition. */
export function readCondition(given: Given): Condition {
  const { a: attribute, c: comparator, s, l } = given;
  const field = fieldOf(attribute);
  if (field === undefined || typeof comparator !== 'number') return UNKNOWN;
  const text = TEXTS.get(comparator);
  if (text) return textCondition({ ...text, field, values: typeof s === 'string' ? [s] : listOf(l) });
  return versionCondition(field, comparator, given) ?? numberCondition(field, comparator, given) ?? UNKNOWN;
}

function versionCondition(field: string, comparator: number, { s, l }: Given): Condition | undefined {
  if (comparator === VERSION_IN || comparator === VERSION_NOT_IN) return versionIn(field, listOf(l), comparator);
  const version = VERSIONS.get(comparator);
  return version && ordered(version, (operator) => compared(field, operator, [String(s).trim()]));
}

function numberCondition(field: string, comparator: number, { d }: Given): Condition | undefined {
  if (comparator === NUMBER_EQUAL || comparator === NUMBER_NOT_EQUAL)
    return numberEqual(field, Number(d), comparator === NUMBER_EQUAL);
  const number = NUMBERS.get(comparator);
  return number && ordered(number, (operator) => compared(field, operator, [Number(d)]));
}

interface TextCondition {
  readonly field: string;
  readonly operator: ConstraintOperator;
  readonly values: readonly unknown[];
  readonly isNegated: boolean;
}

function textCondition({ field, operator, values, isNegated }: TextCondition): Condition {
  const given = values.filter((value) => value !== '');
  // Nothing is one of no values.
  const base = given.length === 0 ? NEVER : oneOf({ field, operator, values: given });
  // An empty attribute is a missing one.
  const other = negated(field, base, filled(field));
  return isNegated ? { holds: other, fails: base } : { holds: base, fails: other };
}

const OPPOSITES: Readonly<Record<string, ConstraintOperator>> = {
  SEMVER_LT: 'SEMVER_GTE',
  SEMVER_LTE: 'SEMVER_GT',
  SEMVER_GT: 'SEMVER_LTE',
  SEMVER_GTE: 'SEMVER_LT',
  NUM_LT: 'NUM_GTE',
  NUM_LTE: 'NUM_GT',
  NUM_GT: 'NUM_LTE',
  NUM_GTE: 'NUM_LT',
};

/** What is no version or number neither holds nor fails. */
function ordered(operator: ConstraintOperator, compare: (operator: ConstraintOperator) => Read): Condition {
  const opposite = OPPOSITES[operator];
  return { holds: compare(operator), fails: opposite && compare(opposite) };
}

function numberEqual(field: string, value: number, isEqual: boolean): Condition {
  const [equal, other] = [compared(field, 'NUM_EQ', [value]), numberExcept(field, [value])];
  return isEqual ? { holds: equal, fails: other } : { holds: other, fails: equal };
}

function versionIn(field: string, given: readonly unknown[], comparator: number): Condition {
  const values = given.map((value) => String(value).trim()).filter((value) => value !== '');
  const equal = values.length === 0 ? undefined : compared(field, 'SEMVER_EQ', values);
  const other = versionExcept(field, values);
  return comparator === VERSION_IN ? { holds: equal, fails: other } : { holds: equal && other, fails: equal };
}
