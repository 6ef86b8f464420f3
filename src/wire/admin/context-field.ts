/** Context fields on the wire. */
import { z } from 'zod';
import type { ContextField } from '../../model/context-field.ts';

export const wireContextField = z
  .object({
    name: z.string().meta({ examples: ['userId'] }),
    description: z.string().nullable(),
    stickiness: z.boolean().meta({ description: 'Whether rollouts may choose by the field.' }),
    sortOrder: z.int().min(0).meta({ description: 'The place in the list.' }),
    legalValues: z
      .array(z.object({ value: z.string(), description: z.string().optional() }))
      .meta({ description: 'The values that people choose from. Empty: any. Constraints may have others.' }),
  })
  .meta({ id: 'ContextField', description: 'A field that constraints can name.' });

export function presentContextField(
  { name, description = null, stickiness = false, legalValues = [] }: ContextField,
  sortOrder: number,
): z.infer<typeof wireContextField> {
  return { name, description, stickiness, sortOrder, legalValues };
}
