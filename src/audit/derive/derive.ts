/** Derives the audit events between two versions of an object of any kind: no clock, no archive. */
import type { AnyObject } from '../../model/object.ts';
import { type Derive, deriveBareKind, deriveKind, type MappedKind } from './kind.ts';

export interface Derivation {
  readonly derive: Derive;
  /**
   * Makes one event without content, for a step that cannot be derived: a change that no rule foresaw must be recorded.
   */
  readonly deriveBare: Derive;
}

/** Whether an object has no effect, because its name or its project belongs to another one. */
export type IsDormant = (resource: string, object: AnyObject) => boolean;

/** Events of dormant objects belong to no project: they would be in the history of somebody else's flag. */
export function createDerivation(mapped: readonly MappedKind[], isDormant: IsDormant): Derivation {
  const byResource = new Map(mapped.map((one) => [one.kind.plural, one]));
  const deriveWith =
    (deriveOne: (mapped: MappedKind) => Derive): Derive =>
    (step) => {
      const known = byResource.get(step.resource);
      const derived = known ? deriveOne(known)(step) : [];
      const object = step.after ?? step.before;
      return object && isDormant(step.resource, object) ? derived.map((one) => ({ ...one, project: null })) : derived;
    };
  return { derive: deriveWith(deriveKind), deriveBare: deriveWith(deriveBareKind) };
}
