/**
 * The environments in which a write may change what is in effect. config/admission/opt-in/environment-permission.yaml
 * applies the same rule to every client of the API server.
 */
import jsonPatch from 'fast-json-patch';
import type { EnvironmentSpec } from '../../../schema/environment.ts';
import type { FlagSpec } from '../../../schema/feature-flag.ts';
import type { ProjectSpec } from '../../../schema/project.ts';
import type { SegmentSpec } from '../../../schema/segment.ts';
import { DEFAULT_PROJECT } from '../../identity/names.ts';

/** The specs around a write: `before` is absent for a new object, `after` for a deleted one. */
export interface SpecWrite<S> {
  readonly before?: S | undefined;
  readonly after?: S | undefined;
}

/** Wire names; or every environment, including those that do not exist yet. */
export type Touched = readonly string[] | 'all';

/** The environments for which the specs differ; all that the flag names if something changes for all of them. */
export function touchedByFlag(write: SpecWrite<FlagSpec>): readonly string[] {
  const [old, next] = [write.before?.environments ?? {}, write.after?.environments ?? {}];
  const changesAll = isForAll(write);
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].filter((name) => {
    const [one, other] = [own(old, name), own(next, name)];
    // Null counts as absent.
    return one && other ? changesAll || differ(one, other) : Boolean(one) !== Boolean(other);
  });
}

/** Whether the write changes something for all environments that the flag names. */
export function isForAll({ before, after }: SpecWrite<FlagSpec>): boolean {
  return (
    archived(before) !== archived(after) ||
    differ(before?.variants ?? [], after?.variants ?? []) ||
    differ(before?.dependencies ?? [], after?.dependencies ?? [])
  );
}

/**
 * A project that lists no environments uses all that are enabled. Members may act in every environment, and in the
 * project `default` every Editor may. Any other new project restores what its flags contain, which was authorized when
 * it was written. `name` is the name of the object.
 */
export function touchedByProject({ before, after }: SpecWrite<ProjectSpec>, name: string): Touched {
  const isNewDefault = !before && (after?.name ?? name) === DEFAULT_PROJECT;
  if (isNewDefault || gainsMembers(before, after)) return 'all';
  return before ? listsTouched(before.environments, after ? after.environments : []) : [];
}

type List = ProjectSpec['environments'];

/** A list that comes or goes may be about any environment. */
function listsTouched(before: List, after: List): Touched {
  if (!before && !after) return [];
  return before && after ? [...new Set(before).symmetricDifference(new Set(after))] : 'all';
}

/** `name` is the name of the object. A new environment may be a clone, and is used by the projects that list none. */
export function touchedByEnvironment({ before, after }: SpecWrite<EnvironmentSpec>, name: string): Touched {
  const isTouched = !before || !after || (before.enabled === false) !== (after.enabled === false);
  return isTouched ? [(after ?? before)?.name ?? name] : [];
}

/** A strategy without its type keeps the flag off in every environment. A new type restores what was asked for. */
export function touchedByStrategyType({ after }: SpecWrite<unknown>): Touched {
  return after === undefined ? 'all' : [];
}

/** Flags of any environment may use the segment, or wait for it. */
export function touchedBySegment({ before, after }: SpecWrite<SegmentSpec>): Touched {
  const isSame =
    before && after && before.project === after.project && !differ(before.constraints ?? [], after.constraints ?? []);
  return isSame ? [] : 'all';
}

function gainsMembers(before: ProjectSpec | undefined, after: ProjectSpec | undefined): boolean {
  const old = before?.members ?? {};
  return Object.entries(after?.members ?? {}).some(([name, role]) => role !== null && own(old, name) !== role);
}

function archived(spec: FlagSpec | undefined): boolean {
  return spec?.archived === true;
}

export function differ(one: object, other: object): boolean {
  return jsonPatch.compare(one, other).length > 0;
}

export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
