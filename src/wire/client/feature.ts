/** A flag in one environment as SDKs read it, in a form that every SDK evaluates alike (ADR 39). */

import { dependenciesOf } from '../../domain/flag/dependencies.ts';
import type { FlagEffect } from '../../domain/flag/effect.ts';
import {
  environmentOf,
  flagTypeOf,
  type KeyedStrategy,
  projectIdOf,
  strategiesOf,
  variantsIn,
} from '../../domain/flag/flag-values.ts';
import { isServable } from '../../domain/flag/judge/clients-disagree.ts';
import { itemsOf } from '../../domain/flag/list-parameters.ts';
import { strategyAt } from '../../domain/flag/ramp.ts';
import { type WeightedVariant, weigh } from '../../domain/flag/variants.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import type { SegmentLookups } from '../../domain/segment/segment-values.ts';
import type {
  ClientDependency,
  ClientFeature,
  ClientStrategy,
  ClientVariant,
} from '../../evaluation/client-document.ts';
import { parameterText } from '../../model/parameter-text.ts';
import type { Dependency } from '../../schema/dependency.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { Variant } from '../../schema/variant.ts';
import { presentConstraint, presentSegment } from './segment.ts';

export interface FlagInEffect {
  readonly flag: FeatureFlag;
  readonly effect: FlagEffect;
  /** Absent if the flag has no segments. */
  readonly segments?: SegmentLookups | undefined;
}

/** A strategy of a flag, with the form that SDKs get. */
export interface ServedStrategy extends KeyedStrategy {
  /** Undefined if the strategy is disabled, SDKs cannot be sent it, or its evaluation would take too long. */
  readonly served: ClientStrategy | undefined;
}

/** All strategies of the flag in an environment, in their order. */
export function servedStrategies(
  { flag, segments, effect }: FlagInEffect,
  environment: string,
): readonly ServedStrategy[] {
  const name = wireNameOf(flag);
  const moment = { at: effect.at, pauses: effect.pausesIn(environment) };
  return strategiesOf(environmentOf(flag.spec, environment)).map(({ key, strategy }) => {
    const isServed = !strategy.disabled && isServable(strategy) && !effect.costlyIn.has(environment);
    const served = isServed ? presentStrategy(strategyAt(strategy, moment), name, segments) : undefined;
    return { key, strategy, served };
  });
}

/**
 * Leaves out disabled strategies, and strategies that SDKs cannot be sent or evaluate in time. A flag without any
 * remaining one is not in effect: SDKs treat a flag without strategies as on.
 */
export function presentClientFeature(inEffect: FlagInEffect, environment: string): ClientFeature {
  const { flag, effect } = inEffect;
  const { spec } = flag;
  const strategies = servedStrategies(inEffect, environment).flatMap(({ served }) => served ?? []);
  const dependencies = dependenciesOf(flag).map(presentDependency);
  return {
    name: wireNameOf(flag),
    type: flagTypeOf(spec),
    enabled: effect.enabledIn.has(environment),
    project: projectIdOf(flag),
    stale: spec.stale ?? false,
    impressionData: spec.impressionData ?? false,
    description: spec.description ?? null,
    strategies,
    variants: presentFlagVariants(variantsIn(flag, environment)),
    ...(dependencies.length > 0 && { dependencies }),
  };
}

/** Variants matter only if the parent must be on; Yggdrasil treats them as a condition in any case. */
function presentDependency({ feature, enabled = true, variants }: Dependency): ClientDependency {
  return { feature, enabled, ...(enabled && variants && { variants }) };
}

/** Node takes the stickiness of the first variant, Yggdrasil that of the strategy: all SDKs are sent the same one. */
function presentStrategy(
  strategy: Strategy,
  flagName: string,
  lookups: SegmentLookups | undefined,
): ClientStrategy | undefined {
  const variants = presentStrategyVariants(strategy.variants ?? []);
  const parameters = presentParameters(strategy, { groupId: flagName, stickiness: variants[0]?.stickiness });
  const named = strategy.segments ?? [];
  const segments = named.flatMap((name) => presentSegment(name, lookups)?.id ?? []);
  if (segments.length < named.length) return undefined;
  const { stickiness = 'default' } = parameters;
  return {
    name: strategy.name,
    parameters,
    constraints: (strategy.constraints ?? []).map(presentConstraint),
    variants: variants.map((one) => ({ ...one, stickiness })),
    ...(segments.length > 0 && { segments }),
  };
}

/** Unleash orders by locale, and the order decides which user gets which variant. */
const { compare } = new Intl.Collator('en');

function presentFlagVariants(variants: readonly Variant[]): readonly ClientVariant[] {
  return present(variants).map((variant) => ({ ...common(variant), overrides: variant.overrides ?? [] }));
}

function presentStrategyVariants(variants: readonly Variant[]): readonly ClientVariant[] {
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

type Parameters = Readonly<Record<string, string>>;

/** Percentages: SDKs count whole ones only, and Yggdrasil switches the flag off for any other. */
const PERCENTAGES = ['rollout', 'percentage'];

/** The values for absent parameters of a strategy. */
interface StickyDefaults {
  /** The name of the flag. */
  readonly groupId: string;
  /** The stickiness of the strategy's variants; undefined if it has none. */
  readonly stickiness: string | undefined;
}

/** The strategy must be one that SDKs can be sent. */
function presentParameters(strategy: Strategy, sticky: StickyDefaults): Parameters {
  const defaults = defaultsOf(strategy.name, sticky);
  const given = Object.entries(strategy.parameters ?? {})
    .filter(([name, value]) => value !== null || !Object.hasOwn(defaults, name))
    .map(([name, value]) => [name, textOf(name, value)]);
  const parameters: Parameters = { ...defaults, ...Object.fromEntries(given) };
  return parameters['stickiness'] === '' ? { ...parameters, stickiness: 'default' } : parameters;
}

/** Without these, SDKs select different users, or fail. An absent rollout selects no user. */
function defaultsOf(type: string, { groupId, stickiness }: StickyDefaults): Parameters {
  if (type === 'flexibleRollout') return { rollout: '0', groupId, stickiness: 'default' };
  if (type.startsWith('gradualRollout')) return { percentage: '0', groupId, stickiness: stickiness ?? 'default' };
  return stickiness === undefined ? {} : { groupId, stickiness };
}

function textOf(name: string, value: unknown): string {
  const items = itemsOf(name, value);
  if (items) return items.served.join(',');
  return PERCENTAGES.includes(name) ? wholePercentage(value) : parameterText(value);
}

function wholePercentage(value: unknown): string {
  const number = Math.floor(Number(parameterText(value)));
  return `${Math.min(100, Math.max(0, Number.isFinite(number) ? number : 0))}`;
}
