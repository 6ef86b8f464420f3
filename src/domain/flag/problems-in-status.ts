/** The environments that the problems in the status of a flag concern. */
import type { Problem } from '../../schema/condition.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { pathText } from '../judgement/findings.ts';
import { holdsOff } from './effect.ts';
import { environmentsOf } from './flag-values.ts';

/** One of the names; undefined if the problem concerns the flag as a whole. */
export function environmentOfProblem({ path }: Pick<Problem, 'path'>, names: readonly string[]): string | undefined {
  return names.find((name) => {
    const place = pathText(['environments', name]);
    return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
  });
}

/** As `brokenBy`, for the spec that the status describes. */
export function brokenByStatus(flag: FeatureFlag): ReadonlySet<string | undefined> {
  const names = environmentsOf(flag).map(([name]) => name);
  const errors = (flag.status?.problems ?? []).filter(holdsOff);
  return new Set(errors.map((problem) => environmentOfProblem(problem, names)));
}
