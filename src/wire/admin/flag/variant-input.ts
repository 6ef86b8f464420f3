/** The bodies of requests about variants. */
import { z } from 'zod';
import { isReadable } from '../../../domain/flag/judge/payloads.ts';
import type { WeightedVariant } from '../../../domain/flag/variants.ts';
import { MAX_ENVIRONMENTS } from '../../../schema/feature-flag.ts';
import { MAX_OVERRIDES, MAX_VARIANTS, type Variant, variantList, variantShape } from '../../../schema/variant.ts';
import { parse } from '../../parse-input.ts';
import { applyJsonPatch, type PatchOperation } from '../json-patch.ts';
import { presentVariants } from './variant.ts';

/** A rule that JSON Schema cannot express: the API document contains its text. */
export const READABLE = 'type json needs a value that parses as JSON, and type number one that is a number';
const WEIGHED = 'a variant of weightType fix needs a weight';

const anyPayload = variantShape.shape.payload.unwrap().unwrap().strict();
const payload = anyPayload
  .refine(isReadable, { path: ['value'], message: READABLE })
  .meta({ description: `The value that clients get with the name of the variant: ${READABLE}.` });
const override = variantShape.shape.overrides.unwrap().unwrap().element.strict();

const meta = { description: `Null means left out; ${WEIGHED}.` };

/** Null means absent; unknown properties are refused. */
const bodyWith = (ofPayload: typeof anyPayload) =>
  variantShape
    .extend({
      payload: ofPayload.nullable().optional(),
      overrides: z.array(override).max(MAX_OVERRIDES).nullable().optional(),
    })
    .strict()
    .refine(({ weightType, weight }) => weightType !== 'fix' || weight !== undefined, {
      path: ['weight'],
      message: WEIGHED,
    });

export const variantBody = bodyWith(payload).meta({ ...meta, id: 'NewVariant' });
/** Its payload is checked later, with the flag that may have it. */
export const variantOfDocument = bodyWith(anyPayload).meta({ ...meta, id: 'ImportedVariant' });

const rules =
  'Unless the list is empty, at least one variant is variable. The fixed weights add up to less than 1000. The variable variants share the rest; weights that are sent for them have no effect.';
const example = [
  { name: 'blue', weightType: 'variable', stickiness: 'userId', payload: { type: 'string', value: 'blue' } },
  { name: 'green', weightType: 'fix', weight: 100, stickiness: 'userId' },
] as const;

/** The body of PUT …/variants. */
export const variantsBody = z
  .array(variantBody)
  .max(MAX_VARIANTS.ofFlag)
  .meta({ id: 'ReplaceVariants', description: rules, examples: [example] });

/** The body of PUT for one environment. */
export const environmentVariantsBody = z
  .array(variantBody)
  .max(MAX_VARIANTS.ofEnvironment)
  .meta({ id: 'ReplaceVariantsInEnvironment', description: rules, examples: [example] });

/** The body of `variants-batch`. */
export const variantsBatchBody = z
  .strictObject({ variants: environmentVariantsBody, environments: z.array(z.string()).min(1).max(MAX_ENVIRONMENTS) })
  .meta({ id: 'ReplaceVariantsInEnvironments', examples: [{ variants: example, environments: ['production'] }] });

/** PATCH …/variants applies to the list that GET returns, in the same order. */
export function variantsOfPatch(
  shown: readonly WeightedVariant[],
  operations: readonly PatchOperation[],
  body: z.ZodType<Variant[]>,
): Variant[] {
  const variants = applyJsonPatch(presentVariants(shown).variants, operations);
  return parse(z.object({ variants: body }), { variants }, 'body').variants;
}

/** The list itself, or the list under `variants`. */
export type VariantsBody = readonly Variant[] | { readonly variants: readonly Variant[] };

const listWithRules = variantList(MAX_VARIANTS.ofFlag, '');
const bodyWithRules = z.object({ variants: listWithRules });

/**
 * After the API server has refused a body, the predicates of its rules find the variant and the value; CEL has no
 * budget for that.
 */
export function describeBrokenRules(body: VariantsBody): void {
  if ('variants' in body) parse(bodyWithRules, body, 'body');
  else parse(listWithRules, body, 'body');
}
