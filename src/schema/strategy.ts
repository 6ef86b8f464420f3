/** An activation strategy: the users for whom a flag is on in an environment. */
import { z } from 'zod';
import { isDeeperThan, MAX_DEPTH } from '../model/depth.ts';
import { parameterText } from '../model/parameter-text.ts';
import { constraintList, isQuotable, QUOTABLE } from './constraint.ts';
import { LATER_PATTERN, type Rule, ruled } from './fields/rule.ts';
import { bounded, setOf, text, wireName } from './fields/shapes.ts';
import { ramp } from './ramp.ts';
import { MAX_VARIANTS, variantList } from './variant.ts';

const percentage = 'must be a whole number from 0 to 100';

/**
 * Yggdrasil switches the flag off for a percentage with decimals; other SDKs ignore the decimals. Kubernetes 1.33
 * rejects a rule in CEL as too expensive.
 */
const WHOLE = '^(100|[0-9]{1,2})$';

const whole = new RegExp(WHOLE);

const isWhole = (value: unknown) => value === undefined || value === null || whole.test(`${value}`);

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
    description: 'Percentage from 0 to 100: a whole number, or text such as "25". No SDK applies decimals.',
    [LATER_PATTERN]: WHOLE,
    'x-kubernetes-int-or-string': true,
  });

/** A parameter of any type; the pattern applies to text only. */
const quotable = (description: string) =>
  z.unknown().meta({ description, [LATER_PATTERN]: QUOTABLE, 'x-kubernetes-preserve-unknown-fields': true });

/** Number of keys above the parameters in a spec: environments, name, strategies, key, parameters. */
const LEVEL_OF_PARAMETERS = 5;

const parameters = bounded(
  z
    .looseObject({
      rollout: rollout.optional(),
      groupId: quotable('Flags with the same group choose the same users. Without double quotes.').optional(),
      stickiness: quotable('The context field that decides. Without double quotes.').optional(),
    })
    .nullable()
    .refine((value) => !isDeeperThan(value, MAX_DEPTH - LEVEL_OF_PARAMETERS), {
      message: `must not be nested deeper than ${MAX_DEPTH} levels, counted from spec`,
    }),
  50,
  `The parameters of the strategy type, for example rollout, groupId, stickiness. Free-form; a strategy whose parameters are nested deeper than ${MAX_DEPTH} levels of the spec is not in effect.`,
);

/** Maximum for one strategy. */
export const MAX_SEGMENTS = 5;

export const MAX_SORT_ORDER = 2147483647;

/** The only type with a ramp: other types have no percentage, or one with another name. */
const RAMPED_TYPE = 'flexibleRollout';

const strategyShape = z.object({
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
  ramp: ramp.optional().meta({
    description:
      'Changes the rollout with time. Of a flexibleRollout only; parameters.rollout is the value before the start.',
  }),
  constraints: constraintList('All of them must hold for the strategy to apply.').optional(),
  segments: setOf(
    z.string().min(1).max(100),
    MAX_SEGMENTS,
    'Names of Segments, whose constraints must hold too. Without one of them the flag is off in the environment.',
  ).optional(),
  variants: variantList(
    MAX_VARIANTS.ofStrategy,
    'Replaces the variants of the flag where this strategy applies.',
  ).optional(),
});

export const strategy = ruled(strategyShape, {
  cel: `!has(self.ramp) || self.name == '${RAMPED_TYPE}'`,
  message: `only a strategy of type ${RAMPED_TYPE} can have a ramp`,
  holds: ({ name, ramp: ofIt }) => !ofIt || name === RAMPED_TYPE,
  field: 'ramp',
});
export type Strategy = z.infer<typeof strategy>;

/** The API server rejects new values with decimals, which no SDK counts. */
export const wholeRollout: Pick<Rule<Strategy>, 'message' | 'holds'> = {
  message: `rollout ${percentage}: no SDK applies decimals`,
  holds: ({ parameters }) => isWhole(parameters?.rollout),
};

/**
 * Parameters that SDKs on Yggdrasil put in quotes. The API server rejects new values that break the quotes if they are
 * text.
 */
export const quotableParameters = ['groupId', 'stickiness'].map((name) => ({
  name,
  message: `${name} must have no double quote and no backslash at its end: many SDKs switch the whole flag off`,
  holds: ({ parameters }: Strategy) => isQuotable(parameterText(parameters?.[name])),
}));
