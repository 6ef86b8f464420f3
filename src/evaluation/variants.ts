/** The choice among variants, by weight or for listed users. */
import { type CompiledBuckets, compileBuckets } from './bucket.ts';
import type { ClientVariant } from './client-document.ts';
import type { Context, Situation } from './context.ts';
import type { VariantResult } from './why.ts';

export interface CompiledVariants {
  readonly overrides: readonly CompiledOverride[];
  readonly weighted: readonly VariantRange[];
  readonly bucketOf: CompiledBuckets['bucketOf'];
}

interface CompiledOverride {
  readonly contextName: string;
  readonly values: ReadonlySet<string>;
  readonly variant: ClientVariant;
}

interface VariantRange {
  /** The highest bucket that chooses the variant. */
  readonly upTo: number;
  readonly variant: ClientVariant;
}

/** The same seed as in every SDK, so that a user has the same variant in each. */
const VARIANT_SEED = 86028157;

/** Undefined if no variant has a weight. The stickiness is that of the first variant, otherwise the given one. */
export function compileVariants(
  variants: readonly ClientVariant[],
  from: { readonly group: string; readonly stickiness?: string | undefined },
): CompiledVariants | undefined {
  let total = 0;
  const weighted = variants.flatMap((variant) => {
    total += variant.weight;
    return variant.weight > 0 ? [{ upTo: total, variant }] : [];
  });
  if (weighted.length === 0) return undefined;
  const stickiness = variants[0]?.stickiness ?? from.stickiness ?? 'default';
  // Without the id of a user, an address gives steadier answers than chance.
  const fallbacks = ['userId', 'sessionId', 'remoteAddress'];
  return {
    overrides: variants.flatMap(overridesOf),
    weighted,
    bucketOf: compileBuckets({
      group: from.group,
      stickiness,
      of: total,
      seed: VARIANT_SEED,
      fallbacks,
      elseRandom: true,
    }).bucketOf,
  };
}

/** Whether users can have different variants. */
export function isChoice(variants: CompiledVariants | undefined): boolean {
  return variants !== undefined && (variants.overrides.length > 0 || variants.weighted.length > 1);
}

function overridesOf(variant: ClientVariant): readonly CompiledOverride[] {
  const { overrides = [] } = variant;
  return overrides.map(({ contextName, values }) => ({ contextName, values: new Set(values), variant }));
}

export function chooseVariant(
  { overrides, weighted, bucketOf }: CompiledVariants,
  situation: Situation,
  trace?: VariantResult,
): ClientVariant | undefined {
  const override = overrides.find((one) => isChosen(one, situation.context));
  if (override) {
    if (trace) trace.override = override.contextName;
    return override.variant;
  }
  const bucket = bucketOf(situation, trace) ?? 0;
  return weighted.find(({ upTo }) => bucket <= upTo)?.variant;
}

function isChosen({ contextName, values }: CompiledOverride, context: Context): boolean {
  const value = context.get(contextName);
  return value !== undefined && values.has(value);
}
