/** Derives the audit events between two versions of an object of any kind: no clock, no archive. */
import { type Derive, deriveBareKind, deriveKind, type MappedKind } from './kind.ts';

export interface Derivation {
  readonly derive: Derive;
  /**
   * Makes one event without content, for a step that cannot be derived: a change that no rule foresaw must be recorded.
   */
  readonly deriveBare: Derive;
}

export function createDerivation(mapped: readonly MappedKind[]): Derivation {
  const byResource = new Map(mapped.map((one) => [one.kind.plural, one]));
  const deriveWith =
    (deriveOne: (mapped: MappedKind) => Derive): Derive =>
    (step) => {
      const known = byResource.get(step.resource);
      return known ? deriveOne(known)(step) : [];
    };
  return { derive: deriveWith(deriveKind), deriveBare: deriveWith(deriveBareKind) };
}
