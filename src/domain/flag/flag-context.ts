/** The other objects that a flag is judged by. */
import type { Environment } from '../../schema/environment.ts';
import type { Project } from '../../schema/project.ts';
import { compareAge, compareText, wireNameOf } from '../identity/names.ts';
import type { SegmentLookups } from '../segment/segment-values.ts';
import type { StrategyType } from '../strategy-type/strategy-types.ts';
import type { Parents } from './dependencies.ts';

export interface FlagContext {
  /** The project in the namespace of the flag, if it exists and owns its name. */
  readonly project: Project | undefined;
  /** The namespace that the id of the project belongs to, if it is another than the flag's. */
  readonly projectElsewhere?: string | undefined;
  /** The environments of the project, in their order. */
  readonly environments: readonly Environment[];
  /** Every environment of the instance, by wire name. */
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
  /** The strategy types that can be used, by name. */
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  /** For a flag with dependencies. */
  readonly parents?: Parents | undefined;
  /** For a flag with segments. */
  readonly segments?: SegmentLookups | undefined;
  /**
   * For a flag with windows or ramps: the last of their moments that has passed, in ms since 1970. The flag is in
   * effect as at that time. -Infinity: none has passed.
   */
  readonly at?: number | undefined;
}

/** The place of an environment without a sortOrder: last. */
export const LAST = 9999;

/** Orders environments by sortOrder, then age, then name. */
export function inOrder(environments: Iterable<Environment>): readonly Environment[] {
  return [...environments].sort(
    (a, b) =>
      (a.spec.sortOrder ?? LAST) - (b.spec.sortOrder ?? LAST) ||
      compareAge(a, b) ||
      compareText(wireNameOf(a), wireNameOf(b)),
  );
}

/** The environments that a project uses: those that it lists, or all that are enabled if it has no list. */
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
