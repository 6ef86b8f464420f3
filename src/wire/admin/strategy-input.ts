/** What callers send about strategies. */
import { z } from 'zod';
import {
  emptiesStickiness,
  type StrategyFields,
  withDefaultStickiness,
  writeFields,
} from '../../domain/flag/strategy-fields.ts';
import { Refusal } from '../../errors.ts';
import { invalid } from '../../model/invalid-input.ts';
import { type Constraint, constraintShape, MAX_CONSTRAINTS } from '../../schema/constraint.ts';
import { MAX_STRATEGIES } from '../../schema/feature-flag.ts';
import { type Strategy, strategy } from '../../schema/strategy.ts';
import { MAX_VARIANTS } from '../../schema/variant.ts';
import { parse } from '../parse-input.ts';
import { applyJsonPatch, type PatchOperation } from './json-patch.ts';
import { exampleStrategy, type WireStrategy } from './strategy.ts';
import { variantBody } from './variant-input.ts';

const { name, title, disabled, sortOrder, parameters } = strategy.shape;

/** A JSON number as the operand is taken as its text (docs/unleash-compatibility.md#constraints). */
const constraintBody = constraintShape.extend({ value: z.union([constraintShape.shape.value, z.number()]) }).strict();

function withTextAsOperand({ value, ...constraint }: z.infer<typeof constraintBody>): Constraint {
  return { ...constraint, ...(value !== undefined && { value: String(value) }) };
}

/** Unleash allows fewer; only an import has any. */
const MAX_SEGMENTS = 100;

/** Null means absent. `id` is taken, as callers send back what they have read, and never counts. */
const fields = {
  id: z.unknown().optional(),
  name,
  title: title.nullable(),
  disabled: disabled.nullable(),
  sortOrder: sortOrder.nullable(),
  parameters,
  constraints: z.array(constraintBody).max(MAX_CONSTRAINTS).nullable().optional(),
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
    'Null means left out. An id is taken and never counts; segments must be empty. What a type that is not built in requires must be among the parameters.',
  examples: [example],
});
type StrategyBody = z.infer<typeof strategyBody>;

/** The body of PUT …/strategies/:strategyId. */
export const strategyUpdateBody = z.strictObject({ ...fields, name: name.nullable().optional() }).meta({
  id: 'UpdateStrategy',
  description:
    'Constraints and variants that are left out are cleared; what else is left out stays, and always the order. What a type that is not built in requires must be among the parameters in the end.',
  examples: [example],
});

/** The body of `set-sort-order`. */
export const orderBody = z
  .array(z.strictObject({ id: z.string().max(100), sortOrder: sortOrder.unwrap() }))
  .max(MAX_STRATEGIES)
  .meta({ id: 'StrategyOrder', examples: [[{ id: exampleStrategy.id, sortOrder: 1 }]] });

/** Only what the caller said is stored: absent fields stay absent. */
export function strategyOfCreate(body: StrategyBody): Strategy {
  refuseSegments(body);
  const { name, sortOrder } = body;
  const strategy = writeFields({ name }, { before: fieldsOf({ name }), after: withDefaultStickiness(fieldsOf(body)) });
  return { ...strategy, ...(typeof sortOrder === 'number' && { sortOrder }) };
}

/** A strategy as it is stored and as it is shown. */
export interface Present {
  readonly strategy: Strategy;
  readonly shown: WireStrategy;
}

/**
 * PUT replaces constraints and variants also where the body has none; what else is left out stays, and always the
 * order.
 */
export function strategyOfUpdate(present: Present, body: z.infer<typeof strategyUpdateBody>): Strategy {
  const { name, title, disabled, parameters, sortOrder } = present.shown;
  const whole = { title, disabled, parameters, ...body, name: body.name ?? name, sortOrder };
  return changed(present, whole);
}

/** PATCH …/strategies/:strategyId applies to the strategy as GET answers it. */
export function strategyOfPatch(present: Present, operations: readonly PatchOperation[]): Strategy {
  return changed(present, parse(strategyBody, applyJsonPatch(present.shown, operations), 'body'));
}

function changed({ strategy, shown }: Present, body: StrategyBody): Strategy {
  refuseSegments(body);
  const change = { before: fieldsOf(shown), after: fieldsOf(body) };
  if (emptiesStickiness(change)) {
    const complaint = 'must not be empty: name a context field, or "default".';
    throw invalid([{ part: 'body', keys: ['parameters', 'stickiness'], complaint, value: '""' }]);
  }
  return writeFields(strategy, change);
}

function fieldsOf(body: Omit<StrategyBody, 'id' | 'segments'>): StrategyFields {
  return {
    name: body.name,
    title: body.title ?? null,
    disabled: body.disabled ?? false,
    sortOrder: body.sortOrder ?? 0,
    parameters: body.parameters ?? {},
    constraints: (body.constraints ?? []).map(withTextAsOperand),
    variants: body.variants ?? [],
  };
}

/** There are none yet. */
function refuseSegments({ segments }: Pick<StrategyBody, 'segments'>): void {
  const [first] = segments ?? [];
  if (first !== undefined) throw new Refusal('not-found', `No segment exists with ID "${first}"`);
}
