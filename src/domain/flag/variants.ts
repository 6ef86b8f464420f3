/** The weights of variants, computed when they are read (docs/unleash-compatibility.md#variants). */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { fixedWeight, type Variant } from '../../schema/variant.ts';
import { compareText } from '../identity/names.ts';
import { environmentsOf, strategiesOf } from './flag-values.ts';

export const WHOLE = 1000;

export interface WeightedVariant extends Omit<Variant, 'weightType' | 'weight' | 'stickiness'> {
  readonly weightType: 'fix' | 'variable';
  /** Thousandths. */
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
 * Fixed weights stay; the rest up to 1000 is shared out evenly, what is left over going one by one to the first
 * variable ones in the stored order. Ordered by name. A stored list whose fixed weights take more than everything
 * leaves 0 for the others.
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

/** Those of the flag itself, and those that only an environment has; ordered by name. */
export function everyVariant(flag: FeatureFlag): readonly WeightedVariant[] {
  const found = new Map(weigh(flag.spec.variants ?? []).map((variant) => [variant.name, variant]));
  for (const environment of Object.values(flag.spec.environments ?? {})) {
    for (const variant of weigh(environment?.variants ?? [])) {
      if (!found.has(variant.name)) found.set(variant.name, variant);
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.name, b.name));
}

/** Those of its strategies too; ordered. */
export function everyVariantName(flag: FeatureFlag): readonly string[] {
  const ofStrategies = environmentsOf(flag).flatMap(([, environment]) =>
    strategiesOf(environment).flatMap(({ strategy }) => strategy.variants ?? []),
  );
  return [...new Set([...everyVariant(flag), ...ofStrategies].map(({ name }) => name))].sort(compareText);
}
