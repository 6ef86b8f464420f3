/** Why a flag is on or off for a context, on the wire. */
import { z } from 'zod';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { pathText } from '../../domain/judgement/findings.ts';
import type { BucketResult, ConstraintResult, DependencyResult, StrategyResult } from '../../evaluation/why.ts';
import { wireNullableText } from '../admin/fields.ts';
import { appliedStrategy } from './deciding-fields.ts';
import type { ExplainedFlag, ExplainedStrategy } from './explained-flag.ts';
import { wireFieldOrigin } from './field-origin.ts';
import { type ReadsSegment, strategyWords, whyWords } from './why-words.ts';

const wireBucket = z
  .object({
    number: z.int().nullable().meta({ description: 'From 1 to `of`. Null: the context lacks the field.' }),
    of: z.int().meta({ description: '100, or the sum of the weights of the variants.' }),
    stickiness: z.string(),
    group: z.string(),
    field: wireNullableText.meta({
      description: 'The context field whose value was hashed. Null: the number is random.',
    }),
    value: wireNullableText,
  })
  .meta({ id: 'Bucket', description: 'The number that a percentage or weights are compared with.' });

const wireFailedConstraint = z
  .object({
    path: z.string().meta({ description: 'The path in the flag or in the segment.' }),
    segment: z
      .object({ id: z.int(), name: z.string() })
      .nullable()
      .meta({ description: 'The segment that contains the constraint. Null: the strategy contains it.' }),
    contextName: z.string(),
    operator: z.string(),
    values: z.array(z.string()),
    value: wireNullableText,
    inverted: z.boolean(),
    caseInsensitive: z.boolean(),
    seen: wireNullableText.meta({ description: 'The value in the context. Null: it has none.' }),
    problem: wireNullableText.meta({ description: 'Why that value cannot be compared.' }),
  })
  .meta({ id: 'FailedConstraint' });

const wireWhyStrategy = z
  .object({
    key: z.string().meta({ description: 'The key in the custom resource.' }),
    id: z.uuid(),
    name: z.string().meta({ description: 'The type.' }),
    applies: z.boolean().nullable().meta({
      description:
        'Whether all conditions of the strategy hold. Null: the strategy is disabled, or SDKs do not get it.',
    }),
    text: wireNullableText,
    constraint: wireFailedConstraint.nullable().meta({
      description:
        'The first constraint that does not hold. Null also if the constraint is in a segment that the caller may not read.',
    }),
    bucket: wireBucket.nullable(),
    limit: z.number().nullable().meta({ description: 'The strategy applies to buckets up to this number.' }),
  })
  .meta({ id: 'WhyStrategy' });

const wireWhyParent = z
  .object({
    feature: z.string(),
    wanted: z.boolean().meta({ description: 'Whether the parent must be on.' }),
    variants: z
      .array(z.string())
      .meta({ description: 'The parent must have one of these variants. Empty: any variant.' }),
    enabled: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the parent is on for the context. Null: this does not count.' }),
    variant: wireNullableText,
    problem: wireNullableText,
    holds: z.boolean(),
  })
  .meta({ id: 'WhyParent' });

export const wireWhy = z
  .object({
    text: z.string().meta({
      description: 'The explanation in words.',
      examples: [
        'On: The strategy "gradual" (flexibleRollout) applies: bucket 42 of 100 (userId "ada" in group "checkout") is within the limit 50.',
      ],
    }),
    decision: z.enum(['off', 'dependency', 'everyone', 'strategy', 'no-strategy']).meta({
      description:
        'off: the flag is not in effect. dependency: a parent does not have the required state. strategy: a strategy applies. no-strategy: no strategy applies. everyone: the flag has no strategies.',
    }),
    strategy: wireNullableText.meta({ description: 'The key of the strategy that applies.' }),
    problems: z
      .array(z.object({ path: z.string(), reason: z.string(), message: z.string() }))
      .meta({ description: 'The problems that keep the flag off in the environment, as in `status.problems`.' }),
    parents: z.array(wireWhyParent).meta({ description: 'The parents up to the first without the required state.' }),
    strategies: z
      .array(wireWhyStrategy)
      .meta({ description: 'All strategies, in order. The first that applies decides.' }),
    variant: z
      .object({
        override: wireNullableText.meta({ description: 'The context field that chose the variant.' }),
        bucket: wireBucket.nullable(),
      })
      .nullable()
      .meta({ description: 'The choice of the variant.' }),
    fields: z.array(wireFieldOrigin).nullable().meta({
      description:
        'The fields that decided, with their owners. Null: not requested, or the flag is not among the first.',
    }),
  })
  .meta({ id: 'Why', description: 'Why a flag is on or off for a context.' });
type WireWhy = z.infer<typeof wireWhy>;

export interface Shown {
  readonly readsSegment: ReadsSegment;
  readonly fields: WireWhy['fields'];
}

export function presentWhy(explained: ExplainedFlag, { readsSegment, fields }: Shown): WireWhy {
  const { explanation, problems, strategies } = explained;
  const { decision, why } = explanation;
  return {
    text: whyWords(explained, readsSegment),
    decision,
    strategy: appliedStrategy(explained)?.key ?? null,
    problems: problems.map(({ path, reason, message }) => ({ path: pathText(path), reason, message })),
    parents: why.dependencies.map(presentParent),
    strategies: strategies.map((one) => presentStrategyWhy(explained, one, readsSegment)),
    variant: why.variant ? { override: why.variant.override ?? null, bucket: presentBucket(why.variant.bucket) } : null,
    fields,
  };
}

function presentParent({ dependency, parent, problem, holds }: DependencyResult): WireWhy['parents'][number] {
  const { feature, enabled = true, variants = [] } = dependency;
  return {
    feature,
    wanted: enabled,
    variants: [...variants],
    enabled: parent?.enabled ?? null,
    variant: parent?.variant?.name ?? null,
    problem: problem ?? null,
    holds,
  };
}

function presentStrategyWhy(
  explained: ExplainedFlag,
  { key, strategy, result }: ExplainedStrategy,
  readsSegment: ReadsSegment,
): z.infer<typeof wireWhyStrategy> {
  const place = { flag: wireNameOf(explained.flag), environment: explained.environment, key };
  const path = ['environments', explained.environment, 'strategies', key, 'constraints'];
  return {
    key,
    id: strategyIdOf(place),
    name: strategy.name,
    applies: result?.holds ?? null,
    text: result ? strategyWords(result, readsSegment) : null,
    constraint: result ? failedConstraint(result, path, readsSegment) : null,
    bucket: presentBucket(result?.bucket),
    limit: result?.limit ?? null,
  };
}

function failedConstraint(
  { constraints }: StrategyResult,
  path: readonly string[],
  readsSegment: ReadsSegment,
): z.infer<typeof wireFailedConstraint> | null {
  const failed = constraints.find(({ holds }) => !holds);
  if (!failed || (failed.segment && !readsSegment(failed.segment.id))) return null;
  const { constraint, segment, value, problem } = failed;
  const index = `${indexOf(failed, constraints)}`;
  return {
    path: pathText(segment ? ['constraints', index] : [...path, index]),
    segment: segment ? { id: segment.id, name: segment.name ?? '' } : null,
    ...constraint,
    values: [...constraint.values],
    value: constraint.value ?? null,
    seen: value ?? null,
    problem: problem ?? null,
  };
}

/** The index among the constraints of the same segment, or of the strategy. */
function indexOf(one: ConstraintResult, all: readonly ConstraintResult[]): number {
  return all.filter(({ segment }) => segment?.id === one.segment?.id).indexOf(one);
}

function presentBucket(bucket: BucketResult | undefined): z.infer<typeof wireBucket> | null {
  if (!bucket) return null;
  const { stickiness, group, field, id, number, of } = bucket;
  return { number: number ?? null, of, stickiness, group, field: field ?? null, value: id ?? null };
}
