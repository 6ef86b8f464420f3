/** The merge patch (RFC 7386) that changes one object into another. */
import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '../stored.ts';

/** Returns the merge patch; empty if both are equal. */
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

/** Returns the part of a patch with the leaves for which `keep` holds. */
export function fieldsOfPatch(patch: Stored, keep: (fieldWithOwners: unknown) => boolean): Stored {
  if (!isMap(patch)) return patch;
  const kept = Object.entries(patch).flatMap(([key, value]): [string, Stored][] => {
    if (!isMap(value)) return keep(value) ? [[key, value]] : [];
    const below = fieldsOfPatch(value, keep);
    return Object.keys(below).length > 0 ? [[key, below]] : [];
  });
  return Object.fromEntries(kept);
}
