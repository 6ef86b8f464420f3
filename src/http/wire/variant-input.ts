/** What callers send about variants. */
import { z } from 'zod';
import { isReadable } from '../../domain/payloads.ts';
import type { WeightedVariant } from '../../domain/variants.ts';
import { mostVariants, type Variant, variantList, variantShape } from '../../schema/variant.ts';
import { parse } from '../validation.ts';
import { applyJsonPatch, type PatchOperation } from './json-patch.ts';
import { presentVariants } from './variant.ts';

const payload = variantShape.shape.payload
  .unwrap()
  .unwrap()
  .strict()
  .refine(isReadable, { path: ['value'], message: 'type json needs a value that parses as JSON' });
const override = variantShape.shape.overrides.unwrap().unwrap().element.strict();

/** Null means absent; a property that variants do not have is refused (product §10). */
export const variantBody = variantShape
  .extend({ payload: payload.nullable().optional(), overrides: z.array(override).nullable().optional() })
  .strict()
  .refine(({ weightType, weight }) => weightType !== 'fix' || weight !== undefined, {
    path: ['weight'],
    message: 'a variant of weightType fix needs a weight',
  });

/** The body of endpoint 15. */
export const variantsBody = z.array(variantBody).max(mostVariants.ofFlag);

/** The body of PUT for one environment. */
export const environmentVariantsBody = z.array(variantBody).max(mostVariants.ofEnvironment);

/** The body of `variants-batch`. */
export const variantsBatchBody = z.strictObject({
  variants: environmentVariantsBody,
  environments: z.array(z.string()).min(1),
});

/** Endpoint 16: the patch applies to the list as it is answered, in that order. */
export function variantsOfPatch(
  shown: readonly WeightedVariant[],
  operations: readonly PatchOperation[],
  body: z.ZodType<Variant[]>,
): Variant[] {
  const variants = applyJsonPatch(presentVariants(shown).variants, operations);
  return parse(z.object({ variants: body }), { variants }, 'body').variants;
}

/** The list as it is, or under `variants`. */
export type VariantsBody = readonly Variant[] | { readonly variants: readonly Variant[] };

const listWithRules = variantList(mostVariants.ofFlag, '');
const bodyWithRules = z.object({ variants: listWithRules });

/**
 * Of a body that the API server has refused, the predicates beside its rules tell which variant and which value it was;
 * CEL has no budget to say so.
 */
export function tellBrokenRules(body: VariantsBody): void {
  if ('variants' in body) parse(bodyWithRules, body, 'body');
  else parse(listWithRules, body, 'body');
}
