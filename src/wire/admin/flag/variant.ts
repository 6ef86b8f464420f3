/** Variants on the wire. */
import { z } from 'zod';
import type { WeightedVariant } from '../../../domain/flag/variants.ts';
import { payloadTypes } from '../../../schema/variant.ts';

export const wireVariant = z
  .object({
    name: z.string(),
    weight: z.int().min(0).max(1000).meta({ description: 'The effective weight, in thousandths.' }),
    weightType: z.enum(['fix', 'variable']),
    stickiness: z.string(),
    payload: z.object({ type: z.enum(payloadTypes), value: z.string() }).optional(),
    overrides: z.array(z.object({ contextName: z.string(), values: z.array(z.string()) })),
  })
  .meta({
    id: 'Variant',
    description: 'One of several answers that a flag gives.',
    examples: [
      {
        name: 'blue',
        weight: 500,
        weightType: 'variable',
        stickiness: 'default',
        payload: { type: 'string', value: '#00f' },
        overrides: [{ contextName: 'userId', values: ['7'] }],
      },
    ],
  });
export type WireVariant = z.infer<typeof wireVariant>;

/** The answer of PUT and PATCH …/variants. The version is a string here, and a number everywhere else. */
export const wireVariants = z.object({ version: z.literal('1'), variants: z.array(wireVariant) });
export type WireVariants = z.infer<typeof wireVariants>;

export function presentVariants(variants: readonly WeightedVariant[]): WireVariants {
  return { version: '1', variants: variants.map(presentVariant) };
}

export function presentVariant({
  name,
  weight,
  weightType,
  stickiness,
  payload,
  overrides,
}: WeightedVariant): WireVariant {
  return { name, weight, weightType, stickiness, ...(payload && { payload }), overrides: overrides ?? [] };
}
