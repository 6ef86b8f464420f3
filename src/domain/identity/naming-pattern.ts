/** The naming pattern of a project, matched by RE2 as in CEL, in linear time for every pattern. */
import { compiledPattern } from '../../evaluation/patterns.ts';

/** Whether the whole name matches; undefined if RE2 does not accept the pattern. */
export function matchesNaming(pattern: string, name: string): boolean | undefined {
  return compiledPattern(pattern)?.matches(name);
}
