/** A constraint as SDKs read it: each operand in the one form that every SDK understands. */
import type { ClientConstraint } from '../../evaluation/client-document.ts';
import type { Constraint } from '../../schema/constraint.ts';
import { isQuotable } from './quotable.ts';

/** Undefined: SDKs do not agree on it, or Yggdrasil switches the whole flag off for it (ADR 39). */
export function presentConstraint(constraint: Constraint): ClientConstraint | undefined {
  const { contextName, operator, inverted = false, caseInsensitive = false } = constraint;
  const values = constraint.values ?? [];
  const value = operandOf(constraint);
  if (value === undefined || !isQuotable(contextName) || values.some((one) => one.endsWith('\\'))) return undefined;
  return { contextName, operator, values, ...(value !== '' && { value }), inverted, caseInsensitive };
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
  const number = Number(value);
  return value.trim() !== '' && Number.isFinite(number) ? String(number) : undefined;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([-+])(\d\d):?(\d\d))?)?$/;
const ISO_YEAR = /^\d{4}-/;

/** A time without a zone is UTC, a date without a time its first moment. */
function dateText(value: string): string | undefined {
  const [matched, ...groups] = DATE.exec(value) ?? [];
  if (matched === undefined) return undefined;
  const [year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', sign, ...zone] =
    groups;
  const [zoneHours = '00', zoneMinutes = '00'] = zone.map((part) => part ?? '00');
  const offset = sign === undefined ? 'Z' : `${sign}${zoneHours}:${zoneMinutes}`;
  const time = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  const ms = isDay(year, month, day) ? Date.parse(`${year}-${month}-${day}T${time}${offset}`) : Number.NaN;
  if (!Number.isFinite(ms)) return undefined;
  const text = new Date(ms).toISOString();
  return ISO_YEAR.test(text) ? text : undefined;
}

/** Date.parse takes 30 February for 2 March. */
function isDay(year: string, month: string, day: string): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  return Number.isFinite(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}T`);
}

const NUMBER = '(0|[1-9][0-9]*)';
const IDENTIFIER = '(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const VERSION = new RegExp(
  `^${NUMBER}[.]${NUMBER}[.]${NUMBER}(-${IDENTIFIER}([.]${IDENTIFIER})*)?([+][0-9A-Za-z-]+([.][0-9A-Za-z-]+)*)?$`,
);

/** Semantic Versioning 2.0.0, with numbers that every SDK can hold. */
function isVersion(value: string): boolean {
  const [matched, ...numbers] = VERSION.exec(value) ?? [];
  return matched !== undefined && numbers.slice(0, 3).every((number) => Number.isSafeInteger(Number(number)));
}
