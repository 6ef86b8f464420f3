/** A variant: one of several answers that a flag gives. */
import { z } from 'zod';
import { ruled } from './rule.ts';
import { atomicList, text, wireName } from './shapes.ts';

export const payloadTypes = ['json', 'csv', 'string', 'number'] as const;

/** At most so many in one list: more would break the budget that the API server has for their rules. */
export const mostVariants = { ofFlag: 100, ofEnvironment: 80, ofStrategy: 14 } as const;

/** Of one variant. */
export const MOST_OVERRIDES = 100;

const payload = z
  .object({
    type: z.enum(payloadTypes).meta({ description: 'How clients read the value.' }),
    value: text(65536, 'The value itself, always as text.'),
  })
  .nullable()
  .meta({ description: 'What a client gets along with the name of the variant.' });

const override = z.object({
  contextName: text(100, 'The context field, for example userId.'),
  values: z.array(z.string().min(1).max(100)).max(250).meta({ description: 'Values that get this variant.' }),
});

/** Without the rules of its list, which the API server holds: the shape of a body. */
export const variantShape = z.object({
  name: wireName('The name of the variant, unique in its list.'),
  weightType: z.enum(['fix', 'variable']).optional().meta({
    description: 'fix: exactly `weight`. variable (also when absent): an equal share of what the fixed ones leave.',
  }),
  weight: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .meta({ description: 'Share in thousandths; counts for weightType fix only.' }),
  stickiness: text(100, 'The context field that keeps a user on one variant; absent: default.').optional(),
  payload: payload.optional(),
  overrides: atomicList(
    override,
    MOST_OVERRIDES,
    'Context values that get this variant whatever its weight.',
  ).optional(),
});
export type Variant = z.infer<typeof variantShape>;
export type Payload = NonNullable<Variant['payload']>;

/** A list of variants with the rules that hold for it as a whole (rules 1 and 2 of endpoint 15). */
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
      offence: (list) => ({ path: [], value: fixedWeight(list ?? []) }),
    },
    {
      cel: 'self.all(v, self.exists_one(w, w.name == v.name))',
      message: 'each variant needs a name of its own',
      holds: (list) => firstRepeated(list ?? []) === -1,
      offence: (list) => ({ path: [firstRepeated(list ?? []), 'name'], value: list?.[firstRepeated(list)]?.name }),
    },
  );
}

/** The index of the first variant whose name one before it has; -1: there is none. */
function firstRepeated(list: readonly Variant[]): number {
  const names = list.map(({ name }) => name);
  const seen = new Set<string>();
  return names.findIndex((name) => seen.size === seen.add(name).size);
}

/** The sum of the weights that are fixed, in thousandths. */
export function fixedWeight(list: readonly Variant[]): number {
  return list.reduce((sum, v) => sum + (v.weightType === 'fix' ? (v.weight ?? 0) : 0), 0);
}
