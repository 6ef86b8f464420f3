/** Flags in every state that decides where they are on, in two worlds, with the documented rule about them. */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Strategy } from '../../src/schema/strategy.ts';
import { anEnvironment, aProject, type Manifest } from './builders.ts';

export const strategySets: Readonly<Record<string, Readonly<Record<string, Strategy>>>> = {
  none: {},
  active: { a: { name: 'default' } },
  disabled: { a: { name: 'default', disabled: true } },
  both: { a: { name: 'default', disabled: true }, b: { name: 'flexibleRollout', parameters: { rollout: 0 } } },
  unknown: { a: { name: 'odd' } },
  mixed: { a: { name: 'default' }, b: { name: 'odd', disabled: true } },
};
export const switches: Readonly<Record<string, { readonly enabled?: boolean }>> = {
  absent: {},
  off: { enabled: false },
  on: { enabled: true },
};
export const archives: Readonly<Record<string, FlagSpec>> = { kept: {}, archived: { archived: true } };

/**
 * `shop` names no environment and so uses all enabled ones; `listing` names these three; `elsewhere` names none of
 * them.
 */
export const projects = ['shop', 'listing', 'elsewhere', 'nowhere'];
export const environments = ['production', 'asleep', 'moon'];

export interface FlagState {
  readonly name: string;
  readonly project: string;
  readonly environment: string;
  readonly strategies: string;
  readonly position: string;
  readonly archive: string;
}

type Axes = Partial<Record<'project' | 'environment' | 'strategies' | 'position' | 'archive', readonly string[]>>;

/** Every combination of the values given, with those of a flag that is on where no values are given. */
export function combinations({
  project: inProjects = ['shop'],
  environment: inEnvironments = ['production'],
  strategies: sets = ['active'],
  position: positions = ['on'],
  archive: archived = ['kept'],
}: Axes): readonly FlagState[] {
  return inProjects.flatMap((project) =>
    inEnvironments.flatMap((environment) =>
      sets.flatMap((strategies) =>
        positions.flatMap((position) =>
          archived.map((archive) => {
            const name = [project, environment, strategies, position, archive].join('-');
            return { name, project, environment, strategies, position, archive };
          }),
        ),
      ),
    ),
  );
}

export const specOfState = ({ project, environment, strategies, position, archive }: FlagState): FlagSpec => ({
  project,
  ...archives[archive],
  environments: { [environment]: { ...switches[position], strategies: strategySets[strategies] ?? {} } },
});

/** The objects that exist in addition to the flags, in plain words. */
export interface StateWorld {
  /** The objects to apply to get to this world from the one before, without the flags. */
  readonly arrivals: (home: string) => readonly Manifest[];
  readonly projects: readonly string[];
  readonly environments: readonly string[];
  /** The environments that a project uses and that exist. */
  readonly used: Readonly<Record<string, readonly string[]>>;
}

export const stateWorlds: Readonly<Record<string, StateWorld>> = {
  'while a project and an environment are missing and another is disabled': {
    arrivals: (home) => [
      anEnvironment(`${home}/asleep`, { enabled: false }),
      aProject(`${home}/listing`, { environments: ['production', 'asleep', 'moon'] }),
      aProject(`${home}/elsewhere`, { environments: ['development'] }),
    ],
    projects: ['shop', 'listing', 'elsewhere'],
    environments: ['production', 'asleep'],
    used: { shop: ['production'], listing: ['production', 'asleep'], elsewhere: [], nowhere: [] },
  },
  'once they are there and enabled': {
    arrivals: (home) => [
      anEnvironment(`${home}/asleep`, { enabled: true }),
      anEnvironment(`${home}/moon`),
      aProject(`${home}/nowhere`),
    ],
    projects,
    environments,
    used: { shop: environments, listing: environments, elsewhere: [], nowhere: environments },
  },
};

/** The rule as documented, independent of the code under test. */
export function isOn(
  { used }: StateWorld,
  { project, environment, strategies, position, archive }: FlagState,
): boolean {
  const isUsed = used[project]?.includes(environment) === true;
  const hasActiveStrategy = ['active', 'both', 'unknown', 'mixed'].includes(strategies);
  const hasUnknownStrategy = ['unknown', 'mixed'].includes(strategies);
  return position === 'on' && archive === 'kept' && isUsed && hasActiveStrategy && !hasUnknownStrategy;
}

/** Every problem of the flag, even if the flag would be off without it. */
export function problemsOf(world: StateWorld, { project, environment, strategies, position }: FlagState): string[] {
  const isThere = world.environments.includes(environment);
  const isUsed = world.used[project]?.includes(environment) === true;
  return [
    ...(world.projects.includes(project) ? [] : ['ProjectNotFound']),
    ...(isThere ? [] : ['EnvironmentNotFound']),
    ...(isThere && !isUsed && world.projects.includes(project) ? ['EnvironmentNotInProject'] : []),
    ...(['unknown', 'mixed'].includes(strategies) ? ['UnknownStrategy'] : []),
    ...(['none', 'disabled'].includes(strategies) && position === 'on' ? ['EnabledWithoutStrategies'] : []),
  ];
}
