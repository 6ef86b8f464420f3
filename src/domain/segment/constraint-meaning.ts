/** What a constraint means, whether defaults are written or not. */
import type { Constraint } from '../../schema/constraint.ts';

export type StatedConstraint = Omit<Constraint, 'values'> & { values: string[] };

export function meaningOf(constraint: Constraint): StatedConstraint {
  return { ...constraint, values: constraint.values ?? [] };
}
