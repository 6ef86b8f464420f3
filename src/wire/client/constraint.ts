/** A constraint as SDKs read it: each operand in the one form that every SDK understands. */
import type { ClientConstraint } from '../../evaluation/client-document.ts';
import { parseDateTime } from '../../evaluation/date-time.ts';
import { parseDecimal } from '../../evaluation/decimal.ts';
import { parseVersion } from '../../evaluation/semantic-version.ts';
import type { Constraint } from '../../schema/constraint.ts';
import { isQuotable } from './quotable.ts';

/** Undefined: SDKs do not agree on it, or Yggdrasil switches the whole flag off for it (ADR 39). */
function presentConstraint(constraint: Constraint): ClientConstraint | undefined {
  const { contextName, operator, inverted = false, caseInsensitive = false } = constraint;
  const values = constraint.values ?? [];
  const value = operandOf(constraint);
  if (value === undefined || !isQuotable(contextName) || values.some((one) => one.endsWith('\\'))) return undefined;
  return { contextName, operator, values, ...(value !== '' && { value }), inverted, caseInsensitive };
}

/** Undefined: SDKs do not agree on one of them; without it the others would hold for more users. */
export function presentConstraints(constraints: readonly Constraint[]): readonly ClientConstraint[] | undefined {
  const presented = constraints.flatMap((constraint) => presentConstraint(constraint) ?? []);
  return presented.length === constraints.length ? presented : undefined;
}

/** Empty: the operator has none. */
function operandOf({ operator, contextName, value = '' }: Constraint): string | undefined {
  if (operator.startsWith('NUM_')) return numberText(value);
  if (operator.startsWith('SEMVER_')) return isVersion(value) ? value : undefined;
  // Node and Go compare the current time whatever the name, Yggdrasil the field of that name.
  if (operator.startsWith('DATE_')) return contextName === 'currentTime' ? dateText(value) : undefined;
  return value;
}

function numberText(value: string): string | undefined {
  const number = parseDecimal(value);
  return number !== undefined && Number.isFinite(number) ? String(number) : undefined;
}

const ISO_YEAR = /^\d{4}-/;

/** In UTC, with milliseconds. */
function dateText(value: string): string | undefined {
  const time = parseDateTime(value);
  const text = time === undefined ? '' : new Date(time).toISOString();
  return ISO_YEAR.test(text) ? text : undefined;
}

/** With numbers that every SDK can hold. */
function isVersion(value: string): boolean {
  return parseVersion(value)?.core.every((number) => Number.isSafeInteger(Number(number))) === true;
}
