/** An activation strategy: the users for whom a flag is on in an environment. */
import { z } from 'zod';
import { isDeeperThan, MAX_DEPTH } from '../model/depth.ts';
import { ruled } from './rule.ts';
import { atomicList, bounded, text, wireName } from './shapes.ts';
import { MAX_VARIANTS, variantList } from './variant.ts';

/** Operators whose operand is the list `values`. */
const listOperators = ['IN', 'NOT_IN', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS'] as const;
export const operators = [
  ...listOperators,
  ...(['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'] as const),
  ...(['DATE_AFTER', 'DATE_BEFORE'] as const),
  ...(['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'] as const),
] as const;

/** The form of `value` by the prefix of the operator (docs/unleash-compatibility.md#constraints). */
const operands = [
  { prefix: 'NUM_', pattern: '^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$', want: 'a number' },
  {
    prefix: 'DATE_',
    pattern: String.raw`^\d{4}-[01]\d-[0-3]\d(T[0-2]\d[\d:.]{3,15}(Z|[-+][\d:]{5})?)?$`,
    want: 'a date such as 2026-01-31T12:00:00Z',
  },
  {
    prefix: 'SEMVER_',
    pattern: '^(0|[1-9][0-9]*)([.](0|[1-9][0-9]*)){2}([-+][0-9A-Za-z.+-]+)?$',
    want: 'a semantic version such as 1.2.3',
  },
] as const;

/** The shape without the rules, which the API server checks; used for request bodies. */
export const constraintShape = z.object({
  contextName: z.string().min(1).max(100).meta({ description: 'The context field to compare, for example userId.' }),
  operator: z.enum(operators).meta({ description: 'The comparison.' }),
  values: z
    .array(z.string().min(1).max(100))
    .max(250)
    .nullable()
    .optional()
    .meta({ description: 'Operands of IN, NOT_IN and STR_…', 'x-kubernetes-list-type': 'atomic' }),
  value: text(50, 'Operand of NUM_…, DATE_… and SEMVER_…').optional(),
  caseInsensitive: z.boolean().optional().meta({ description: 'Ignore case (STR_… only).' }),
  inverted: z.boolean().optional().meta({ description: 'Negate the result.' }),
});

export type Constraint = z.infer<typeof constraintShape>;

const constraint = ruled(
  constraintShape,
  {
    cel: "!(self.operator.startsWith('STR_') || self.operator in ['IN', 'NOT_IN']) || (has(self.values) && self.values.size() > 0)",
    message: 'the operators IN, NOT_IN and STR_… need at least one entry in values',
    holds: (c) => !(listOperators as readonly string[]).includes(c.operator) || (c.values ?? []).length > 0,
  },
  ...operands.map(({ prefix, pattern, want }) => ({
    cel: `!self.operator.startsWith('${prefix}') || (has(self.value) && self.value.matches(r'${pattern}'))`,
    message: `the operators ${prefix}… need ${want} in value`,
    holds: (c: Constraint) =>
      !c.operator.startsWith(prefix) || (c.value !== undefined && new RegExp(pattern).test(c.value)),
  })),
);

const percentage = 'must be a whole number from 0 to 100, or text such as "12.5"';

const rollout = z
  .union(
    [
      z.int().min(0).max(100),
      z
        .string()
        .max(20)
        .regex(/^(100([.]0+)?|[0-9]{1,2}([.][0-9]+)?)$/, { error: percentage }),
    ],
    { error: percentage },
  )
  .nullable()
  .meta({
    description: 'Percentage from 0 to 100: a whole number, or text such as "12.5".',
    'x-kubernetes-int-or-string': true,
  });

/** Number of keys above the parameters in a spec: environments, name, strategies, key, parameters. */
const LEVEL_OF_PARAMETERS = 5;

const parameters = bounded(
  z
    .looseObject({ rollout: rollout.optional() })
    .nullable()
    .refine((value) => !isDeeperThan(value, MAX_DEPTH - LEVEL_OF_PARAMETERS), {
      message: `must not be nested deeper than ${MAX_DEPTH} levels, counted from spec`,
    }),
  50,
  `The parameters of the strategy type, for example rollout, groupId, stickiness. Free-form; a strategy whose parameters are nested deeper than ${MAX_DEPTH} levels of the spec is not in effect.`,
);

/** Maximum for one strategy. */
export const MAX_CONSTRAINTS = 30;

export const MAX_SORT_ORDER = 2147483647;

export const strategy = z.object({
  name: wireName('The strategy type, for example flexibleRollout.'),
  title: text(200, 'A short title.').optional(),
  disabled: z.boolean().optional().meta({ description: 'The strategy is kept but not evaluated.' }),
  sortOrder: z
    .int()
    .min(0)
    .max(MAX_SORT_ORDER)
    .optional()
    .meta({ description: 'Position among the strategies, in ascending order. Absent: 0.' }),
  parameters: parameters.optional(),
  constraints: atomicList(constraint, MAX_CONSTRAINTS, 'All of them must hold for the strategy to apply.').optional(),
  variants: variantList(
    MAX_VARIANTS.ofStrategy,
    'Replaces the variants of the flag where this strategy applies.',
  ).optional(),
});
export type Strategy = z.infer<typeof strategy>;
