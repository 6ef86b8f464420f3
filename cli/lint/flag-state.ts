/** What is asked of flags and what is in effect, by environment. */
import { environmentsOf, projectIdOf } from '../../src/domain/flag/flag-values.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import type { FeatureFlag } from '../../src/schema/feature-flag.ts';
import type { OfflineCluster } from './offline-cluster.ts';

export interface EnvironmentState {
  /** What the spec asks for. */
  readonly asked: boolean;
  readonly inEffect: boolean;
  /** All that the spec says about the environment, as JSON. */
  readonly spec: string;
}

export interface FlagState {
  readonly name: string;
  readonly project: string;
  readonly environments: ReadonlyMap<string, EnvironmentState>;
}

/** By project, then by name. */
export function flagStates({ stores, catalog }: OfflineCluster): readonly FlagState[] {
  return [...stores.flags.all()]
    .map((flag) => stateOf(flag, catalog.effectOf(flag).enabledIn))
    .sort((a, b) => compare(a.project, b.project) || compare(a.name, b.name));
}

function stateOf(flag: FeatureFlag, enabledIn: ReadonlySet<string>): FlagState {
  const environments = environmentsOf(flag).map(([name, environment]) => {
    const state = { asked: environment.enabled === true, inEffect: enabledIn.has(name) };
    return [name, { ...state, spec: JSON.stringify(environment) }] as const;
  });
  return { name: wireNameOf(flag), project: projectIdOf(flag), environments: new Map(environments) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
