/** Short-lived flags: their names, and the recorded fields of every flag in addition to its spec. */
import { objectNamesFor } from '../../../src/domain/identity/names.ts';
import { type Fields, fieldsOf } from './fields.ts';

/** The first names are the same in Kubernetes and on the wire. The others cannot be names of objects. */
export const SHORT_LIVED = ['mayfly', 'moth', 'Firefly', 'Day_Lily', 'Snow~Flake'] as const;

/** The name of the object that the admin API creates for the flag, so that all APIs use the same object. */
export function objectNameOf(flag: string): string {
  const [name = flag] = objectNamesFor(flag);
  return name;
}

/** The part of a spec that says whether a flag exists or is archived. */
export interface FlagSpec {
  readonly project?: string;
  readonly name?: string;
  readonly archived?: unknown;
}

/** The spec of a new flag before its first change. */
export function newSpecOf(flag: string): FlagSpec {
  return { project: 'shop', ...(objectNameOf(flag) !== flag && { name: flag }) };
}

/**
 * The fields if the admin API does not find a flag. Only the archive shows whether the flag is archived or does not
 * exist.
 */
export const NOT_SERVED: Fields = { served: 'false' };
export const SERVED: Fields = { served: 'true' };

export const ARCHIVED: Fields = { archived: 'true', ...NOT_SERVED };
export const NOT_ARCHIVED: Fields = { archived: 'false' };
const LIVE: Fields = { ...NOT_ARCHIVED, ...SERVED };
const PRESENT: Fields = { exists: 'true' };
const ABSENT: Fields = { exists: 'false' };

export function fieldsOfPresent(spec: FlagSpec | undefined): Fields {
  return { ...fieldsOf(spec), ...PRESENT, ...(spec?.archived === true ? ARCHIVED : LIVE) };
}

/** An absent flag has the values of a new flag, so that the next flag of that name has no values of the earlier one. */
export function fieldsOfAbsent(flag: string): Fields {
  return { ...fieldsOf(newSpecOf(flag)), ...ABSENT, ...NOT_ARCHIVED, ...NOT_SERVED };
}

/** The result of each step in the life of a flag, and the state that the step requires. */
export interface LifeStep {
  readonly writes: Fields;
  readonly expected: Fields;
}

export const lifeEntryPoints = ['create', 'archive', 'revive', 'delete', 'kubectl-create', 'kubectl-delete'] as const;
export type LifeEntryPoint = (typeof lifeEntryPoints)[number];

export function lifeStep(entryPoint: LifeEntryPoint, flag: string, description: Fields): LifeStep {
  switch (entryPoint) {
    case 'create':
    case 'kubectl-create':
      return { writes: { ...fieldsOfPresent(newSpecOf(flag)), ...description }, expected: ABSENT };
    case 'archive':
      return { writes: ARCHIVED, expected: PRESENT };
    case 'revive':
      return { writes: LIVE, expected: { ...PRESENT, ...ARCHIVED } };
    case 'delete':
      return { writes: fieldsOfAbsent(flag), expected: { ...PRESENT, ...ARCHIVED } };
    case 'kubectl-delete':
      return { writes: fieldsOfAbsent(flag), expected: PRESENT };
  }
}

/** The state that an edit requires: the admin API edits only flags that it shows. */
export function editableBy(entryPoint: 'patch' | 'merge'): Fields {
  return entryPoint === 'patch' ? { ...PRESENT, ...SERVED } : PRESENT;
}

export function isLifeEntryPoint(entryPoint: string): entryPoint is LifeEntryPoint {
  return (lifeEntryPoints as readonly string[]).includes(entryPoint);
}
