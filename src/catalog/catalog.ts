/** What the caches of all kinds say together: who holds a name, what surrounds a flag, what a project adds up to, who works with it. */
import type { CloneGround, CloneRequest } from '../domain/clone-environment.ts';
import { effectOf, type FlagEffect } from '../domain/effect.ts';
import { projectIdOf } from '../domain/flag-values.ts';
import type { EnvironmentUse } from '../domain/judge-environment.ts';
import type { NameClaim, NameRival } from '../domain/name-claims.ts';
import { wireNameOf } from '../domain/names.ts';
import type { ProjectCounts, ProjectSummary } from '../domain/project-summary.ts';
import type { Surroundings } from '../domain/surroundings.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Ref } from '../schema/object.ts';
import type { Project } from '../schema/project.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import { type Caches, type NameClaims, noClaims, withClaims } from './cached.ts';
import { duplicatesOf, holder, nameRivalOf, rivalOf } from './holders.ts';
import { memo } from './memo.ts';
import { createNeighbourhood } from './neighbourhood.ts';
import { createPeople } from './people.ts';
import { createProjectViews, type ProjectView, undisputedEffect } from './project-views.ts';
import { createTokens } from './tokens.ts';

export type Catalog = ReturnType<typeof createCatalog>;

/** `now` gives ms since 1970. */
export function createCatalog(caches: Caches, now: () => number, claims: NameClaims = noClaims) {
  const { environments, strategies } = caches;
  const flags = withClaims(caches.flags, claims.of('featureflags'));
  const projects = withClaims(caches.projects, claims.of('projects'));
  const neighbourhood = createNeighbourhood({ projects, environments, strategies });
  const views = createProjectViews({ flags, projects, neighbourhood, now });
  const people = createPeople(caches);
  const tokens = createTokens({ tokens: caches.tokens, userNamed: people.userNamed, now });
  const counts = memo((summary: ProjectSummary, members: number): ProjectCounts => ({ summary, members }));
  const surroundingsOf = (flag: FeatureFlag): Surroundings =>
    neighbourhood.surroundingsOf(flag.metadata.namespace, projectIdOf(flag));

  return {
    ...neighbourhood,
    ...views,
    ...people,
    ...tokens,
    surroundingsOf,
    flag: (name: string): FeatureFlag | undefined => holder(flags, name),
    project: (id: string): Project | undefined => holder(projects, id),
    environment: (name: string): Environment | undefined => neighbourhood.everyEnvironment().get(name),
    strategyDefinition: (name: string): StrategyDefinition | undefined => holder(strategies, name),
    /** Flags with a strategy of this type, which is not built in; archived ones included. */
    flagsOfStrategyType: (name: string): readonly FeatureFlag[] => flags.by('strategyType', name),
    /** The namespace that the name of a flag belongs to, whether a flag there has it now or not. */
    flagClaim: (name: string): NameClaim | undefined => flags.claims.claimOf(name),
    projectClaim: (id: string): NameClaim | undefined => projects.claims.claimOf(id),
    projectRival: (project: Project): NameRival | undefined => nameRivalOf(projects, project),
    flagDuplicates: (flag: FeatureFlag): readonly Ref[] => duplicatesOf(flags, flag),
    projectDuplicates: (project: Project): readonly Ref[] => duplicatesOf(projects, project),
    environmentRival: (environment: Environment): Ref | undefined => rivalOf(environments, environment),
    strategyRival: (definition: StrategyDefinition): Ref | undefined => rivalOf(strategies, definition),

    /** What of the flag is in effect. */
    effectOf(flag: FeatureFlag): FlagEffect {
      const rival = nameRivalOf(flags, flag);
      return rival ? effectOf(flag, surroundingsOf(flag), rival) : undisputedEffect(flag, surroundingsOf(flag));
    },

    /** The same object for as long as nothing in it changes. */
    countsOf: (view: ProjectView): ProjectCounts =>
      // The project of the view may have an older status, and the status says which users the members are.
      counts(views.summaryOf(view), people.membersOf(projects.get(view.project.metadata) ?? view.project).length),

    /** What a clone of an environment is made from. */
    cloneGround({ from, projects: ids }: CloneRequest): CloneGround {
      // Not from the neighbourhood, which does not hear of statuses.
      return { source: holder(environments, from), projects: ids.map((id) => ({ id, view: views.view(id) })) };
    },

    /** How much an environment is used: a sum over the projects, each of which counts its flags once a change. */
    useOf(name: string): EnvironmentUse {
      const using = neighbourhood
        .projects()
        .flatMap((project) => views.view(wireNameOf(project)) ?? [])
        .filter(({ surroundings }) => surroundings.environments.some((one) => wireNameOf(one) === name));
      const enabledFlags = using.reduce((sum, view) => sum + (views.summaryOf(view).enabled.get(name) ?? 0), 0);
      return { projects: using.length, apiTokens: tokens.tokenCount(name), enabledFlags };
    },
  };
}
