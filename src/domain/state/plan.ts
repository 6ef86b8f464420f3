/** The plan of an import of a state document, complete before the first write. */
import type { Refusal } from '../../errors.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { Project } from '../../schema/project.ts';
import type { Segment, SegmentSpec } from '../../schema/segment.ts';
import type { StrategyDefinition, StrategyDefinitionSpec } from '../../schema/strategy-definition.ts';
import { refuseParent } from '../flag/dependencies.ts';
import { isArchived, projectIdOf } from '../flag/flag-values.ts';
import { segmentNamesOf } from '../flag/segments-of-flag.ts';
import { refuseInUse, refuseSegmentInUse } from '../flag/uses.ts';
import { wireNameOf } from '../identity/names.ts';
import { isBuiltIn, listStrategyTypes, type StrategyType } from '../strategy-type/strategy-types.ts';
import { type After, brokenReferences, type Complaint } from './checks.ts';
import {
  type Changed,
  type ImportMode,
  type PlannedChange,
  planKind,
  plannedEdit,
  sorted,
  unlessRefused,
} from './planned-change.ts';
import { importFlag, refuseUnlikeFlag } from './state-flag.ts';
import { brokenSegments, importSegment, segmentsAfter } from './state-segments.ts';
import { importStrategyType, typesAfter } from './state-strategy-types.ts';
import type {
  At,
  WantedEnvironment,
  WantedFlag,
  WantedProject,
  WantedSegment,
  WantedState,
  WantedType,
} from './wanted.ts';

/** The state of the cluster that the plan depends on. */
export interface ImportContext {
  readonly environment: (name: string) => Environment | undefined;
  readonly project: (id: string) => Project | undefined;
  readonly flag: (name: string) => FeatureFlag | undefined;
  readonly strategyDefinition: (name: string) => StrategyDefinition | undefined;
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  /** The flags that own their names, archived ones included. */
  readonly flags: readonly FeatureFlag[];
  readonly flagsOfStrategyType: (name: string) => readonly FeatureFlag[];
  readonly segmentNamed: (name: string) => Segment | undefined;
  /** The segments that flags can use. */
  readonly segments: readonly Segment[];
  readonly flagsOfSegment: (segment: Segment) => readonly FeatureFlag[];
  /** The namespace in which new projects are created. */
  readonly home: string;
}

export interface PlannedFlag {
  readonly at: At;
  readonly name: string;
  readonly project: string;
  /** The spec without name and project. */
  readonly spec: FlagSpec;
}

/** The names of objects that stay as they are, by kind. */
export interface Skipped {
  readonly environments: readonly string[];
  readonly projects: readonly string[];
  readonly strategies: readonly string[];
  readonly segments: readonly string[];
  readonly features: readonly string[];
}

export interface StatePlan {
  readonly environments: readonly WantedEnvironment[];
  readonly projects: readonly WantedProject[];
  readonly strategyTypes: {
    readonly created: readonly WantedType[];
    readonly changed: readonly Changed<StrategyDefinition, StrategyDefinitionSpec>[];
    readonly deleted: readonly StrategyDefinition[];
  };
  readonly segments: {
    readonly created: readonly WantedSegment[];
    readonly changed: readonly Changed<Segment, SegmentSpec>[];
    readonly deleted: readonly Segment[];
  };
  readonly flags: {
    readonly created: readonly PlannedFlag[];
    readonly changed: readonly Changed<FeatureFlag, FlagSpec>[];
    readonly deleted: readonly FeatureFlag[];
    /** The changed flags that become archived. */
    readonly archived: readonly FeatureFlag[];
  };
  readonly skipped: Skipped;
  /** The conflicts with the state of the cluster; if there is one, nothing is written. */
  readonly conflicts: readonly Refusal[];
  /** The defects of the document. */
  readonly complaints: readonly Complaint[];
}

/** The number of complaints that is enough to start fixing a document. */
const ENOUGH_COMPLAINTS = 20;

/** Yields between steps of some milliseconds, as a document can have a large number of flags; returns the plan. */
export function* planState(wanted: WantedState, context: ImportContext, mode: ImportMode): Generator<void, StatePlan> {
  const { environments, projects } = wanted;
  const flags = yield* planFlags(wanted, context, mode);
  yield;
  const types = planTypes(wanted, context, mode);
  const segments = planSegments(wanted, context, { mode, flags });
  return {
    environments: environments.filter(({ name }) => !context.environment(name)),
    projects: projects.filter(({ name }) => !context.project(name)),
    strategyTypes: types,
    segments,
    flags,
    skipped: {
      environments: environments.map(({ name }) => name).filter(context.environment),
      projects: projects.map(({ name }) => name).filter(context.project),
      strategies: types.skipped,
      segments: segments.skipped,
      features: flags.skipped,
    },
    conflicts: [...types.conflicts, ...segments.conflicts, ...flags.conflicts],
    complaints: [
      ...prunesEverything(wanted, mode),
      ...brokenSegments(wanted.segments, namespacesAfter(wanted, context)),
      ...flags.complaints,
    ],
  };
}

/** A document that lost its flags would empty the projects. */
function prunesEverything({ flags = [] }: WantedState, { prune }: ImportMode): readonly Complaint[] {
  if (!prune || flags.length > 0) return [];
  const complaint = 'must have a flag if the query has prune=true: otherwise every flag of the projects is removed.';
  return [{ at: ['features'], complaint }];
}

type PlannedFlagChange = PlannedChange<PlannedFlag, Changed<FeatureFlag, FlagSpec>>;

/** A flag can have thousands of values. */
const FLAGS_AT_A_TIME = 10;

function* planFlags(wanted: WantedState, context: ImportContext, mode: ImportMode) {
  const list = wanted.flags ?? [];
  const namespaceOf = namespacesAfter(wanted, context);
  const strategyTypes = typesAfter(wanted.strategyTypes, context.strategyTypes, mode);
  const after = {
    environments: new Set(wanted.environments.map(({ name }) => name)),
    hasEnvironment: context.environment,
    namespaceOf,
    strategyTypes,
    knownTypes: listStrategyTypes(strategyTypes),
    reachesFlags: segmentsAfter(wanted.segments, context),
  };
  const segments = new Set(wanted.segments?.map(({ name }) => name));
  const hasSegment = (name: string) => segments.has(name) || context.segmentNamed(name) !== undefined;
  const plannedChanges: PlannedFlagChange[] = [];
  const complaints: Complaint[] = [];
  for (const [index, flag] of list.entries()) {
    if (index % FLAGS_AT_A_TIME === 0) yield;
    const plannedChange = planFlag(flag, { context, mode, hasSegment, ...after });
    plannedChanges.push(plannedChange);
    if (complaints.length < ENOUGH_COMPLAINTS) complaints.push(...complaintsOf(flag, plannedChange, after));
  }
  yield;
  const named = new Set(list.map(({ name }) => name));
  const deleted = removableFlags(wanted, context, mode).filter((flag) => !named.has(wireNameOf(flag)));
  const { conflicts, ...sortedChanges } = sorted(plannedChanges);
  const archiving = new Set(list.flatMap(({ name, archived }) => (archived ? [name] : [])));
  const archived = sortedChanges.changed
    .map(({ object }) => object)
    .filter((flag) => archiving.has(wireNameOf(flag)) && !isArchived(flag));
  const orphans = mode.drop ? [] : orphaned(deleted, context.flags.map(afterImport(sortedChanges.changed)));
  return { ...sortedChanges, conflicts: [...conflicts, ...orphans], deleted, archived, complaints };
}

/** The flags that are deleted unless the document has them. Exports have no archived flags, so pruning keeps these. */
function removableFlags(wanted: WantedState, { flags }: ImportContext, { drop, prune }: ImportMode) {
  if (!wanted.flags || !(drop || prune)) return [];
  if (drop) return flags;
  const projects = projectsOf(wanted);
  return flags.filter((flag) => !isArchived(flag) && projects.has(projectIdOf(flag)));
}

/** The projects that the document has, or has flags of. */
function projectsOf({ projects, flags = [] }: WantedState): ReadonlySet<string> {
  return new Set([...projects.map(({ name }) => name), ...flags.map(({ project }) => project)]);
}

/** Returns flags with the specs that they have after the import. */
function afterImport(changed: readonly Changed<FeatureFlag, FlagSpec>[]): (flag: FeatureFlag) => FeatureFlag {
  const edits = new Map(changed.map(({ object, edit }) => [object.metadata.uid, edit]));
  return (flag) => {
    const spec = edits.get(flag.metadata.uid)?.(flag);
    return spec ? { ...flag, spec } : flag;
  };
}

/** Refuses to delete parents of flags that stay, which would go off. */
function orphaned(deleted: readonly FeatureFlag[], after: readonly FeatureFlag[]): readonly Refusal[] {
  if (deleted.length === 0) return [];
  const leaving = new Set(deleted.map(wireNameOf));
  const children = Map.groupBy(
    after.flatMap((child) => (child.spec.dependencies ?? []).map(({ feature }) => ({ feature, child }))),
    ({ feature }) => feature,
  );
  const refusals = deleted.map((flag) => {
    const own = children.get(wireNameOf(flag)) ?? [];
    return unlessRefused(() =>
      refuseParent(
        flag,
        own.map(({ child }) => child),
        leaving,
      ),
    );
  });
  return refusals.flatMap((one) => (one ? [one.conflict] : []));
}

function complaintsOf(
  flag: WantedFlag,
  plannedChange: PlannedFlagChange,
  after: Omit<After, 'spec'>,
): readonly Complaint[] {
  if ('created' in plannedChange) return brokenReferences(flag, { ...after, spec: plannedChange.created.spec });
  if (!('changed' in plannedChange)) return [];
  const { object, edit } = plannedChange.changed;
  return brokenReferences(flag, { ...after, before: object.spec, spec: edit(object) });
}

interface PlanParts {
  readonly context: ImportContext;
  readonly mode: ImportMode;
  readonly namespaceOf: (project: string) => string | undefined;
  /** The environments of the document. */
  readonly environments: ReadonlySet<string>;
  /** Whether the segment is there, or in the document. */
  readonly hasSegment: (name: string) => boolean;
}

function planFlag(wanted: WantedFlag, parts: PlanParts): PlannedFlagChange {
  const { context, mode, namespaceOf, environments, hasSegment } = parts;
  const { at, name, project } = wanted;
  const hasEnvironment = (one: string) => environments.has(one) || context.environment(one) !== undefined;
  const flagImport = { wanted, replace: mode.drop, hasEnvironment, hasSegment };
  const object = context.flag(name);
  if (!object) return { created: { at, name, project, spec: importFlag({}, { wanted, replace: true }) } };
  if (mode.keep && !mode.drop) return { skipped: name };
  const edit = (flag: FeatureFlag) => {
    refuseUnlikeFlag(flag, { ...flagImport, namespace: namespaceOf(project) });
    return importFlag(flag.spec, flagImport);
  };
  return plannedEdit(name, { at, object, edit });
}

/** The namespace of each project, present or planned; undefined if there is no such project. */
function namespacesAfter({ projects }: WantedState, context: ImportContext): PlanParts['namespaceOf'] {
  const createdProjects = new Set(projects.map(({ name }) => name));
  return (id) => context.project(id)?.metadata.namespace ?? (createdProjects.has(id) ? context.home : undefined);
}

/**
 * If the document has flags, they are checked against what is left; the present users count only without such a
 * section.
 */
function usersLeft<A>(wanted: WantedState, usersOf: (object: A) => readonly FeatureFlag[]): typeof usersOf {
  return wanted.flags ? () => [] : usersOf;
}

function planTypes(wanted: WantedState, context: ImportContext, mode: ImportMode) {
  const { strategyDefinition, strategyTypes } = context;
  const users = usersLeft(wanted, context.flagsOfStrategyType);
  return planKind<WantedType, StrategyDefinition, StrategyDefinitionSpec>(
    {
      wanted: wanted.strategyTypes,
      removable: mode.drop ? [...strategyTypes.keys()].flatMap((name) => strategyDefinition(name) ?? []) : [],
      find: strategyDefinition,
      isFixed: isBuiltIn,
      edit: (one, type) => importStrategyType(one, type, mode.drop),
      refuseInUse: (one) => refuseInUse(one, users(wireNameOf(one))),
    },
    mode,
  );
}

interface FlagPlan {
  readonly mode: ImportMode;
  readonly flags: Pick<StatePlan['flags'], 'changed' | 'deleted'>;
}

function planSegments(wanted: WantedState, context: ImportContext, { mode, flags }: FlagPlan) {
  const users = mode.drop ? usersLeft(wanted, context.flagsOfSegment) : usersAfter(context, flags);
  return planKind<WantedSegment, Segment, SegmentSpec>(
    {
      wanted: wanted.segments,
      removable: removableSegments(wanted, context, mode),
      find: context.segmentNamed,
      edit: (one, segment) => importSegment(one, segment, mode.drop),
      refuseInUse: (one) => refuseSegmentInUse(one, users(one)),
    },
    mode,
  );
}

function removableSegments(wanted: WantedState, { segments }: ImportContext, { drop, prune }: ImportMode) {
  if (drop || !prune) return drop ? segments : [];
  const projects = projectsOf(wanted);
  return segments.filter(({ spec }) => spec.project !== undefined && projects.has(spec.project));
}

/** The flags that use a segment after the import. */
function usersAfter({ flagsOfSegment }: ImportContext, { changed, deleted }: FlagPlan['flags']) {
  const [after, leaving] = [afterImport(changed), new Set(deleted)];
  return (segment: Segment) =>
    flagsOfSegment(segment)
      .filter((flag) => !leaving.has(flag))
      .map(after)
      .filter((flag) => segmentNamesOf(flag).has(wireNameOf(segment)));
}
