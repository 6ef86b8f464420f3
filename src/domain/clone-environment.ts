/** Cloning an environment: what is asked for, what of it is left to do, and the edits that do it. */
import { AppError } from '../errors.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../schema/feature-flag.ts';
import type { Project, ProjectSpec } from '../schema/project.ts';
import { HIGHEST_ORDER, type Strategy } from '../schema/strategy.ts';
import { defectIn, refuseDefects, withEnvironment } from './edit-place.ts';
import type { Finding } from './findings.ts';
import { environmentOf, strategiesOf } from './flag-values.ts';
import { wireNameOf } from './names.ts';
import { copiedStrategyId, strategyIdOf } from './strategy-id.ts';

/** From one environment to another, by their names on the wire. */
export interface CloneWay {
  readonly from: string;
  readonly to: string;
}

export interface CloneRequest extends CloneWay {
  readonly projects: readonly string[];
  readonly permissions: boolean;
}

export function cloneRequestOf(environment: Environment): CloneRequest | undefined {
  const { clone } = environment.spec;
  if (!clone) return undefined;
  const { from, projects, permissions = true } = clone;
  return { from, to: wireNameOf(environment), projects: projects ?? [], permissions };
}

/** Whether both ask for the same; the order of projects means nothing. */
export function isSameRequest(one: CloneRequest, other: CloneRequest | undefined): boolean {
  const [wanted, present] = [new Set(one.projects), new Set(other?.projects)];
  return (
    one.from === other?.from &&
    one.to === other.to &&
    one.permissions === other.permissions &&
    wanted.size === present.size &&
    wanted.isSubsetOf(present)
  );
}

/** What there is of what a request names. */
export interface CloneGround {
  readonly source: Environment | undefined;
  readonly projects: readonly ClonedProject[];
}

interface ClonedProject {
  readonly id: string;
  /** Absent: no project holds that id. */
  readonly view: { readonly project: Project; readonly flags: readonly FeatureFlag[] } | undefined;
}

/** What keeps a clone waiting: other objects may yet come, or be done. */
export function cloneObstacles({ from }: CloneRequest, { source, projects }: CloneGround): readonly Finding[] {
  const missing = projects
    .filter(({ view }) => !view)
    .map(({ id }): Finding => {
      const message = `there is no project "${id}" whose flags could be copied: create it`;
      return { severity: 'Error', path: ['clone', 'projects'], reason: 'ProjectNotFound', message };
    });
  const place = { severity: 'Error', path: ['clone', 'from'] } as const;
  if (!source) {
    const message = `there is no environment "${from}" to be copied: create it`;
    return [{ ...place, reason: 'EnvironmentNotFound', message }, ...missing];
  }
  if (isSettled(source)) return missing;
  const message = `the environment "${from}" is itself a clone that is not done`;
  return [{ ...place, reason: 'CloneSourceNotReady', message }, ...missing];
}

/** Not a clone, or one that is done. */
function isSettled({ spec, status }: Environment): boolean {
  return !spec.clone || status?.clone?.phase === 'Done';
}

export interface ClonePlan {
  /** Those that list their environments and not yet the new one. */
  readonly projects: readonly Project[];
  /** How many flags say something about the source. */
  readonly flags: number;
  /** Those of them that can be copied, and say nothing yet about the new one. */
  readonly left: readonly FeatureFlag[];
  /** Those of them that cannot be copied, as what they say about the source cannot be read. */
  readonly unreadable: readonly FeatureFlag[];
}

export function planClone({ from, to }: CloneRequest, { projects }: CloneGround): ClonePlan {
  const views = projects.flatMap(({ view }) => view ?? []);
  const concerns = (flag: FeatureFlag) => saysSomething(environmentOf(flag.spec, from)) || defectIn(flag, from);
  const flags = views.flatMap((view) => view.flags.filter(concerns));
  const isLeftAlone = (flag: FeatureFlag) => saysSomething(environmentOf(flag.spec, to)) || defectIn(flag, to);
  const [unreadable = [], left = []] = [true, false].map((isUnreadable) =>
    flags.filter((flag) => !isLeftAlone(flag) && (defectIn(flag, from) !== undefined) === isUnreadable),
  );
  return {
    projects: views.map(({ project }) => project).filter((project) => listEnvironment(project, to) !== project.spec),
    flags: flags.length,
    left,
    unreadable,
  };
}

/** A project that lists its environments gains the new one; one that lists none uses it anyway. */
export function listEnvironment({ spec }: Project, name: string): ProjectSpec {
  const { environments } = spec;
  return !environments || environments.includes(name) ? spec : { ...spec, environments: [...environments, name] };
}

/** In one edit, so that the switch is never there before its strategies. What the flag says already is left alone. */
export function copyEnvironment(flag: FeatureFlag, way: CloneWay): FlagSpec {
  const { from, to } = way;
  const source = environmentOf(flag.spec, from);
  for (const environment of [from, to]) refuseDefects(flag, environment);
  if (!saysSomething(source) || saysSomething(environmentOf(flag.spec, to))) return flag.spec;
  const copy = source.strategies ? { ...source, strategies: copiedStrategies(flag, source, way) } : source;
  return withEnvironment(flag.spec, to, copy);
}

function saysSomething(environment: FlagEnvironment): boolean {
  const { enabled, variants } = environment;
  return enabled !== undefined || Boolean(variants) || strategiesOf(environment).length > 0;
}

/**
 * Under keys that follow from the ids of the originals, so that doing it twice is doing it once. Among strategies of
 * one sortOrder the key decides, so where there are such, the order is written out.
 */
function copiedStrategies(flag: FeatureFlag, source: FlagEnvironment, { from, to }: CloneWay) {
  const strategies = strategiesOf(source);
  const places = new Set(strategies.map(({ strategy }) => strategy.sortOrder ?? 0));
  const isAmbiguous = places.size < strategies.length;
  const copies = strategies.map(({ key, strategy }, sortOrder): [string, Strategy] => {
    const id = strategyIdOf({ flag: wireNameOf(flag), environment: from, key });
    return [copiedStrategyId(id, to), isAmbiguous ? { ...strategy, sortOrder } : strategy];
  });
  return Object.fromEntries(copies);
}

/** A permission that a role has: everywhere, or in one environment. */
export interface RolePermission {
  readonly name: string;
  readonly environment?: string | undefined;
}

interface Permitting {
  readonly permissions?: readonly RolePermission[] | null | undefined;
}

/** What a role may do in the source, it may do in the new environment too. */
export function copyPermissions<S extends Permitting>(spec: S, { from, to }: CloneWay): S {
  const present = spec.permissions ?? [];
  const isThere = (wanted: RolePermission) =>
    present.some(({ name, environment }) => name === wanted.name && environment === wanted.environment);
  const added = present
    .filter(({ environment }) => environment === from)
    .map((permission) => ({ ...permission, environment: to }))
    .filter((permission) => !isThere(permission));
  return added.length > 0 ? { ...spec, permissions: [...present, ...added] } : spec;
}

/** Behind all others; undefined where only being younger puts it there. */
export function nextSortOrder(environments: readonly Environment[]): number | undefined {
  const places = environments.map(({ spec }) => spec.sortOrder);
  if (places.includes(undefined)) return undefined;
  return Math.min(1 + Math.max(...places.map((place) => place ?? 0)), HIGHEST_ORDER);
}

/** For a caller who would otherwise wait without knowing for what. */
export function refuseUnsettled(source: Environment): void {
  if (isSettled(source)) return;
  const message = `The environment "${wireNameOf(source)}" is itself a clone that is not done: wait for it, or clone another one.`;
  throw new AppError('conflict', message);
}
