/** The projects with their environments, as they stand until one of them changes. */
import { compareText, wireNameOf } from '../domain/names.ts';
import { builtInStrategyTypes, environmentsOfProject, inOrder, type Surroundings } from '../domain/surroundings.ts';
import type { Environment } from '../schema/environment.ts';
import type { Project } from '../schema/project.ts';
import { type Caches, changedInSubstance } from './cached.ts';
import { holder, holders } from './holders.ts';
import { projectKey } from './indexes.ts';

interface Snapshot {
  readonly byName: ReadonlyMap<string, Environment>;
  readonly environments: readonly Environment[];
  readonly projects: readonly Project[];
  readonly surroundings: Map<string, Surroundings>;
}

export type Neighbourhood = ReturnType<typeof createNeighbourhood>;

export function createNeighbourhood({ projects, environments }: Pick<Caches, 'projects' | 'environments'>) {
  let snapshot: Snapshot | undefined;
  const forget = () => {
    snapshot = undefined;
  };
  environments.subscribe((change) => changedInSubstance(change) && forget());
  projects.subscribe((change) => changedInSubstance(change) && forget());

  const present = (): Snapshot => {
    snapshot ??= read({ projects, environments });
    return snapshot;
  };

  return {
    /** Projects that hold their ids, ordered by id. */
    projects: () => present().projects,
    /** Environments that hold their names, in their order. */
    environments: () => present().environments,
    everyEnvironment: () => present().byName,

    /** What surrounds a flag of this project in this namespace; the same object until a project or environment changes. */
    surroundingsOf(namespace: string, projectId: string): Surroundings {
      const { byName, surroundings } = present();
      const key = projectKey(namespace, projectId);
      const known = surroundings.get(key);
      if (known) return known;
      const found = holder(projects, projectId);
      const project = found?.metadata.namespace === namespace ? found : undefined;
      const fresh: Surroundings = {
        project,
        projectElsewhere: project ? undefined : found?.metadata.namespace,
        environments: project ? environmentsOfProject(project, byName) : [],
        everyEnvironment: byName,
        strategyTypes: builtInStrategyTypes,
      };
      surroundings.set(key, fresh);
      return fresh;
    },
  };
}

function read({ projects, environments }: Pick<Caches, 'projects' | 'environments'>): Snapshot {
  const held = holders(environments);
  return {
    byName: new Map(held.map((environment) => [wireNameOf(environment), environment])),
    environments: inOrder(held),
    projects: holders(projects).sort((a, b) => compareText(wireNameOf(a), wireNameOf(b))),
    surroundings: new Map(),
  };
}
