/** The weights of variants, computed when they are read (docs/unleash-compatibility.md#variants). */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { fixedWeight, type Variant } from '../../schema/variant.ts';
import { compareText } from '../identity/names.ts';
import { environmentsOf, strategiesOf } from './flag-values.ts';

export const WHOLE = 1000;

export interface WeightedVariant extends Omit<Variant, 'weightType' | 'weight' | 'stickiness'> {
  readonly weightType: 'fix' | 'variable';
  /** In thousandths. */
  readonly weight: number;
  readonly stickiness: string;
}

export function weightTypeOf({ weightType }: Variant): 'fix' | 'variable' {
  return weightType ?? 'variable';
}

export function stickinessOf({ stickiness }: Variant): string {
  return stickiness ?? 'default';
}

/**
 * Fixed weights stay. The rest up to 1000 is divided evenly among the variable ones; the remainder goes one by one to
 * the first of them in the stored order. Ordered by name. If the fixed weights of a stored list exceed the total, 0 is
 * left for the others.
 */
export function weigh(variants: readonly Variant[]): readonly WeightedVariant[] {
  const variable = variants.filter((variant) => weightTypeOf(variant) === 'variable');
  const left = Math.max(0, WHOLE - fixedWeight(variants));
  const share = Math.floor(left / variable.length);
  const extra = left % variable.length;
  return variants
    .map((variant): WeightedVariant => {
      const [weightType, stickiness] = [weightTypeOf(variant), stickinessOf(variant)];
      const weight = weightType === 'fix' ? (variant.weight ?? 0) : share + (variable.indexOf(variant) < extra ? 1 : 0);
      return { ...variant, weightType, weight, stickiness };
    })
    .sort((a, b) => compareText(a.name, b.name));
}

/** The variants of the flag itself, and those that only an environment has; ordered by name. */
export function everyVariant(flag: FeatureFlag): readonly WeightedVariant[] {
  const found = new Map(weigh(flag.spec.variants ?? []).map((variant) => [variant.name, variant]));
  for (const environment of Object.values(flag.spec.environments ?? {})) {
    for (const variant of weigh(environment?.variants ?? [])) {
      if (!found.has(variant.name)) found.set(variant.name, variant);
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.name, b.name));
}

/** The names of the variants, including those of strategies; ordered. */
export function everyVariantName(flag: FeatureFlag): readonly string[] {
  const ofStrategies = environmentsOf(flag).flatMap(([, environment]) =>
    strategiesOf(environment).flatMap(({ strategy }) => strategy.variants ?? []),
  );
  return [...new Set([...everyVariant(flag), ...ofStrategies].map(({ name }) => name))].sort(compareText);
}
