/** The strategies of flags that use a segment or a strategy type. */
import { Refusal } from '../../errors.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Segment } from '../../schema/segment.ts';
import type { StrategyDefinition } from '../../schema/strategy-definition.ts';
import { compareText, listNames, wireNameOf } from '../identity/names.ts';
import { environmentsOf, isArchived, type KeyedStrategy, projectIdOf, strategiesOf } from './flag-values.ts';
import { strategyIdOf } from './strategy-id.ts';

/** The use of a segment, in flags that are not archived. */
export interface SegmentUse {
  readonly features: number;
  readonly projects: number;
}

export function useOf(flags: readonly FeatureFlag[]): SegmentUse {
  const active = flags.filter((flag) => !isArchived(flag));
  return { features: active.length, projects: new Set(active.map(projectIdOf)).size };
}

export interface KeyedUse extends KeyedStrategy {
  readonly flag: FeatureFlag;
  readonly environment: string;
}

/** The strategies with the segment, by flag and environment. */
export function strategiesWith(name: string, flags: readonly FeatureFlag[]): readonly KeyedUse[] {
  return flags
    .toSorted((a, b) => compareText(wireNameOf(a), wireNameOf(b)))
    .flatMap((flag) =>
      environmentsOf(flag)
        .toSorted(([one], [other]) => compareText(one, other))
        .flatMap(([environment, value]) =>
          strategiesOf(value)
            .filter(({ strategy }) => strategy.segments?.includes(name))
            .map((keyed) => ({ ...keyed, flag, environment })),
        ),
    );
}

export interface SegmentedStrategy {
  /** The wire id. */
  readonly id: string;
  /** The names of the strategy's segments. */
  readonly names: readonly string[];
}

/** The strategies of a flag that have segments. */
export function segmentedStrategies(flag: FeatureFlag): readonly SegmentedStrategy[] {
  return environmentsOf(flag).flatMap(([environment, value]) =>
    strategiesOf(value).flatMap(({ key, strategy: { segments } }) =>
      segments && segments.length > 0
        ? [{ id: strategyIdOf({ flag: wireNameOf(flag), environment, key }), names: segments }]
        : [],
    ),
  );
}

/** Refuses the change if flags use the segment: their strategies with it would keep them off. */
export function refuseSegmentInUse(segment: Segment, flags: readonly FeatureFlag[]): void {
  const users = describeUsers(flags);
  if (users === undefined) return;
  const message = `The segment "${wireNameOf(segment)}" cannot be deleted: ${users}, and would go off where a strategy has the segment. Remove it from these strategies first.`;
  throw new Refusal('in-use', message);
}

/**
 * Refuses a change of the project that flags with the segment do not allow: a segment of another project would keep
 * them off.
 */
export function refuseLosingUsers(segment: Segment, project: string | null, flags: readonly FeatureFlag[]): void {
  if (project === null) return;
  const users = describeUsers(flags.filter((flag) => projectIdOf(flag) !== project));
  if (users === undefined) return;
  const message = `The segment "${wireNameOf(segment)}" cannot be limited to the project "${project}": ${users} in other projects.`;
  throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['project'], message }] });
}

/** For example `2 flags use it (a, b)`; undefined if no flag uses it, except archived ones. */
function describeUsers(flags: readonly FeatureFlag[]): string | undefined {
  const active = flags.filter((flag) => !isArchived(flag));
  if (active.length === 0) return undefined;
  const count = active.length === 1 ? '1 flag uses' : `${active.length} flags use`;
  return `${count} it (${listNames(active)})`;
}

/**
 * Refuses the deletion of a type that flags still use, which Unleash allows. In Vexil, those flags would go off at
 * once, in every environment in which they have such a strategy, and a user who deletes a type does not expect that. An
 * archived flag is off already, and its return from the archive switches it off everywhere.
 */
export function refuseInUse(definition: StrategyDefinition, flags: readonly FeatureFlag[]): void {
  const users = describeUsers(flags);
  if (users === undefined) return;
  const message = `The strategy type "${wireNameOf(definition)}" cannot be deleted: ${users}, and would go off where such a strategy is. Remove these strategies first, or deprecate the type.`;
  throw new Refusal('in-use', message);
}
