/** The projects with their environments and the strategy types, as they stand until one of them changes. */
import { compareText, wireNameOf } from '../domain/names.ts';
import { type StrategyType, strategyTypesOf } from '../domain/strategy-types.ts';
import { environmentsOfProject, inOrder, type Surroundings } from '../domain/surroundings.ts';
import type { Environment } from '../schema/environment.ts';
import type { Project } from '../schema/project.ts';
import { type Caches, type ClaimedCache, changedInSubstance } from './cached.ts';
import { holder, holders } from './holders.ts';
import { projectKey } from './indexes.ts';

interface Snapshot {
  readonly byName: ReadonlyMap<string, Environment>;
  readonly environments: readonly Environment[];
  readonly projects: readonly Project[];
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  readonly surroundings: Map<string, Surroundings>;
}

export type Neighbourhood = ReturnType<typeof createNeighbourhood>;

interface Neighbours extends Pick<Caches, 'environments' | 'strategies'> {
  readonly projects: ClaimedCache<Project>;
}

export function createNeighbourhood({ projects, environments, strategies }: Neighbours) {
  let snapshot: Snapshot | undefined;
  const forget = () => {
    snapshot = undefined;
  };
  environments.subscribe((change) => changedInSubstance(change) && forget());
  projects.subscribe((change) => changedInSubstance(change) && forget());
  projects.claims.onClaim(forget);
  strategies.subscribe((change) => changedInSubstance(change) && forget());

  const present = (): Snapshot => {
    snapshot ??= read({ projects, environments, strategies });
    return snapshot;
  };

  return {
    /** Projects that hold their ids, ordered by id. */
    projects: () => present().projects,
    /** Environments that hold their names, in their order. */
    environments: () => present().environments,
    everyEnvironment: () => present().byName,
    /** By name, the built-in ones first. */
    strategyTypes: () => present().strategyTypes,

    /** What surrounds a flag of this project in this namespace; the same object until one of its parts changes. */
    surroundingsOf(namespace: string, projectId: string): Surroundings {
      const { byName, surroundings, strategyTypes } = present();
      const key = projectKey(namespace, projectId);
      const known = surroundings.get(key);
      if (known) return known;
      const found = holder(projects, projectId);
      const owner = projects.claims.claimOf(projectId)?.namespace ?? found?.metadata.namespace;
      const project = owner === namespace ? found : undefined;
      const fresh: Surroundings = {
        project,
        projectElsewhere: owner === namespace ? undefined : owner,
        environments: project ? environmentsOfProject(project, byName) : [],
        everyEnvironment: byName,
        strategyTypes,
      };
      surroundings.set(key, fresh);
      return fresh;
    },
  };
}

function read({ projects, environments, strategies }: Neighbours): Snapshot {
  const held = holders(environments);
  return {
    byName: new Map(held.map((environment) => [wireNameOf(environment), environment])),
    environments: inOrder(held),
    projects: holders(projects).sort((a, b) => compareText(wireNameOf(a), wireNameOf(b))),
    strategyTypes: strategyTypesOf(holders(strategies)),
    surroundings: new Map(),
  };
}
