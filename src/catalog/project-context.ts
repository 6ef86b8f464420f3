/** The projects with their environments and the strategy types, memoised until one of them changes. */

import { environmentsOfProject, type FlagContext, inOrder } from '../domain/flag/flag-context.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import { type StrategyType, strategyTypesOf } from '../domain/strategy-type/strategy-types.ts';
import type { Environment } from '../schema/environment.ts';
import type { Project } from '../schema/project.ts';
import { type Caches, type ClaimedCache, changedInSubstance } from './cached.ts';
import { nameOwner, nameOwners } from './holders.ts';

/** Key of the index `project`: a flag's project is one in the flag's own namespace. */
export function projectKey(namespace: string, projectId: string): string {
  return `${namespace}/${projectId}`;
}

interface ProjectSnapshot {
  readonly byName: ReadonlyMap<string, Environment>;
  readonly environments: readonly Environment[];
  readonly projects: readonly Project[];
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  readonly flagContext: Map<string, FlagContext>;
}

interface Dependents extends Pick<Caches, 'environments' | 'strategyTypes'> {
  readonly projects: ClaimedCache<Project>;
}

/**
 * Lists, maps and contexts are the same until the spec of a project, an environment or a strategy type changes, or a
 * claim to the id of a project. Until then, the objects in them may have older statuses.
 */
export interface ProjectContext {
  /** The projects that own their ids, ordered by id. */
  projects(): readonly Project[];
  /** The environments that own their names, in their order. */
  environments(): readonly Environment[];
  /** The environments that own their names, by name; in no order. */
  everyEnvironment(): ReadonlyMap<string, Environment>;
  /** The strategy types by name, the built-in ones first. */
  strategyTypes(): ReadonlyMap<string, StrategyType>;
  /** The namespace that the id of a project belongs to; undefined: no project has it, and it is not reserved. */
  namespaceOfProject(id: string): string | undefined;
  /** The context of a flag of this project in this namespace, which may have neither the project nor the flag. */
  flagContextOf(namespace: string, projectId: string): FlagContext;
}

export function createProjectContext({ projects, environments, strategyTypes }: Dependents): ProjectContext {
  let snapshot: ProjectSnapshot | undefined;
  const forget = () => {
    snapshot = undefined;
  };
  environments.subscribe((change) => changedInSubstance(change) && forget());
  projects.subscribe((change) => changedInSubstance(change) && forget());
  projects.claims.onClaim(forget);
  strategyTypes.subscribe((change) => changedInSubstance(change) && forget());

  const present = (): ProjectSnapshot => {
    snapshot ??= read({ projects, environments, strategyTypes });
    return snapshot;
  };

  const namespaceOfProject = (id: string) =>
    projects.claims.claimOf(id)?.namespace ?? nameOwner(projects, id)?.metadata.namespace;

  return {
    namespaceOfProject,
    projects: () => present().projects,
    environments: () => present().environments,
    everyEnvironment: () => present().byName,
    strategyTypes: () => present().strategyTypes,

    flagContextOf(namespace: string, projectId: string): FlagContext {
      const { byName, flagContext, strategyTypes } = present();
      const key = projectKey(namespace, projectId);
      const known = flagContext.get(key);
      if (known) return known;
      const owner = namespaceOfProject(projectId);
      const project = owner === namespace ? nameOwner(projects, projectId) : undefined;
      const fresh: FlagContext = {
        project,
        projectElsewhere: owner === namespace ? undefined : owner,
        environments: project ? environmentsOfProject(project, byName) : [],
        everyEnvironment: byName,
        strategyTypes,
      };
      flagContext.set(key, fresh);
      return fresh;
    },
  };
}

function read({ projects, environments, strategyTypes }: Dependents): ProjectSnapshot {
  const nameOwning = nameOwners(environments);
  return {
    byName: new Map(nameOwning.map((environment) => [wireNameOf(environment), environment])),
    environments: inOrder(nameOwning),
    projects: nameOwners(projects).sort((a, b) => compareText(wireNameOf(a), wireNameOf(b))),
    strategyTypes: strategyTypesOf(nameOwners(strategyTypes)),
    flagContext: new Map(),
  };
}
