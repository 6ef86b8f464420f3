/** Reads the conditions of Flagsmith's segments, which never hold for a trait that the identity does not have. */
import { compiledPattern } from '../../../src/evaluation/patterns.ts';
import { readJson } from '../../../src/model/json.ts';
import { inverted, type Read } from '../rules/alternatives.ts';
import { type ConstraintOperator, compared, negated, oneOf, present } from '../rules/comparison.ts';
import { type Given, textOf } from '../rules/records.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';

const ORDERS: Readonly<Record<string, string>> = {
  EQUAL: 'EQ',
  GREATER_THAN: 'GT',
  GREATER_THAN_INCLUSIVE: 'GTE',
  LESS_THAN: 'LT',
  LESS_THAN_INCLUSIVE: 'LTE',
};
const SEMVER = ':semver';

/** Returns the trait, or the user; undefined for other values of the context. */
function fieldOf(property: unknown): string | undefined {
  const name = textOf(property);
  if (name === undefined || !name.startsWith('$.')) return name;
  if (name === '$.identity.identifier') return DEFAULT_FIELD;
  const [, dotted, quoted] = /^\$\.identity\.traits(?:\.([^.[\]]+)|\['([^']+)'\])$/.exec(name) ?? [];
  return dotted ?? quoted;
}

/** Returns undefined if Vexil has no such condition. */
export function readCondition({ operator: given, property_: named, property, value }: Given): Read {
  const field = fieldOf(named ?? property);
  const [operator, text] = [String(given), value === null || value === undefined ? '' : String(value)];
  if (field === undefined) return undefined;
  if (operator === 'IS_SET') return present(field);
  if (operator === 'IS_NOT_SET') return inverted(present(field));
  const read = COMPARISONS.get(operator);
  return read ? read(field, text) : ordered(field, operator, text);
}

type Comparison = (field: string, value: string) => Read;

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['EQUAL', equal],
  ['NOT_EQUAL', (field, value) => negated(field, equal(field, withoutSuffix(value)))],
  ['CONTAINS', contains],
  ['NOT_CONTAINS', (field, value) => negated(field, contains(field, value))],
  ['IN', (field, value) => oneOf({ field, operator: 'IN', values: listIn(value) })],
  ['REGEX', matches],
]);

/** A value is compared as the type that the trait has; other spellings of a number have no constraint. */
function equal(field: string, value: string): Read {
  if (value.endsWith(SEMVER)) return ordered(field, 'EQUAL', value);
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  if (isNumber && String(Number(value)) !== value) return undefined;
  const values = /^(true|false)$/i.test(value) ? [...new Set([value, value.toLowerCase()])] : [value];
  return oneOf({ field, operator: 'IN', values });
}

function contains(field: string, value: string): Read {
  return oneOf({ field, operator: 'STR_CONTAINS', values: [value] });
}

function ordered(field: string, operator: string, value: string): Read {
  const order = ORDERS[operator];
  if (order === undefined) return undefined;
  if (value.endsWith(SEMVER)) return compared(field, `SEMVER_${order}` as ConstraintOperator, [withoutSuffix(value)]);
  const number = Number(value);
  return value.trim() !== '' && Number.isFinite(number)
    ? compared(field, `NUM_${order}` as ConstraintOperator, [number])
    : undefined;
}

function withoutSuffix(value: string): string {
  return value.endsWith(SEMVER) ? value.slice(0, -SEMVER.length) : value;
}

/** SDKs look for a pattern at the beginning or anywhere, so only those that begin with ^ mean the same in all. */
function matches(field: string, pattern: string): Read {
  const isAnchored = pattern.startsWith('^') && !pattern.includes('|');
  return isAnchored && compiledPattern(pattern) ? compared(field, 'REGEX', [pattern]) : undefined;
}

/** A JSON list, or values between commas. */
function listIn(value: string): readonly string[] {
  const list = readJson(value);
  return Array.isArray(list) && !list.some(isObject) ? list.map(String) : value.split(',');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
