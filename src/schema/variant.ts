/** A variant: one of several values of a flag. */
import { z } from 'zod';
import { ruled } from './fields/rule.ts';
import { atomicList, text, wireName } from './fields/shapes.ts';

export const payloadTypes = ['json', 'csv', 'string', 'number'] as const;

/** Limits per list: more would exceed the API server's cost budget for their CEL rules. */
export const MAX_VARIANTS = { ofFlag: 100, ofEnvironment: 80, ofStrategy: 14 } as const;

/** Maximum for one variant. */
export const MAX_OVERRIDES = 100;

const payload = z
  .object({
    type: z.enum(payloadTypes).meta({ description: 'How clients parse the value.' }),
    value: text(65536, 'The value, always as text.'),
  })
  .nullable()
  .meta({ description: 'A value that clients get with the name of the variant.' });

const override = z.object({
  contextName: text(100, 'The context field, for example userId.'),
  values: z.array(z.string().min(1).max(100)).max(250).meta({ description: 'The values that get this variant.' }),
});

/** The shape without the rules of its list, which the API server checks; used for request bodies. */
export const variantShape = z.object({
  name: wireName('The name of the variant, unique in its list.'),
  weightType: z.enum(['fix', 'variable']).optional().meta({
    description:
      'fix: exactly `weight`. variable (the default): an equal share of the weight that fixed variants leave.',
  }),
  weight: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .meta({ description: 'Share in thousandths; used only with weightType fix.' }),
  stickiness: text(100, 'The context field that keeps a user on one variant. Absent: default.').optional(),
  payload: payload.optional(),
  overrides: atomicList(
    override,
    MAX_OVERRIDES,
    'Context values that get this variant regardless of its weight.',
  ).optional(),
});
export type Variant = z.infer<typeof variantShape>;
export type Payload = NonNullable<Variant['payload']>;

/** A list of variants with the rules for the list as a whole (docs/unleash-compatibility.md#variants). */
export function variantList(maxItems: number, description: string) {
  return ruled(
    atomicList(variantShape, maxItems, description),
    {
      cel: "self.size() == 0 || self.exists(v, !has(v.weightType) || v.weightType == 'variable')",
      message: 'at least one variant must have weightType variable',
      holds: (list) => !list || list.length === 0 || list.some((v) => v.weightType !== 'fix'),
    },
    {
      cel: "self.map(v, has(v.weightType) && v.weightType == 'fix' && has(v.weight) ? v.weight : 0).sum() < 1000",
      message: 'the weights of the variants with weightType fix must add up to less than 1000',
      holds: (list) => fixedWeight(list ?? []) < 1000,
      violation: (list) => ({ path: [], value: fixedWeight(list ?? []) }),
    },
    {
      cel: 'self.all(v, self.exists_one(w, w.name == v.name))',
      message: 'each variant needs a name of its own',
      holds: (list) => firstRepeated(list ?? []) === -1,
      violation: (list) => ({ path: [firstRepeated(list ?? []), 'name'], value: list?.[firstRepeated(list)]?.name }),
    },
  );
}

/** The index of the first variant with a repeated name; -1 if there is none. */
function firstRepeated(list: readonly Variant[]): number {
  const names = list.map(({ name }) => name);
  const seen = new Set<string>();
  return names.findIndex((name) => seen.size === seen.add(name).size);
}

/** The sum of the fixed weights, in thousandths. */
export function fixedWeight(list: readonly Variant[]): number {
  return list.reduce((sum, v) => sum + (v.weightType === 'fix' ? (v.weight ?? 0) : 0), 0);
}
