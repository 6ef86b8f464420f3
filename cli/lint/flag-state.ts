/** The specs of flags and segments, with what is in effect. */
import { environmentsOf, projectIdOf } from '../../src/domain/flag/flag-values.ts';
import { segmentNamesOf } from '../../src/domain/flag/segments-of-flag.ts';
import { compareText, wireNameOf } from '../../src/domain/identity/names.ts';
import type { FeatureFlag, FlagEnvironment } from '../../src/schema/feature-flag.ts';
import type { OfflineCluster } from './offline-cluster.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface EnvironmentState {
  readonly inEffect: boolean;
  /** All that the spec says about the environment. */
  readonly spec: FlagEnvironment;
}

export interface FlagState {
  readonly name: string;
  readonly project: string;
  readonly environments: ReadonlyMap<string, EnvironmentState>;
  /** The fields of the spec except the names and the environments. */
  readonly fields: Fields;
}

export interface SegmentState {
  readonly name: string;
  /** The fields of the spec except the name. */
  readonly fields: Fields;
  /** The flags that use it, as `project/name`. */
  readonly flags: readonly string[];
}

export interface States {
  /** Sorted by project, then by name. */
  readonly flags: readonly FlagState[];
  /** Sorted by name. */
  readonly segments: readonly SegmentState[];
}

export function statesIn({ stores, catalog }: OfflineCluster): States {
  const flags = [...stores.flags.all()];
  const users = Map.groupBy(
    flags.flatMap((flag) => [...segmentNamesOf(flag)].map((segment) => ({ segment, flag: flagKey(stateOf(flag)) }))),
    ({ segment }) => segment,
  );
  const segments = [...stores.segments.all()].map((segment): SegmentState => {
    const name = wireNameOf(segment);
    const { name: _, ...fields } = segment.spec;
    return { name, fields, flags: (users.get(name) ?? []).map(({ flag }) => flag).sort(compareText) };
  });
  return {
    flags: flags
      .map((flag) => stateOf(flag, catalog.effectOf(flag).enabledIn))
      .sort((a, b) => compareText(a.project, b.project) || compareText(a.name, b.name)),
    segments: segments.sort((a, b) => compareText(a.name, b.name)),
  };
}

/** A flag that moves to another project is another flag. */
export function flagKey({ project, name }: Pick<FlagState, 'project' | 'name'>): string {
  return `${project}/${name}`;
}

function stateOf(flag: FeatureFlag, enabledIn: ReadonlySet<string> = new Set()): FlagState {
  const environments = environmentsOf(flag).map(
    ([name, spec]) => [name, { inEffect: enabledIn.has(name), spec }] as const,
  );
  const { environments: _, name: _name, project: _project, ...fields } = flag.spec;
  return { name: wireNameOf(flag), project: projectIdOf(flag), environments: new Map(environments), fields };
}
