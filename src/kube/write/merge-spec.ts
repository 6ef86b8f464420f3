/** Applies an edit of the parsed spec to the stored spec. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../model/json.ts';

/** The stored spec, and the parsed spec before and after the edit. */
export interface Merge {
  readonly raw: unknown;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Applies the difference between `before` and `after` to `raw`.
 *
 * Unedited fields keep their stored values: nulls, and parts left out because of a defect. Lists are meaningful only as
 * a whole, so an edited list replaces the stored one.
 */
export function mergeSpec({ raw, before, after }: Merge): unknown {
  if (isDeepStrictEqual(before, after)) return raw;
  if (!isRecord(raw) || !isRecord(before) || !isRecord(after)) return after;
  const edited = presentMembers(after);
  const kept = Object.keys(raw).filter((key) => !isMember(before, key) || isMember(after, key));
  const keys = new Set([...kept, ...edited.keys()]);
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return Object.fromEntries(
    [...keys].map((key) => {
      if (!edited.has(key)) return [key, raw[key]];
      if (!isMember(before, key)) return [key, edited.get(key)];
      return [key, mergeSpec({ raw: raw[key], before: before[key], after: edited.get(key) })];
    }),
  );
}

/** True if both are equal, ignoring undefined members. */
export function isSameSpec(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(defined(before), defined(after));
}

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (!isRecord(value)) return value;
  return Object.fromEntries([...presentMembers(value)].map(([key, member]) => [key, defined(member)]));
}

function presentMembers(record: Readonly<Record<string, unknown>>): Map<string, unknown> {
  return new Map(Object.entries(record).filter(([, member]) => member !== undefined));
}

function isMember(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== undefined;
}
