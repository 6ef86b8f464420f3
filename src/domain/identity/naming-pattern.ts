/** The naming pattern of a project, matched by RE2 as in CEL, in linear time for every pattern. */
import { compiledPattern } from '../../evaluation/patterns.ts';

/** The size of a pattern that names are matched with: each flag of the project is matched when the pattern changes. */
export const MAX_NAMING_SIZE = 1_000;

/** Whether the whole name matches; undefined if RE2 does not accept the pattern, or if it is too large. */
export function matchesNaming(pattern: string, name: string): boolean | undefined {
  return compiledPattern(pattern, { maxSize: MAX_NAMING_SIZE })?.matches(name);
}
