/** The bodies of requests about constraints. */
import { z } from 'zod';
import { type Constraint, constraintShape, MAX_CONSTRAINTS } from '../../schema/constraint.ts';

/** A JSON number as the operand is read as its text (docs/unleash-compatibility.md#constraints). */
const constraintBody = constraintShape.extend({ value: z.union([constraintShape.shape.value, z.number()]) }).strict();

export const constraintsBody = z.array(constraintBody).max(MAX_CONSTRAINTS);

export function constraintsOf(body: z.infer<typeof constraintsBody>): Constraint[] {
  return body.map(({ value, ...constraint }) => ({
    ...constraint,
    ...(value !== undefined && { value: String(value) }),
  }));
}
