/** The meaning of a constraint, with or without written defaults. */
import type { Constraint } from '../../schema/constraint.ts';

export type StatedConstraint = Omit<Constraint, 'values'> & { values: string[] };

export function meaningOf(constraint: Constraint): StatedConstraint {
  return { ...constraint, values: constraint.values ?? [] };
}
