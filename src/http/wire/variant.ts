/** Variants on the wire. */
import { z } from 'zod';
import type { WeightedVariant } from '../../domain/variants.ts';
import { payloadTypes } from '../../schema/variant.ts';

export const wireVariant = z.object({
  name: z.string(),
  weight: z.int().min(0).max(1000),
  weightType: z.enum(['fix', 'variable']),
  stickiness: z.string(),
  payload: z.object({ type: z.enum(payloadTypes), value: z.string() }).optional(),
  overrides: z.array(z.object({ contextName: z.string(), values: z.array(z.string()) })),
});
export type WireVariant = z.infer<typeof wireVariant>;

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
