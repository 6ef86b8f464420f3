/** What callers send about strategies. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { withoutNulls } from '../../kube/without-nulls.ts';
import { MOST_STRATEGIES } from '../../schema/feature-flag.ts';
import { type Constraint, constraintShape, MOST_CONSTRAINTS, type Strategy, strategy } from '../../schema/strategy.ts';
import { mostVariants, type Variant } from '../../schema/variant.ts';
import { about, invalid, parse } from '../validation.ts';
import { applyJsonPatch, type PatchOperation } from './json-patch.ts';
import { exampleStrategy, type WireStrategy } from './strategy.ts';
import { variantBody } from './variant-input.ts';

const { name, title, disabled, sortOrder, parameters } = strategy.shape;

/** A number as the operand is taken for its text (facts §2). */
const constraintBody = constraintShape.extend({ value: z.union([constraintShape.shape.value, z.number()]) }).strict();

function withTextAsOperand({ value, ...constraint }: z.infer<typeof constraintBody>): Constraint {
  return { ...constraint, ...(value !== undefined && { value: String(value) }) };
}

/** Real servers take fewer; only an import has any. */
const MOST_SEGMENTS = 100;

/** Null means absent. `id` is taken, as callers send back what they have read, and never counts. */
const fields = {
  id: z.unknown().optional(),
  name,
  title: title.nullable(),
  disabled: disabled.nullable(),
  sortOrder: sortOrder.nullable(),
  parameters,
  constraints: z.array(constraintBody).max(MOST_CONSTRAINTS).nullable().optional(),
  variants: z.array(variantBody).max(mostVariants.ofStrategy).nullable().optional(),
  segments: z.array(z.int()).max(MOST_SEGMENTS).nullable().optional(),
};

const example = {
  name: exampleStrategy.name,
  parameters: exampleStrategy.parameters,
  constraints: exampleStrategy.constraints,
};

/** The body of endpoint 9, and what endpoint 11 makes of a strategy. A field that there is not is refused (product §10). */
export const strategyBody = z.strictObject(fields).meta({
  id: 'AddStrategy',
  description:
    'Null means left out. An id is taken and never counts; segments must be empty. What a type that is not built in requires must be among the parameters.',
  examples: [example],
});
type StrategyBody = z.infer<typeof strategyBody>;

/** The body of endpoint 10. */
export const strategyUpdateBody = z.strictObject({ ...fields, name: name.nullable().optional() }).meta({
  id: 'UpdateStrategy',
  description:
    'Constraints and variants that are left out are cleared; what else is left out stays, and always the order. What a type that is not built in requires must be among the parameters in the end.',
  examples: [example],
});

/** The body of `set-sort-order`. */
export const orderBody = z
  .array(z.strictObject({ id: z.string().max(100), sortOrder: sortOrder.unwrap() }))
  .max(MOST_STRATEGIES)
  .meta({ id: 'StrategyOrder', examples: [[{ id: exampleStrategy.id, sortOrder: 1 }]] });

/** What a strategy says, with defaults where it says nothing. */
interface Said {
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly sortOrder: number;
  readonly parameters: NonNullable<StrategyBody['parameters']>;
  readonly constraints: readonly Constraint[];
  readonly variants: NonNullable<StrategyBody['variants']>;
}

/** Only what the caller said is stored: absent fields stay absent. */
export function strategyOfCreate(body: StrategyBody): Strategy {
  refuseSegments(body);
  const { sortOrder } = body;
  const said = saidBy(body);
  const stickiness = said.parameters['stickiness'] === '' && { stickiness: 'default' };
  const wanted = { ...said, parameters: { ...said.parameters, ...stickiness } };
  const { name } = said;
  return {
    ...written({ name }, { before: saidBy({ name }), after: wanted }),
    ...(typeof sortOrder === 'number' && { sortOrder }),
  };
}

/** A strategy as it is stored and as it is shown. */
export interface Present {
  readonly strategy: Strategy;
  readonly shown: WireStrategy;
}

/** PUT replaces constraints and variants also where the body has none; what else is left out stays, and always the order. */
export function strategyOfUpdate(present: Present, body: z.infer<typeof strategyUpdateBody>): Strategy {
  const { name, title, disabled, parameters, sortOrder } = present.shown;
  const whole = { title, disabled, parameters, ...body, name: body.name ?? name, sortOrder };
  return changed(present, whole);
}

/** Endpoint 11: the patch applies to the strategy as it is answered. */
export function strategyOfPatch(present: Present, operations: readonly PatchOperation[]): Strategy {
  return changed(present, parse(strategyBody, applyJsonPatch(present.shown, operations), 'body'));
}

function changed({ strategy, shown }: Present, body: StrategyBody): Strategy {
  refuseSegments(body);
  const [before, after] = [saidBy(shown), saidBy(body)];
  if (after.parameters['stickiness'] === '' && before.parameters['stickiness'] !== '') {
    const complaint = 'must not be empty: name a context field, or "default". You sent "".';
    throw invalid([about('body', ['parameters', 'stickiness'], complaint)]);
  }
  return written(strategy, { before, after });
}

function saidBy(body: Omit<StrategyBody, 'id' | 'segments'>): Said {
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

/** Writes only the fields that say something else than before. */
function written(strategy: Strategy, { before, after }: { readonly before: Said; readonly after: Said }): Strategy {
  const next = {
    ...after,
    title: after.title ?? undefined,
    constraints: withoutNulls(after.constraints, []),
    variants: after.variants.map(storedVariant),
  };
  const differing = (Object.keys(after) as (keyof Said)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  return { ...strategy, ...Object.fromEntries(differing.map((field) => [field, next[field]])) };
}

/** The weight of a variable variant is computed when it is read. */
function storedVariant({ weight, ...variant }: Variant): unknown {
  return withoutNulls({ ...variant, ...(variant.weightType === 'fix' && { weight }) }, []);
}

/** There are none yet. */
function refuseSegments({ segments }: Pick<StrategyBody, 'segments'>): void {
  const [first] = segments ?? [];
  if (first !== undefined) throw new AppError('not-found', `No segment exists with ID "${first}"`);
}
