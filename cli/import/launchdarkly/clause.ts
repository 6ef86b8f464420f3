/** Reads the clauses of LaunchDarkly rules and segments as constraints. */
import { compiledPattern } from '../../../src/evaluation/patterns.ts';
import { recordsIn } from '../../../src/model/json.ts';
import { all, conjunction, disjunction, inverted, type Read } from '../rules/alternatives.ts';
import { type ConstraintOperator, compared, negated, oneOf } from '../rules/comparison.ts';
import { type Given, listOf } from '../rules/records.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';

/** Returns the condition of a segment by its key; undefined if it is not known, or Vexil has no such condition. */
export type FindSegment = (key: string) => Read;

const TEXTS: Readonly<Record<string, ConstraintOperator>> = {
  in: 'IN',
  contains: 'STR_CONTAINS',
  startsWith: 'STR_STARTS_WITH',
  endsWith: 'STR_ENDS_WITH',
};
const NUMBERS: Readonly<Record<string, ConstraintOperator>> = {
  lessThan: 'NUM_LT',
  lessThanOrEqual: 'NUM_LTE',
  greaterThan: 'NUM_GT',
  greaterThanOrEqual: 'NUM_GTE',
};
const VERSIONS: Readonly<Record<string, ConstraintOperator>> = {
  semVerEqual: 'SEMVER_EQ',
  semVerLessThan: 'SEMVER_LT',
  semVerGreaterThan: 'SEMVER_GT',
};

/** Vexil has one kind of context: the user. */
export function isUser(contextKind: unknown): boolean {
  return [undefined, null, '', 'user'].includes(contextKind as string);
}

/** Returns the context field; undefined for a path into an object. */
export function fieldOf(attribute: unknown): string | undefined {
  const name = typeof attribute === 'string' ? attribute.replace(/^\/(?=[^/]*$)/, '') : '';
  if (name === 'key') return DEFAULT_FIELD;
  return name === '' || name.includes('/') ? undefined : name;
}

/** All clauses must hold. Returns undefined if Vexil has no constraints for one of them. */
export function readClauses(clauses: unknown, find: FindSegment): Read {
  return conjunction(recordsIn(clauses).map((clause) => readClause(clause, find)));
}

/** Except for segments, a clause never holds for a field that the user does not have, also if it is negated. */
function readClause({ attribute, op, values: given, negate, contextKind }: Given, find: FindSegment): Read {
  const values = listOf(given);
  if (op === 'segmentMatch') {
    const read = disjunction(values.map((key) => find(String(key))));
    return negate === true ? inverted(read) : read;
  }
  const field = fieldOf(attribute);
  if (field === undefined || !isUser(contextKind)) return undefined;
  const read = comparison(field, String(op), values);
  return negate === true ? negated(field, read) : read;
}

function comparison(field: string, op: string, values: readonly unknown[]): Read {
  const [text, number, version] = [TEXTS[op], NUMBERS[op], VERSIONS[op]];
  if (text) return oneOf({ field, operator: text, values: values.map((value) => scalarText(value)) });
  if (number)
    return compared(
      field,
      number,
      values.filter((value) => typeof value === 'number'),
    );
  if (version) return all(values.map(versionOf)) && compared(field, version, values.map(versionOf));
  if (op !== 'matches' || !values.every(isPattern)) return undefined;
  return compared(field, 'REGEX', values);
}

function scalarText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : value;
}

/** Versions with one or two numbers are those with zeros. */
function versionOf(value: unknown): string | undefined {
  const [, numbers, rest = ''] = /^(\d+(?:\.\d+){0,2})((?:[-+].*)?)$/.exec(String(value)) ?? [];
  if (numbers === undefined) return undefined;
  return [...numbers.split('.'), '0', '0'].slice(0, 3).join('.') + rest;
}

function isPattern(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && compiledPattern(value) !== undefined;
}
