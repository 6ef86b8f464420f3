/** Short-lived flags: their names, and what is recorded of every flag beside its spec. */
import { objectNamesFor } from '../../../src/domain/identity/names.ts';
import { type Fields, fieldsOf } from './fields.ts';

/** The first ones are called in Kubernetes as on the wire, the others cannot be. */
export const SHORT_LIVED = ['mayfly', 'moth', 'Firefly', 'Day_Lily', 'Snow~Flake'] as const;

/** The name of the object when the admin API creates the flag, so that all APIs mean the same object. */
export function objectNameOf(flag: string): string {
  const [name = flag] = objectNamesFor(flag);
  return name;
}

/** As far as it matters whether a flag is there. */
export interface FlagSpec {
  readonly project?: string;
  readonly name?: string;
  readonly archived?: unknown;
}

/** The description of a new flag before its first change. */
export function newSpecOf(flag: string): FlagSpec {
  return { project: 'shop', ...(objectNameOf(flag) !== flag && { name: flag }) };
}

/**
 * What the admin API shows of a flag that it does not find; whether it is archived or not there only the archive says.
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

/**
 * What is not there has the values of a new flag, so that nothing of an earlier one of that name is left in the next.
 */
export function fieldsOfAbsent(flag: string): Fields {
  return { ...fieldsOf(newSpecOf(flag)), ...ABSENT, ...NOT_ARCHIVED, ...NOT_SERVED };
}

/** What each step of a life makes of a flag, and which flag it can be done to. */
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

/** The flag that an edit can be made of: the admin API edits only what it shows. */
export function editableBy(entryPoint: 'patch' | 'merge'): Fields {
  return entryPoint === 'patch' ? { ...PRESENT, ...SERVED } : PRESENT;
}

export function isLifeEntryPoint(entryPoint: string): entryPoint is LifeEntryPoint {
  return (lifeEntryPoints as readonly string[]).includes(entryPoint);
}
