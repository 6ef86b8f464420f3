/** The merge patch (RFC 7386) that leads from one object to another. */
import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '../stored.ts';

/** Empty: they are the same. */
export function mergePatchBetween(before: unknown, after: unknown): Stored {
  if (!isMap(before) || !isMap(after)) return after;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => key in before !== key in after || !isDeepStrictEqual(before[key], after[key]));
  return Object.fromEntries(
    changed.map((key) => [key, key in after ? mergePatchBetween(before[key], after[key]) : null]),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What of a patch is kept: leaves of which this holds, and what leads to them. */
export function fieldsOfPatch(patch: Stored, keep: (fieldWithOwners: unknown) => boolean): Stored {
  if (!isMap(patch)) return patch;
  const kept = Object.entries(patch).flatMap(([key, value]): [string, Stored][] => {
    if (!isMap(value)) return keep(value) ? [[key, value]] : [];
    const below = fieldsOfPatch(value, keep);
    return Object.keys(below).length > 0 ? [[key, below]] : [];
  });
  return Object.fromEntries(kept);
}
