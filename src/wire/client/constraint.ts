/** A constraint as SDKs read it: each operand in the one form that every SDK understands. */
import type { ClientConstraint } from '../../evaluation/client-document.ts';
import { sdkOperand } from '../../evaluation/operand.ts';
import type { Constraint } from '../../schema/constraint.ts';

/** The constraint must be one that SDKs can be sent. */
export function presentConstraint(constraint: Constraint): ClientConstraint {
  const { contextName, operator, values, inverted = false, caseInsensitive = false } = constraint;
  const value = sdkOperand(constraint);
  return { contextName, operator, values: values ?? [], ...(value && { value }), inverted, caseInsensitive };
}
