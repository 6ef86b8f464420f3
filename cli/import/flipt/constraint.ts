/** Reads the constraints of Flipt's segments, which never hold for a property that the user does not have. */
import { readJson } from '../../../src/model/json.ts';
import { inverted, type Read } from '../rules/alternatives.ts';
import { type ConstraintOperator, compared, filled, negated, numberExcept, oneOf } from '../rules/comparison.ts';
import { type Given, textOf } from '../rules/records.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';

const TEXTS: Readonly<Record<string, ConstraintOperator>> = {
  eq: 'IN',
  isoneof: 'IN',
  prefix: 'STR_STARTS_WITH',
  suffix: 'STR_ENDS_WITH',
  contains: 'STR_CONTAINS',
};
const NEGATIONS: Readonly<Record<string, string>> = { neq: 'eq', isnotoneof: 'isoneof', notcontains: 'contains' };
const ORDERS: Readonly<Record<string, ConstraintOperator>> = {
  lt: 'NUM_LT',
  lte: 'NUM_LTE',
  gt: 'NUM_GT',
  gte: 'NUM_GTE',
};
/** What Flipt reads as true and false. */
const BOOLEANS: Readonly<Record<string, readonly string[]>> = {
  true: ['true', 'True', 'TRUE', 't', 'T', '1'],
  false: ['false', 'False', 'FALSE', 'f', 'F', '0'],
};

/** Returns undefined if Vexil has no such constraint. */
export function readConstraint({ type, property, operator: given, value }: Given): Read {
  const isEntity = type === 'ENTITY_ID_COMPARISON_TYPE';
  const field = isEntity ? DEFAULT_FIELD : textOf(property);
  const operator = String(given).toLowerCase();
  if (field === undefined) return undefined;
  const isThere = presenceOf(field, operator);
  if (isThere) return isThere;
  if (isEntity || type === 'STRING_COMPARISON_TYPE') return readText(field, operator, String(value));
  if (type === 'NUMBER_COMPARISON_TYPE') return readNumber(field, operator, String(value));
  const values = type === 'BOOLEAN_COMPARISON_TYPE' ? BOOLEANS[operator] : undefined;
  return values && oneOf({ field, operator: 'IN', values });
}

/** Blanks are nothing. */
function presenceOf(contextName: string, operator: string): Read {
  const there: Read = [[{ contextName, operator: 'REGEX', value: String.raw`\S` }]];
  if (operator === 'notempty' || operator === 'present') return there;
  return operator === 'empty' || operator === 'notpresent' ? inverted(there) : undefined;
}

function readText(field: string, operator: string, value: string): Read {
  const positive = NEGATIONS[operator];
  // An empty property is a missing one.
  if (positive !== undefined) return negated(field, readText(field, positive, value), filled(field));
  const written = TEXTS[operator];
  const values = operator === 'isoneof' ? listIn(value) : [value];
  return written && values && oneOf({ field, operator: written, values });
}

function readNumber(field: string, operator: string, value: string): Read {
  const numbers = operator.endsWith('oneof') ? listIn(value) : [Number.parseFloat(value)];
  if (!numbers || numbers.length === 0 || !numbers.every(Number.isFinite)) return undefined;
  if (operator === 'eq' || operator === 'isoneof') return compared(field, 'NUM_EQ', numbers);
  if (operator === 'neq' || operator === 'isnotoneof') return numberExcept(field, numbers);
  const order = ORDERS[operator];
  return order && compared(field, order, numbers);
}

/** A list is JSON in a text. */
function listIn(value: string): readonly unknown[] | undefined {
  const list = readJson(value);
  return Array.isArray(list) ? list : undefined;
}
