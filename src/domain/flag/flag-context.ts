/** The other objects that a flag is judged by: its project, the environments and the strategy types. */
import type { Environment } from '../../schema/environment.ts';
import type { Project } from '../../schema/project.ts';
import { compareAge, compareText, wireNameOf } from '../identity/names.ts';
import type { SegmentLookups } from '../segment/segment-values.ts';
import type { StrategyType } from '../strategy-type/strategy-types.ts';
import type { Parents } from './dependencies.ts';

export interface FlagContext {
  /** The project in the namespace of the flag, if it exists and holds its name. */
  readonly project: Project | undefined;
  /** The namespace that the id of the project belongs to, if it is another than the flag's. */
  readonly projectElsewhere?: string | undefined;
  /** The environments of the project, in their order. */
  readonly environments: readonly Environment[];
  /** Every environment of the instance, by wire name. */
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
  /** The strategy types that can be used, by name. */
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  /** Of a flag with dependencies. */
  readonly parents?: Parents | undefined;
  /** Of a flag with segments. */
  readonly segments?: SegmentLookups | undefined;
  /**
   * Of a flag with windows or ramps: the last of their moments that has passed, in ms since 1970. The flag is in effect
   * as it is at that time. -Infinity: none has passed.
   */
  readonly at?: number | undefined;
}

/** Place of an environment that names none: last. */
export const LAST = 9999;

/** By sortOrder, then age, then name. */
export function inOrder(environments: Iterable<Environment>): readonly Environment[] {
  return [...environments].sort(
    (a, b) =>
      (a.spec.sortOrder ?? LAST) - (b.spec.sortOrder ?? LAST) ||
      compareAge(a, b) ||
      compareText(wireNameOf(a), wireNameOf(b)),
  );
}

/** The environments that a project uses: those it lists, else all that are enabled. */
export function environmentsOfProject(
  project: Project,
  every: ReadonlyMap<string, Environment>,
): readonly Environment[] {
  const listed = project.spec.environments;
  const used = listed
    ? listed.flatMap((name) => every.get(name) ?? [])
    : [...every.values()].filter(({ spec }) => spec.enabled !== false);
  return inOrder(used);
}
