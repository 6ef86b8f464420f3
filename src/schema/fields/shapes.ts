/** Shapes of fields that several kinds share. */
import { z } from 'zod';
import { ruled } from './rule.ts';

/** Characters that a URL need not escape, 1 to 100, not `.` or `..` (docs/unleash-compatibility.md#names). */
export const WIRE_NAME = /^(?![.][.]?$)[A-Za-z0-9\-_.!~*'()]{1,100}$/;

export const wireNameMessage =
  "must be URL friendly: 1 to 100 of the characters A-Z a-z 0-9 - _ . ! ~ * ' ( ), and not . or ..";

export function isWireName(text: string): boolean {
  return WIRE_NAME.test(text);
}

/** The same test in CEL, for `variable`. */
export function wireNameCel(variable: string): string {
  return `${variable}.matches("^[A-Za-z0-9\\\\-_.!~*'()]{1,100}$") && ${variable} != '.' && ${variable} != '..'`;
}

/** A name in the admin API. */
export function wireName(description: string) {
  const text = z.string().min(1).max(100).meta({ description });
  return ruled(text, { cel: wireNameCel('self'), message: wireNameMessage, holds: isWireName });
}

const VISIBLE = String.raw`[^\p{Cc}\p{Cf}\p{Z}]`;
const PRINTABLE = String.raw`[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`;
const PRINTABLE_NAME = `^${VISIBLE}(${PRINTABLE}*${VISIBLE})?$`;
const printable = new RegExp(PRINTABLE_NAME, 'u');

/** A name that is not part of a URL. */
export function printableName(description: string) {
  return ruled(z.string().min(1).max(100).meta({ description }), {
    cel: `self.matches(r'${PRINTABLE_NAME}')`,
    message: 'must be 1 to 100 printable characters without spaces at its ends',
    holds: (name) => printable.test(name),
  });
}

export function text(maxLength: number, description: string) {
  return z.string().max(maxLength).meta({ description });
}

/** A list that is written as a whole. */
export function wholeList<S extends z.ZodType>(item: S, maxItems: number, description: string) {
  return z.array(item).max(maxItems).meta({ description, 'x-kubernetes-list-type': 'atomic' });
}

/** A list that is replaced as a whole, because its items are meaningful only together. Null counts as absent. */
export function atomicList<S extends z.ZodType>(item: S, maxItems: number, description: string) {
  return z.array(item).max(maxItems).nullable().meta({ description, 'x-kubernetes-list-type': 'atomic' });
}

/** A list of distinct scalars; each entry has its own field owners. */
export function setOf<S extends z.ZodType<string>>(item: S, maxItems: number, description: string) {
  const isSet = (list: readonly string[] | null) => !list || new Set(list).size === list.length;
  return z
    .array(item)
    .max(maxItems)
    .nullable()
    .refine(isSet, { message: 'each entry may be there once only' })
    .meta({ description, 'x-kubernetes-list-type': 'set' });
}

/** A map; each entry and each field in it has its own field owners. Null counts as absent. */
export function mapOf<S extends z.ZodType>(value: S, maxProperties: number, description: string) {
  return bounded(z.record(z.string(), value).nullable(), maxProperties, description);
}

/** Limits the entries of a map; zod has no `maxProperties`, so it needs a refinement. */
export function bounded<S extends z.ZodType<object | null>>(map: S, maxProperties: number, description: string): S {
  return map
    .refine((value) => Object.keys(value ?? {}).length <= maxProperties, {
      message: `must have at most ${maxProperties} entries`,
    })
    .meta({ description, maxProperties });
}

export const timestamp = z.string().meta({ format: 'date-time' });

export function optionalTime(description: string) {
  return timestamp.optional().meta({ description, format: 'date-time' });
}

/** A whole number from 0 on. */
export function optionalNumber(description: string) {
  return z.int().min(0).optional().meta({ description });
}

/** Whether the day exists: February has no day 30, although the engine reads it as a day of March. */
export function isThere(time: string): boolean {
  const [day, utc] = [Number(time.slice(8, 10)), new Date(`${time.slice(0, 10)}T00:00:00Z`)];
  return Number.isFinite(Date.parse(time)) && utc.getUTCDate() === day;
}

/** Requires a time zone. */
export const RFC_3339 = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const NO_TIME = 'must be a time with a zone, such as 2026-01-31T12:00:00Z';
const LEAP_SECOND = /T\d\d:\d\d:60/;
const NO_LEAP_SECOND = 'must be a time outside of leap seconds: name the second before or after';

/** A time in a spec: RFC 3339 with a time zone, on a day that exists. */
export function pointInTime(description: string) {
  return z
    .string()
    .max(40)
    .regex(RFC_3339, { error: ({ input }) => (LEAP_SECOND.test(`${input}`) ? NO_LEAP_SECOND : NO_TIME) })
    .refine(isThere, { message: 'must be a time that exists: the month has no such day' })
    .meta({ description, format: 'date-time' });
}
