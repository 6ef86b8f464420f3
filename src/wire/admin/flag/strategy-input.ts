/** The bodies of requests about strategies. */
import { z } from 'zod';
import {
  emptiesStickiness,
  type StrategyFields,
  withDefaultStickiness,
  writeFields,
} from '../../../domain/flag/strategy-fields.ts';
import type { SegmentNames } from '../../../domain/flag/strategy-segments.ts';
import { invalid } from '../../../model/invalid-input.ts';
import { MAX_STRATEGIES } from '../../../schema/feature-flag.ts';
import { MAX_SEGMENTS, type Strategy, strategy } from '../../../schema/strategy.ts';
import { MAX_VARIANTS } from '../../../schema/variant.ts';
import { parse } from '../../parse-input.ts';
import { constraintsBody, constraintsOf } from '../constraint.ts';
import { applyJsonPatch, type PatchOperation } from '../json-patch.ts';
import { exampleStrategy, type WireStrategy } from './strategy.ts';
import { variantBody } from './variant-input.ts';

const { name, title, disabled, sortOrder, parameters, ramp } = strategy.shape;

/** Null means absent. `id` is accepted, because callers send back what they have read, and is ignored. */
const fields = {
  id: z.unknown().optional(),
  name,
  title: title.nullable(),
  disabled: disabled.nullable(),
  sortOrder: sortOrder.nullable(),
  parameters,
  ramp: ramp.nullable(),
  constraints: constraintsBody.nullable().optional(),
  variants: z.array(variantBody).max(MAX_VARIANTS.ofStrategy).nullable().optional(),
  segments: z.array(z.int()).max(MAX_SEGMENTS).nullable().optional(),
};

const example = {
  name: exampleStrategy.name,
  parameters: exampleStrategy.parameters,
  constraints: exampleStrategy.constraints,
};

/** The body of POST …/strategies, and the result of a PATCH of a strategy. Unknown properties are refused. */
export const strategyBody = z.strictObject(fields).meta({
  id: 'AddStrategy',
  description:
    'Null means absent. `id` is ignored. The parameters must include those that a custom strategy type requires.',
  examples: [example],
});
type StrategyBody = z.infer<typeof strategyBody>;

/** The body of PUT …/strategies/:strategyId. */
export const strategyUpdateBody = z.strictObject({ ...fields, name: name.nullable().optional() }).meta({
  id: 'UpdateStrategy',
  description:
    'Absent constraints and variants are removed. Other absent properties, and the order, stay. The resulting parameters must include those that a custom strategy type requires.',
  examples: [example],
});

/** The body of POST /segments/strategies. */
export const strategySegmentsBody = z
  .object({
    projectId: z.string().max(100),
    strategyId: z.string().max(100),
    environmentId: z.string().max(100).meta({ description: 'The name of the environment.' }),
    segmentIds: z.array(z.int()).max(MAX_SEGMENTS),
  })
  .meta({
    id: 'StrategySegments',
    description: 'The segments of a strategy. Unknown properties are dropped.',
    examples: [{ projectId: 'shop', strategyId: exampleStrategy.id, environmentId: 'production', segmentIds: [7] }],
  });
export type StrategySegmentsBody = z.output<typeof strategySegmentsBody>;

/** The answer has the properties of the body. */
export const wireStrategySegments = z.object(strategySegmentsBody.shape).meta({ id: 'StrategySegmentsSet' });

/** The body of `set-sort-order`. */
export const orderBody = z
  .array(z.strictObject({ id: z.string().max(100), sortOrder: sortOrder.unwrap() }))
  .max(MAX_STRATEGIES)
  .meta({ id: 'StrategyOrder', examples: [[{ id: exampleStrategy.id, sortOrder: 1 }]] });

/** Stores only what the caller sent: absent fields stay absent. */
export function strategyOfCreate(body: StrategyBody, segmentNames: SegmentNames): Strategy {
  const { name, sortOrder } = body;
  const wanted = fieldsOf(body, segmentNames(body.segments ?? []));
  const after = { ...wanted, parameters: withDefaultStickiness(wanted.parameters) };
  const strategy = writeFields({ name }, { before: fieldsOf({ name }, []), after });
  return { ...strategy, ...(typeof sortOrder === 'number' && { sortOrder }) };
}

/** The stored and the shown form of a strategy. */
export interface Present {
  readonly strategy: Strategy;
  readonly shown: WireStrategy;
}

/**
 * PUT replaces constraints and variants even if the body has none; other absent fields stay, and the order always
 * stays.
 */
export function strategyOfUpdate(
  present: Present,
  body: z.infer<typeof strategyUpdateBody>,
  segmentNames: SegmentNames,
): Strategy {
  const { name, title, disabled, parameters, ramp, sortOrder } = present.shown;
  const whole = { title, disabled, parameters, ramp, ...body, name: body.name ?? name, sortOrder };
  return changed(present, whole, segmentNames);
}

/** PATCH …/strategies/:strategyId applies to the strategy as GET answers it. */
export function strategyOfPatch(
  present: Present,
  operations: readonly PatchOperation[],
  segmentNames: SegmentNames,
): Strategy {
  const body = parse(strategyBody, applyJsonPatch(present.shown, operations), 'body');
  return changed(present, body, segmentNames);
}

function changed({ strategy, shown }: Present, body: StrategyBody, segmentNames: SegmentNames): Strategy {
  const stored = strategy.segments ?? [];
  const wanted = body.segments ?? shown.segments;
  // The ids lack stored segments that do not exist at present.
  const isSame = new Set(wanted).symmetricDifference(new Set(shown.segments)).size === 0;
  const next = isSame ? stored : segmentNames(wanted);
  const change = { before: fieldsOf(shown, stored), after: fieldsOf(body, next) };
  if (emptiesStickiness(change)) {
    const complaint = 'must not be empty: name a context field, or "default".';
    throw invalid([{ part: 'body', keys: ['parameters', 'stickiness'], complaint, value: '""' }]);
  }
  return writeFields(strategy, change);
}

function fieldsOf(body: Omit<StrategyBody, 'id' | 'segments'>, segments: readonly string[]): StrategyFields {
  return {
    name: body.name,
    title: body.title ?? null,
    disabled: body.disabled ?? false,
    sortOrder: body.sortOrder ?? 0,
    parameters: body.parameters ?? {},
    constraints: constraintsOf(body.constraints ?? []),
    segments,
    variants: body.variants ?? [],
    ramp: body.ramp ?? null,
  };
}
