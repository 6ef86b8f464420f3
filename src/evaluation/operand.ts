/** The operand of a constraint in the one form that every SDK reads (ADR 39). */
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

const DECIMAL = /^[-+]?(?:\d+(?:[.]\d*)?|[.]\d+)(?:[eE][-+]?\d+)?$/;
const INFINITE = /^[-+]?Infinity$/;

/** Undefined if the text is not a decimal number. Empty text, spaces and hexadecimal numbers are not. */
export function parseDecimal(text: string): number | undefined {
  return DECIMAL.test(text) || INFINITE.test(text) ? Number(text) : undefined;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:[.]\d{1,9})?)?(Z|[-+]\d\d:\d\d)?)?$/;

/**
 * In ms since 1970; undefined if the text is not an ISO 8601 date. A date without a time is midnight, and a time
 * without a zone is UTC.
 */
export function parseDateTime(text: string): number | undefined {
  const [, date, zone] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || !isInCalendar(date)) return undefined;
  const time = Date.parse(zone === undefined && text.includes('T') ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** `Date.parse` takes 30 February for a day in March. */
function isInCalendar(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
