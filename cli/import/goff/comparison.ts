/** The comparisons of GO Feature Flag, which never hold for a field that the user does not have. */
import { ALWAYS, inverted, type Read } from '../rules/alternatives.ts';
import {
  type ConstraintOperator,
  compared,
  negated,
  numberExcept,
  oneOf,
  present,
  versionExcept,
} from '../rules/comparison.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';
import type { Token } from './query-tokens.ts';

const SPELLINGS: Readonly<Record<string, string>> = {
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'ge',
  '<': 'lt',
  '<=': 'le',
};
const PARTS: Readonly<Record<string, ConstraintOperator>> = {
  co: 'STR_CONTAINS',
  sw: 'STR_STARTS_WITH',
  ew: 'STR_ENDS_WITH',
};
const ORDERS: Readonly<Record<string, string>> = { eq: 'EQ', gt: 'GT', ge: 'GTE', lt: 'LT', le: 'LTE' };

/** The key is the user. Returns undefined for a path into an object. */
export function fieldOf(name: string): string | undefined {
  if (name.includes('.')) return undefined;
  return ['key', 'targetingKey'].includes(name) ? DEFAULT_FIELD : name;
}

/** Returns undefined if Vexil has no such comparison. */
export function comparisonOf(name: string, operator: string, values: readonly Token[]): Read {
  const field = fieldOf(name);
  const spelled = SPELLINGS[operator] ?? operator;
  if (field === undefined) return undefined;
  if (spelled === 'pr') return isThere(field);
  if (spelled === 'in') return listed(field, values);
  const [value, ...others] = values;
  if (!value || others.length > 0) return undefined;
  if (spelled === 'ne') return notEqual(field, value);
  return comparedWith(field, spelled, value);
}

/** The field is the text of one of the values. */
function listed(field: string, values: readonly Token[]): Read {
  if (values.some(({ kind }) => kind !== values[0]?.kind)) return undefined;
  const texts = values.map(({ kind, text }) => (kind === 'number' ? `${Number(text)}` : text));
  return ['text', 'number'].includes(values[0]?.kind ?? '')
    ? oneOf({ field, operator: 'IN', values: texts })
    : undefined;
}

/** A value of another type is neither equal nor unequal. */
function notEqual(field: string, value: Token): Read {
  const { kind, text } = value;
  if (kind === 'number') return numberExcept(field, [Number(text)]);
  if (kind === 'version') return versionExcept(field, [text]);
  if (kind === 'text') return negated(field, comparedWith(field, 'eq', value));
  if (text === 'null') return isThere(field);
  const opposite = { true: 'false', false: 'true' }[text];
  return opposite === undefined ? undefined : equalToWord(field, opposite);
}

/** Every user of GO Feature Flag has a key, and is anonymous or not. */
function isThere(field: string): Read {
  return [DEFAULT_FIELD, ANONYMOUS].includes(field) ? ALWAYS : present(field);
}

const ANONYMOUS = 'anonymous';

function comparedWith(field: string, operator: string, value: Token): Read {
  if (value.kind === 'word') return operator === 'eq' ? equalToWord(field, value.text) : undefined;
  if (value.kind === 'text') {
    const part = operator === 'eq' ? 'IN' : PARTS[operator];
    return part && oneOf({ field, operator: part, values: [value.text], ignoresCase: part !== 'IN' });
  }
  const order = ORDERS[operator];
  if (order === undefined) return undefined;
  if (value.kind === 'version') return compared(field, `SEMVER_${order}` as ConstraintOperator, [value.text]);
  return value.kind === 'number'
    ? compared(field, `NUM_${order}` as ConstraintOperator, [Number(value.text)])
    : undefined;
}

function equalToWord(field: string, word: string): Read {
  if (word === 'null') return inverted(isThere(field));
  if (word !== 'true' && word !== 'false') return undefined;
  const isTrue = oneOf({ field, operator: 'IN', values: ['true'] });
  if (field === ANONYMOUS) return word === 'true' ? isTrue : inverted(isTrue);
  return oneOf({ field, operator: 'IN', values: [word] });
}
