/** The variants of a flag or a strategy as SDKs read them. */

import { type WeightedVariant, weigh } from '../../domain/flag/variants.ts';
import { compareText } from '../../domain/identity/names.ts';
import type { ClientVariant } from '../../evaluation/client-document.ts';
import type { Variant } from '../../schema/variant.ts';

/** Unleash orders by locale, and the order decides which user gets which variant. */
const { compare } = new Intl.Collator('en');

export function presentFlagVariants(variants: readonly Variant[]): readonly ClientVariant[] {
  return present(variants).map((variant) => ({ ...common(variant), overrides: variant.overrides ?? [] }));
}

export function presentStrategyVariants(variants: readonly Variant[]): readonly ClientVariant[] {
  return present(variants).map(common);
}

/** The variants in their order. Weights with a sum of 0 would cause a division by zero in SDKs. */
function present(variants: readonly Variant[]): readonly WeightedVariant[] {
  const weighted = weigh(variants).toSorted((a, b) => compare(a.name, b.name) || compareText(a.name, b.name));
  return weighted.some(({ weight }) => weight > 0) ? weighted : [];
}

function common({ name, weight, weightType, stickiness, payload }: WeightedVariant): ClientVariant {
  return { name, weight, weightType, stickiness: stickiness || 'default', ...(payload && { payload }) };
}
