/** What an import of a state document amounts to, decided in full before anything is written. */
import { type AppError, isAppError } from '../errors.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { StrategyDefinition, StrategyDefinitionSpec } from '../schema/strategy-definition.ts';
import { refuseInUse } from './edit-strategy-type.ts';
import { wireNameOf } from './names.ts';
import { type After, brokenReferences, type Complaint } from './state-checks.ts';
import { refuseUnlikeFlag } from './state-conflicts.ts';
import { importFlag, isSameJson } from './state-flag.ts';
import { importStrategyType, typesAfter } from './state-strategy-types.ts';
import type { At, WantedEnvironment, WantedFlag, WantedProject, WantedState, WantedType } from './state-wanted.ts';
import { isBuiltIn, listStrategyTypes, type StrategyType } from './strategy-types.ts';

export interface ImportMode {
  /** What is there already stays as it is. */
  readonly keep: boolean;
  /** Flags and strategy types that the document does not have are deleted, if it has such a section. */
  readonly drop: boolean;
}

/** What there is. */
export interface StateGround {
  readonly environment: (name: string) => Environment | undefined;
  readonly project: (id: string) => Project | undefined;
  readonly flag: (name: string) => FeatureFlag | undefined;
  readonly strategyDefinition: (name: string) => StrategyDefinition | undefined;
  readonly strategyTypes: ReadonlyMap<string, StrategyType>;
  /** Those that are served, archived ones included. */
  readonly flags: readonly FeatureFlag[];
  readonly flagsOfStrategyType: (name: string) => readonly FeatureFlag[];
  /** Where new projects are created. */
  readonly home: string;
}

export interface NewFlag {
  readonly at: At;
  readonly name: string;
  readonly project: string;
  /** Without name and project. */
  readonly spec: FlagSpec;
}

/** An edit may meet a newer version of the object, and then refuses as the plan would have. */
interface Changed<T, S> {
  readonly at: At;
  readonly object: T;
  readonly edit: (object: T) => S;
}

/** The names of what stays as it is, by kind. */
export interface Skipped {
  readonly environments: readonly string[];
  readonly projects: readonly string[];
  readonly strategies: readonly string[];
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
  readonly flags: {
    readonly created: readonly NewFlag[];
    readonly changed: readonly Changed<FeatureFlag, FlagSpec>[];
    readonly deleted: readonly FeatureFlag[];
  };
  readonly skipped: Skipped;
  /** What is in the way of the import in the cluster; with any of them nothing is written. */
  readonly conflicts: readonly AppError[];
  /** What is wrong with the document. */
  readonly complaints: readonly Complaint[];
}

/** Enough to begin mending a document with. */
const ENOUGH_COMPLAINTS = 20;

/** Yields between steps of some milliseconds, as a document can have very many flags; returns the plan. */
export function* planState(wanted: WantedState, ground: StateGround, mode: ImportMode): Generator<void, StatePlan> {
  const { environments, projects } = wanted;
  const flags = yield* planFlags(wanted, ground, mode);
  yield;
  const types = planTypes(wanted, ground, mode);
  return {
    environments: environments.filter(({ name }) => !ground.environment(name)),
    projects: projects.filter(({ name }) => !ground.project(name)),
    strategyTypes: types,
    flags,
    skipped: {
      environments: environments.map(({ name }) => name).filter(ground.environment),
      projects: projects.map(({ name }) => name).filter(ground.project),
      strategies: types.skipped,
      features: flags.skipped,
    },
    conflicts: [...types.conflicts, ...flags.conflicts],
    complaints: flags.complaints,
  };
}

type Fate<New, Change> =
  | { readonly created: New }
  | { readonly changed: Change }
  | { readonly skipped: string }
  | { readonly conflict: AppError };

function sorted<New, Change>(fates: readonly Fate<New, Change>[]) {
  return {
    created: fates.flatMap((fate) => ('created' in fate ? [fate.created] : [])),
    changed: fates.flatMap((fate) => ('changed' in fate ? [fate.changed] : [])),
    skipped: fates.flatMap((fate) => ('skipped' in fate ? [fate.skipped] : [])),
    conflicts: fates.flatMap((fate) => ('conflict' in fate ? [fate.conflict] : [])),
  };
}

type FlagFate = Fate<NewFlag, Changed<FeatureFlag, FlagSpec>>;

/** A flag can have thousands of values. */
const FLAGS_AT_A_TIME = 10;

function* planFlags(wanted: WantedState, ground: StateGround, mode: ImportMode) {
  const list = wanted.flags ?? [];
  const namespaceOf = namespacesAfter(wanted, ground);
  const strategyTypes = typesAfter(wanted.strategyTypes, ground, mode);
  const after = {
    environments: new Set(wanted.environments.map(({ name }) => name)),
    hasEnvironment: ground.environment,
    namespaceOf,
    strategyTypes,
    knownTypes: listStrategyTypes(strategyTypes),
  };
  const fates: FlagFate[] = [];
  const complaints: Complaint[] = [];
  for (const [index, flag] of list.entries()) {
    if (index % FLAGS_AT_A_TIME === 0) yield;
    const fate = fateOf(flag, { ground, mode, namespaceOf });
    fates.push(fate);
    if (complaints.length < ENOUGH_COMPLAINTS) complaints.push(...complaintsOf(flag, fate, after));
  }
  yield;
  const named = new Set(list.map(({ name }) => name));
  const isDropped = mode.drop && wanted.flags !== undefined;
  const deleted = isDropped ? ground.flags.filter((flag) => !named.has(wireNameOf(flag))) : [];
  return { ...sorted(fates), deleted, complaints };
}

function complaintsOf(flag: WantedFlag, fate: FlagFate, after: Omit<After, 'spec'>): readonly Complaint[] {
  if ('created' in fate) return brokenReferences(flag, { ...after, spec: fate.created.spec });
  if (!('changed' in fate)) return [];
  const { object, edit } = fate.changed;
  return brokenReferences(flag, { ...after, before: object.spec, spec: edit(object) });
}

interface FateParts {
  readonly ground: StateGround;
  readonly mode: ImportMode;
  readonly namespaceOf: (project: string) => string | undefined;
}

function fateOf(wanted: WantedFlag, { ground, mode, namespaceOf }: FateParts): FlagFate {
  const { at, name, project } = wanted;
  const flagImport = { wanted, replace: mode.drop };
  const object = ground.flag(name);
  if (!object) return { created: { at, name, project, spec: importFlag({}, { wanted, replace: true }) } };
  if (mode.keep && !mode.drop) return { skipped: name };
  const edit = (flag: FeatureFlag) => {
    refuseUnlikeFlag(flag, { ...flagImport, namespace: namespaceOf(project) });
    return importFlag(flag.spec, flagImport);
  };
  return (
    unlessRefused(() => (isSameJson(object.spec, edit(object)) ? { skipped: name } : undefined)) ?? {
      changed: { at, object, edit },
    }
  );
}

/** Where each project is, or will be; undefined: there is none. */
function namespacesAfter({ projects }: WantedState, ground: StateGround): FateParts['namespaceOf'] {
  const born = new Set(projects.map(({ name }) => name));
  return (id) => ground.project(id)?.metadata.namespace ?? (born.has(id) ? ground.home : undefined);
}

function planTypes(wanted: WantedState, ground: StateGround, mode: ImportMode) {
  const list = wanted.strategyTypes ?? [];
  const fates = list.map((type) => fateOfType(type, ground, mode));
  const named = new Set(list.map(({ name }) => name));
  const isDropped = mode.drop && wanted.strategyTypes !== undefined;
  const present = [...ground.strategyTypes.keys()].flatMap((name) => ground.strategyDefinition(name) ?? []);
  const deleted = isDropped ? present.filter((one) => !named.has(wireNameOf(one))) : [];
  // Flags of the document are held against the types that are left; the others are there only without such a section.
  const users = wanted.flags ? () => [] : ground.flagsOfStrategyType;
  const needed = deleted.map((one) => unlessRefused(() => void refuseInUse(one, users(wireNameOf(one)))));
  const { conflicts, ...rest } = sorted([...fates, ...needed.filter((one) => one !== undefined)]);
  return { ...rest, deleted, conflicts };
}

function fateOfType(
  wanted: WantedType,
  { strategyDefinition }: StateGround,
  { keep, drop }: ImportMode,
): Fate<WantedType, Changed<StrategyDefinition, StrategyDefinitionSpec>> {
  const { at, name } = wanted;
  const object = strategyDefinition(name);
  if (isBuiltIn(name)) return { skipped: name };
  if (!object) return { created: wanted };
  if (keep && !drop) return { skipped: name };
  const edit = (one: StrategyDefinition) => importStrategyType(one, wanted, drop);
  return (
    unlessRefused(() => (isSameJson(object.spec, edit(object)) ? { skipped: name } : undefined)) ?? {
      changed: { at, object, edit },
    }
  );
}

function unlessRefused<T>(look: () => T): T | { readonly conflict: AppError } {
  try {
    return look();
  } catch (error) {
    if (isAppError(error)) return { conflict: error };
    throw error;
  }
}
