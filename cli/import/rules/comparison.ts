/** Comparisons of one context field, as other products have them. */
import type { Constraint } from '../../../src/schema/constraint.ts';
import { ALWAYS, conjunction, disjunction, inverted, type Read } from './alternatives.ts';
import { DEFAULT_FIELD } from './targeting-rule.ts';

export type ConstraintOperator = Constraint['operator'];

/** Maximum for one constraint. */
const MAX_VALUES = 250;

export interface TextComparison {
  readonly field: string;
  readonly operator: ConstraintOperator;
  readonly values: readonly unknown[];
  readonly ignoresCase?: boolean;
}

/** The field is, or has, one of the values, which are texts. Returns undefined for other values. */
export function oneOf({ field: contextName, operator, values, ignoresCase }: TextComparison): Read {
  const texts = values.filter((value): value is string => typeof value === 'string' && value !== '');
  if (texts.length !== values.length || texts.length === 0) return undefined;
  const parts = Array.from({ length: Math.ceil(texts.length / MAX_VALUES) }, (_, index) =>
    texts.slice(index * MAX_VALUES, (index + 1) * MAX_VALUES),
  );
  return disjunction(
    parts.map(
      (part): Read => [[{ contextName, operator, values: part, ...(ignoresCase && { caseInsensitive: true }) }]],
    ),
  );
}

/** The comparison holds for one of the values, each a text or a number. */
export function compared(contextName: string, operator: ConstraintOperator, values: readonly unknown[]): Read {
  if (values.length === 0) return undefined;
  return disjunction(
    values.map((value): Read => {
      const isScalar = typeof value === 'string' || typeof value === 'number';
      return isScalar ? [[{ contextName, operator, value: `${value}` }]] : undefined;
    }),
  );
}

/** The field is there. */
export function present(contextName: string): Read {
  return [[{ contextName, operator: 'REGEX', value: '^' }]];
}

/** The field is there, and has text. The key of the user always has. */
export function filled(contextName: string): Read {
  return contextName === DEFAULT_FIELD ? ALWAYS : [[{ contextName, operator: 'REGEX', value: '.' }]];
}

/**
 * The field is there, and the comparison does not hold. An inverted constraint also holds for users without the field.
 * The key of the user is always there.
 */
export function negated(contextName: string, comparison: Read, isThere: Read = present(contextName)): Read {
  const opposite = inverted(comparison);
  return contextName === DEFAULT_FIELD ? opposite : conjunction([isThere, opposite]);
}

/** Every number is greater, and what is no number is not. */
const LEAST = '-1e308';

/** The field is a number, and none of these. */
export function numberExcept(contextName: string, values: readonly unknown[]): Read {
  return conjunction([
    compared(contextName, 'NUM_GTE', [LEAST]),
    ...values.map((value) => inverted(compared(contextName, 'NUM_EQ', [value]))),
  ]);
}

/** The field is a version, and none of these. */
export function versionExcept(contextName: string, values: readonly unknown[]): Read {
  return conjunction(
    values.map((value) =>
      disjunction([compared(contextName, 'SEMVER_LT', [value]), compared(contextName, 'SEMVER_GT', [value])]),
    ),
  );
}
