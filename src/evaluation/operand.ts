/** The operand of a constraint in the one form that every SDK reads (ADR 39). */
import { parseDateTime } from './date-time.ts';
import { parseDecimal } from './decimal.ts';
import { parseVersion } from './semantic-version.ts';

interface WithOperand {
  readonly operator: string;
  readonly value?: string | undefined;
}

/** Empty if the operator has no operand. Undefined if there is no such form. */
export function sdkOperand({ operator, value = '' }: WithOperand): string | undefined {
  if (operator.startsWith('NUM_')) return numberText(value);
  if (operator.startsWith('SEMVER_')) return isVersion(value) ? value : undefined;
  if (operator.startsWith('DATE_')) return dateText(value);
  // Yggdrasil puts it in quotes.
  return value.endsWith('\\') ? undefined : value;
}

function numberText(value: string): string | undefined {
  const number = parseDecimal(value);
  return number !== undefined && Number.isFinite(number) ? String(number) : undefined;
}

const ISO_YEAR = /^\d{4}-/;

/** The time in UTC, with milliseconds. */
function dateText(value: string): string | undefined {
  const time = parseDateTime(value);
  const text = time === undefined ? '' : new Date(time).toISOString();
  return ISO_YEAR.test(text) ? text : undefined;
}

/** Whether the text is a version with numbers that every SDK can hold. */
function isVersion(value: string): boolean {
  return parseVersion(value)?.core.every((number) => Number.isSafeInteger(Number(number))) === true;
}
