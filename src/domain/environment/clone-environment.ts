/** Cloning an environment: the request, the remaining steps, and the edits of each step. */
import { Refusal } from '../../errors.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../../schema/feature-flag.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';
import { MAX_SORT_ORDER, type Strategy } from '../../schema/strategy.ts';
import { defectIn, refuseDefects, withEnvironment } from '../flag/edit/edit-place.ts';
import { environmentOf, strategiesOf } from '../flag/flag-values.ts';
import { copiedStrategyId, strategyIdOf } from '../flag/strategy-id.ts';
import { wireNameOf } from '../identity/names.ts';
import type { Finding } from '../judgement/findings.ts';

/** The source and the new environment, by wire name. */
export interface CloneDirection {
  readonly from: string;
  readonly to: string;
}

export interface CloneRequest extends CloneDirection {
  readonly projects: readonly string[];
  readonly permissions: boolean;
}

export function cloneRequestOf(environment: Environment): CloneRequest | undefined {
  const { clone } = environment.spec;
  if (!clone) return undefined;
  const { from, projects, permissions = true } = clone;
  return { from, to: wireNameOf(environment), projects: projects ?? [], permissions };
}

/** Ignores the order of projects. */
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

/** The existing objects that a request names. */
export interface CloneContext {
  readonly source: Environment | undefined;
  readonly projects: readonly ClonedProject[];
}

interface ClonedProject {
  readonly id: string;
  /** Undefined: there is no project with that id. */
  readonly view: { readonly project: Project; readonly flags: readonly FeatureFlag[] } | undefined;
}

/** The missing or unfinished objects that a clone waits for. */
export function cloneObstacles({ from }: CloneRequest, { source, projects }: CloneContext): readonly Finding[] {
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

/** Whether the environment is no clone, or a finished one. */
function isSettled({ spec, status }: Environment): boolean {
  return !spec.clone || status?.clone?.phase === 'Done';
}

export interface ClonePlan {
  /** Projects whose list of environments lacks the new one. */
  readonly projects: readonly Project[];
  /** How many flags have configuration for the source. */
  readonly flags: number;
  /** The flags among them that can be copied and have no configuration for the new environment. */
  readonly left: readonly FeatureFlag[];
  /** The flags among them that cannot be copied, because their configuration for the source has defects. */
  readonly unreadable: readonly FeatureFlag[];
}

export function planClone({ from, to }: CloneRequest, { projects }: CloneContext): ClonePlan {
  const views = projects.flatMap(({ view }) => view ?? []);
  const concerns = (flag: FeatureFlag) => isConfigured(environmentOf(flag.spec, from)) || defectIn(flag, from);
  const flags = views.flatMap((view) => view.flags.filter(concerns));
  const isLeftAlone = (flag: FeatureFlag) => isConfigured(environmentOf(flag.spec, to)) || defectIn(flag, to);
  const { unreadable = [], left = [] } = Object.groupBy(
    flags.filter((flag) => !isLeftAlone(flag)),
    (flag) => (defectIn(flag, from) ? 'unreadable' : 'left'),
  );
  return {
    projects: views.map(({ project }) => project).filter((project) => listEnvironment(project, to) !== project.spec),
    flags: flags.length,
    left,
    unreadable,
  };
}

/** Adds the environment to the list of a project; a project without a list uses all environments. */
export function listEnvironment({ spec }: Project, name: string): ProjectSpec {
  const { environments } = spec;
  return !environments || environments.includes(name) ? spec : { ...spec, environments: [...environments, name] };
}

/** Copies in one edit, so that the flag is never on without its strategies. Existing configuration is kept. */
export function copyEnvironment(flag: FeatureFlag, direction: CloneDirection): FlagSpec {
  const { from, to } = direction;
  const source = environmentOf(flag.spec, from);
  for (const environment of [from, to]) refuseDefects(flag, environment);
  if (!isConfigured(source) || isConfigured(environmentOf(flag.spec, to))) return flag.spec;
  const copy = source.strategies ? { ...source, strategies: copiedStrategies(flag, source, direction) } : source;
  return withEnvironment(flag.spec, to, copy);
}

function isConfigured(environment: FlagEnvironment): boolean {
  const { enabled, variants } = environment;
  return enabled !== undefined || Boolean(variants) || strategiesOf(environment).length > 0;
}

/**
 * The keys follow from the ids of the originals, so that copying is idempotent. Strategies with equal sortOrder are
 * ordered by key; as the keys change, the copies then get explicit sort orders.
 */
function copiedStrategies(flag: FeatureFlag, source: FlagEnvironment, { from, to }: CloneDirection) {
  const strategies = strategiesOf(source);
  const places = new Set(strategies.map(({ strategy }) => strategy.sortOrder ?? 0));
  const isAmbiguous = places.size < strategies.length;
  const copies = strategies.map(({ key, strategy }, sortOrder): [string, Strategy] => {
    const id = strategyIdOf({ flag: wireNameOf(flag), environment: from, key });
    return [copiedStrategyId(id, to), isAmbiguous ? { ...strategy, sortOrder } : strategy];
  });
  return Object.fromEntries(copies);
}

/** A permission of a role: in every environment, or in one. */
export interface RolePermission {
  readonly name: string;
  readonly environment?: string | undefined;
}

interface Permitting {
  readonly permissions?: readonly RolePermission[] | null | undefined;
}

/** Gives a role the permissions in the new environment that it has in the source. */
export function copyPermissions<S extends Permitting>(spec: S, { from, to }: CloneDirection): S {
  const present = spec.permissions ?? [];
  const isPresent = (wanted: RolePermission) =>
    present.some(({ name, environment }) => name === wanted.name && environment === wanted.environment);
  const added = present
    .filter(({ environment }) => environment === from)
    .map((permission) => ({ ...permission, environment: to }))
    .filter((permission) => !isPresent(permission));
  return added.length > 0 ? { ...spec, permissions: [...present, ...added] } : spec;
}

/**
 * The place after all other environments. Undefined if an environment has no sortOrder: without one the youngest is
 * last.
 */
export function nextSortOrder(environments: readonly Environment[]): number | undefined {
  const places = environments.map(({ spec }) => spec.sortOrder);
  if (places.includes(undefined)) return undefined;
  return Math.min(1 + Math.max(...places.map((place) => place ?? 0)), MAX_SORT_ORDER);
}

/** Refuses at once, as a caller would otherwise wait without an explanation. */
export function refuseUnsettled(source: Environment): void {
  if (isSettled(source)) return;
  const message = `The environment "${wireNameOf(source)}" is itself a clone that is not done: wait for it, or clone another one.`;
  throw new Refusal('conflict', message);
}
