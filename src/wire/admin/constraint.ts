/** Constraints on the wire. */
import { z } from 'zod';
import { meaningOf } from '../../domain/segment/segment-values.ts';
import { type Constraint, constraintShape, MAX_CONSTRAINTS, operators } from '../../schema/constraint.ts';

export const wireConstraint = z
  .object({
    contextName: z.string(),
    operator: z.enum(operators),
    values: z.array(z.string()),
    value: z.string().optional(),
    caseInsensitive: z.boolean().optional(),
    inverted: z.boolean().optional(),
  })
  .meta({
    id: 'Constraint',
    description: 'A condition that must hold for a strategy to apply.',
    examples: [{ contextName: 'region', operator: 'IN', values: ['eu', 'us'] }],
  });

export function presentAdminConstraints(
  constraints: readonly Constraint[] | null | undefined,
): z.infer<typeof wireConstraint>[] {
  return (constraints ?? []).map(meaningOf);
}

/** A JSON number as the operand is read as its text (docs/unleash-compatibility.md#constraints). */
const constraintBody = constraintShape.extend({ value: z.union([constraintShape.shape.value, z.number()]) }).strict();

export const constraintsBody = z.array(constraintBody).max(MAX_CONSTRAINTS);

export function constraintsOf(body: z.infer<typeof constraintsBody>): Constraint[] {
  return body.map(({ value, ...constraint }) => ({
    ...constraint,
    ...(value !== undefined && { value: String(value) }),
  }));
}
