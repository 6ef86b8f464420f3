/** The merge patch that gives an imported object the state of the old server. */
import { isRecord } from '../../../src/model/json.ts';

/**
 * What the old server no longer has goes, by its path in the spec: `*` is the name of an environment. Other fields,
 * such as windows and members, are those of people here.
 */
const REMOVED: readonly (readonly string[])[] = [
  ['description'],
  ['tags'],
  ['dependencies'],
  ['variants'],
  ['archived'],
  ['stale'],
  ['environments', '*', 'variants'],
  ['environments', '*', 'strategies'],
];

/** The strategies of an environment go with everything that is in them. */
export function patchOf(before: unknown, wanted: unknown, path: readonly string[] = []): unknown {
  if (!isRecord(before) || !isRecord(wanted)) return wanted;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(wanted, key) && isRemoved([...path, key]));
  return Object.fromEntries([
    ...Object.entries(wanted).map(([key, value]) => [key, patchOf(before[key], value, [...path, key])] as const),
    ...gone.map((key) => [key, null] as const),
  ]);
}

function isRemoved(path: readonly string[]): boolean {
  return REMOVED.some(
    (pattern) => pattern.every((key, index) => key === '*' || key === path[index]) && isPathOf(pattern, path),
  );
}

/** Below strategies everything counts. */
function isPathOf(pattern: readonly string[], path: readonly string[]): boolean {
  return path.length === pattern.length || (pattern.at(-1) === 'strategies' && path.length > pattern.length);
}
