/**
 * Lookups across the caches of all kinds: the owner of a name, the context of a flag, the summary and members of a
 * project.
 */
import type { CloneContext, CloneRequest } from '../domain/environment/clone-environment.ts';
import type { EnvironmentUse } from '../domain/environment/judge-environment.ts';
import { effectOf, type FlagEffect } from '../domain/flag/effect.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import type { HighestIdByKind } from '../domain/identity/integer-id.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { NameClaim, NameConflictWith } from '../domain/name-claims/name-claims.ts';
import type { ProjectCounts, ProjectSummary } from '../domain/project/project-summary.ts';
import { throwUncaught } from '../model/listeners.ts';
import { memo } from '../model/memo.ts';
import type { Ref } from '../model/object.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { OfDecidingKinds } from '../schema/kinds.ts';
import type { Project } from '../schema/project.ts';
import { type Segment, segment as segmentKind } from '../schema/segment.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import { type Cached, type Caches, type ClaimsOfKind, type NameClaims, noClaims, withClaims } from './cached.ts';
import { type ChangeRequestCaches, type ChangeRequestLookups, createChangeRequests } from './change-requests.ts';
import { type DormantLookup, findDormant } from './dormant.ts';
import { createFamilies, type Families } from './families.ts';
import { conflictingOwnerOf, duplicatesOf, nameConflictWithOf, nameOwner } from './holders.ts';
import { createPeople, type PeopleCaches, type PeopleLookups } from './people.ts';
import { createPlannedMoments, type PlannedMoments } from './planned-moments.ts';
import { createProjectContext, type ProjectContext } from './project-context.ts';
import { createProjectViews, type ProjectView, type ProjectViews, undisputedEffect } from './project-views.ts';
import { createSegmentLookups, type SegmentsInUse } from './segments.ts';
import { createTokens, type TokenCache, type TokenLookups } from './tokens.ts';
import { createTouchedFlags, type ListenToTouched } from './touched-flags.ts';

/** The caches that are looked up, with the indexes that are used. */
export interface CatalogCaches
  extends Pick<Caches, 'projects' | 'environments' | 'strategyTypes'>,
    PeopleCaches,
    ChangeRequestCaches,
    TokenCache {
  readonly flags: Cached<
    FeatureFlag,
    'wireName' | 'project' | 'strategyType' | 'parent' | 'segment' | 'segmentedStrategy'
  >;
  readonly segments: Cached<Segment, 'wireName' | 'id'>;
}

export interface Instance {
  /** The operator namespace. */
  readonly home: string;
  readonly claims?: NameClaims;
  /** Receives what a listener of the catalog throws. Absent: it ends the process. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Everything that is known about the objects in the caches. An object of a cache is the same until another version of
 * it arrives. Other values are new with each call, unless the member or its group says how long they stay the same.
 */
export interface Catalog
  extends Omit<ProjectContext, 'flagContextOf'>,
    ProjectViews,
    Families,
    PeopleLookups,
    TokenLookups,
    ChangeRequestLookups,
    SegmentsInUse {
  // Flags
  /** The context of a flag, with its parents and segments; the same object until one of its parts changes. */
  flagContextOf(flag: FeatureFlag): FlagContext;
  /** What is in effect of the flag; the same object until the flag or its context changes, if it owns its name. */
  effectOf(flag: FeatureFlag): FlagEffect;
  /** The flag that owns this name, archived or not. */
  flag(name: string): FeatureFlag | undefined;
  /** The flag with this object name, whether or not it owns its name. */
  flagAt(ref: Ref): FeatureFlag | undefined;
  /** The segment with this object name, whether or not it owns its name. */
  segmentAt(ref: Ref): Segment | undefined;
  /** The project with this object name, whether or not it owns its id. */
  projectAt(ref: Ref): Project | undefined;
  /** The environment with this object name, whether or not it owns its name; with its present status. */
  environmentAt(ref: Ref): Environment | undefined;
  /**
   * Flags with a strategy of this type, which is not built in; archived ones and those that do not own their names
   * included. The same list until one of them changes.
   */
  flagsOfStrategyType(name: string): readonly FeatureFlag[];
  /** The namespace that the name of a flag belongs to, whether or not a flag there has it now. */
  flagClaim(name: string): NameClaim | undefined;
  /** The other flags that want the name of this one, the oldest first; empty unless this one owns the name. */
  flagDuplicates(flag: FeatureFlag): readonly Ref[];

  // Projects
  /** The project that owns this id. */
  project(id: string): Project | undefined;
  /** The namespace that the id of a project belongs to, whether or not a project there has it now. */
  projectClaim(id: string): NameClaim | undefined;
  /** What owns the id that the project wants: another project, or a namespace alone; undefined: itself or nothing. */
  projectConflictWith(project: Project): NameConflictWith | undefined;
  /** The other projects that want the id of this one, the oldest first; empty unless this one owns the id. */
  projectDuplicates(project: Project): readonly Ref[];
  /** The summary and the number of present members; the same object until one of them changes. */
  countsOf(view: ProjectView): ProjectCounts;

  // Environments and strategy types
  /** The environment that owns this name; the status may be older than that of `environmentAt`. */
  environment(name: string): Environment | undefined;
  /** The older environment that owns the name of this one; undefined: none. */
  environmentConflictWith(environment: Environment): Ref | undefined;
  /** The objects that a clone of an environment is made from. */
  cloneContext(request: CloneRequest): CloneContext;
  /**
   * How much an environment is used: a sum over the projects, each of which counts its flags once after each change.
   */
  useOf(name: string): EnvironmentUse;
  /** The definition that owns this name; undefined: none, as for a built-in type. */
  strategyDefinition(name: string): StrategyDefinition | undefined;
  /** The older definition that owns the name of this one; undefined: none. */
  strategyConflictWith(definition: StrategyDefinition): Ref | undefined;

  // Time and changes
  /** Ms since 1970, never decreasing: the time that windows and ramps follow. */
  now(): number;
  /** The future moments of all flags, whether or not they own their names. */
  readonly moments: PlannedMoments;
  /** Calls a listener, as long as the process runs, with the names of flags that a change or the time may affect. */
  readonly onTouched: ListenToTouched;
  /**
   * Increases with each change of a cache that flags are judged by, and with the moments of their windows and ramps: a
   * value that was computed at a version is valid until the version changes.
   */
  version(): number;

  // Objects of all kinds
  /** Whether an object has no effect, as its name and its project are owned now; false for an unknown kind. */
  readonly isDormant: DormantLookup;
  /** The highest ids seen so far, by the plural of the kind. */
  highestIds(): HighestIdByKind;
}

/** `now` gives ms since 1970. */
export function createCatalog(
  caches: CatalogCaches,
  now: () => number,
  { home, claims = noClaims, onFault = throwUncaught }: Instance,
): Catalog {
  const { environments, strategyTypes } = caches;
  const flags = withClaims(caches.flags, claims.of('featureflags'));
  const projects = withClaims(caches.projects, claims.of('projects'));
  const projectContext = createProjectContext({ projects, environments, strategyTypes });
  const segments = withClaims(caches.segments, claims.of('segments'));
  const usedSegments = createSegmentLookups({ ...caches, segments, flags, projects, projectContext, home });
  const families = createFamilies({ flags, segmentsOf: usedSegments.segmentsOf, now });
  const moments = createPlannedMoments({ ...projectContext, flags, environments, now, onFault });
  const views = createProjectViews({ flags, projects, projectContext, families, segments: usedSegments, moments, now });
  const people = createPeople(caches);
  const tokens = createTokens({ tokens: caches.tokens, userNamed: people.userNamed, now });
  const environment = (name: string): Environment | undefined => projectContext.everyEnvironment().get(name);
  const everyName = () => [...projectContext.everyEnvironment().keys()];
  const changeRequests = createChangeRequests({ ...usedSegments, ...caches, environment, everyName });
  const counts = memo((summary: ProjectSummary, members: number): ProjectCounts => ({ summary, members }));
  const flagContextOf = (flag: FeatureFlag): FlagContext =>
    families.withRelated(flag, projectContext.flagContextOf(flag.metadata.namespace, projectIdOf(flag)));
  const judgedBy = { flags, projects, environments, strategyTypes, segments } satisfies OfDecidingKinds<Watched>;

  return {
    ...projectContext,
    ...views,
    ...families,
    ...people,
    ...tokens,
    ...usedSegments,
    ...changeRequests,
    flagAt: flags.get,
    segmentAt: segments.get,
    projectAt: projects.get,
    environmentAt: environments.get,
    flagContextOf,
    now,
    onTouched: createTouchedFlags({ ...judgedBy, moments, onFault }),
    moments,
    isDormant: findDormant({ ...projectContext, ...changeRequests, flags, projects, segments, home }),
    version: countChanges(judgedBy, moments),
    flag: (name: string): FeatureFlag | undefined => nameOwner(flags, name),
    project: (id: string): Project | undefined => nameOwner(projects, id),
    environment,
    strategyDefinition: (name: string): StrategyDefinition | undefined => nameOwner(strategyTypes, name),
    flagsOfStrategyType: (name: string): readonly FeatureFlag[] => flags.by('strategyType', name),
    flagClaim: (name: string): NameClaim | undefined => flags.claims.claimOf(name),
    projectClaim: (id: string): NameClaim | undefined => projects.claims.claimOf(id),
    highestIds: (): HighestIdByKind => ({
      ...people.highestIds(),
      [segmentKind.plural]: usedSegments.highestSegmentId(),
    }),
    projectConflictWith: (project: Project): NameConflictWith | undefined => nameConflictWithOf(projects, project),
    flagDuplicates: (flag: FeatureFlag): readonly Ref[] => duplicatesOf(flags, flag),
    projectDuplicates: (project: Project): readonly Ref[] => duplicatesOf(projects, project),
    environmentConflictWith: (one: Environment): Ref | undefined => conflictingOwnerOf(environments, one),
    strategyConflictWith: (one: StrategyDefinition): Ref | undefined => conflictingOwnerOf(strategyTypes, one),

    effectOf(flag: FeatureFlag): FlagEffect {
      const [flagContext, conflictingOwner] = [flagContextOf(flag), nameConflictWithOf(flags, flag)];
      return conflictingOwner ? effectOf(flag, flagContext, conflictingOwner) : undisputedEffect(flag, flagContext);
    },

    countsOf: (view: ProjectView): ProjectCounts =>
      // The project of the view may have an older status, and the status says which users the members are.
      counts(views.summaryOf(view), people.membersOf(projects.get(view.project.metadata) ?? view.project).length),

    cloneContext({ from, projects: ids }: CloneRequest): CloneContext {
      // The project context cannot be used: it ignores changes of a status.
      return { source: nameOwner(environments, from), projects: ids.map((id) => ({ id, view: views.view(id) })) };
    },

    useOf: (name: string): EnvironmentUse => useOfEnvironment(name, { projectContext, views, tokens }),
  };
}

interface UsingEnvironments {
  readonly projectContext: Pick<ProjectContext, 'projects'>;
  readonly views: Pick<ProjectViews, 'view' | 'summaryOf'>;
  readonly tokens: Pick<TokenLookups, 'tokenCount'>;
}

function useOfEnvironment(name: string, { projectContext, views, tokens }: UsingEnvironments): EnvironmentUse {
  const using = projectContext
    .projects()
    .flatMap((project) => views.view(wireNameOf(project)) ?? [])
    .filter(({ flagContext }) => flagContext.environments.some((one) => wireNameOf(one) === name));
  const enabledFlags = using.reduce((sum, view) => sum + (views.summaryOf(view).enabled.get(name) ?? 0), 0);
  return { projects: using.length, apiTokens: tokens.tokenCount(name), enabledFlags };
}

type Watched = Pick<Cached<unknown>, 'subscribe'> & { readonly claims?: ClaimsOfKind | undefined };

function countChanges(caches: OfDecidingKinds<Watched>, moments: Pick<PlannedMoments, 'onPassed'>): () => number {
  let version = 0;
  const rise = () => {
    version += 1;
  };
  for (const { subscribe, claims } of Object.values(caches)) {
    subscribe(rise);
    claims?.onClaim(rise);
  }
  moments.onPassed(rise);
  return () => version;
}
