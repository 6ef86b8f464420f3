/** Strategies and constraints on the wire. */
import { z } from 'zod';
import { type KeyedStrategy, strategiesOf } from '../../domain/flag/flag-values.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import { weigh } from '../../domain/flag/variants.ts';
import { operators } from '../../schema/constraint.ts';
import type { FlagEnvironment } from '../../schema/feature-flag.ts';
import { presentVariant, wireVariant } from './variant.ts';

const wireConstraint = z
  .object({
    contextName: z.string(),
    operator: z.enum(operators),
    values: z.array(z.string()),
    value: z.string().optional(),
    caseInsensitive: z.boolean().optional(),
    inverted: z.boolean().optional(),
  })
  .meta({
    id: 'Constraint',
    description: 'What must hold for a strategy to apply.',
    examples: [{ contextName: 'region', operator: 'IN', values: ['eu', 'us'] }],
  });

/** For the API document. */
export const exampleStrategy = {
  id: '5f6a1c1e-7c1d-5b0e-9d55-0c6f2a3b4c5d',
  name: 'flexibleRollout',
  title: 'A quarter of all customers',
  disabled: false,
  sortOrder: 0,
  parameters: { rollout: 25, groupId: 'one-page-checkout', stickiness: 'default' },
  constraints: [{ contextName: 'region', operator: 'IN', values: ['eu', 'us'] }],
  variants: [],
  segments: [],
};

export const wireStrategy = z
  .object({
    id: z.uuid(),
    name: z.string(),
    title: z.string().nullable(),
    disabled: z.boolean(),
    sortOrder: z.int().min(0),
    parameters: z.record(z.string(), z.unknown()),
    constraints: z.array(wireConstraint),
    variants: z.array(wireVariant),
    segments: z.array(z.int()),
  })
  .meta({
    id: 'Strategy',
    description: 'For whom a flag is on in an environment.',
    examples: [exampleStrategy],
  });
export type WireStrategy = z.infer<typeof wireStrategy>;

/** A flag in one environment, with whether it is really on there. */
export const wireFeatureEnvironment = z.object({
  name: z.string().meta({ examples: ['one-page-checkout'] }),
  environment: z.string().meta({ examples: ['production'] }),
  enabled: z.boolean(),
  strategies: z.array(wireStrategy),
});

export interface EnvironmentOfFlag {
  /** Wire names. */
  readonly flag: string;
  readonly environment: string;
}

/** In their order. */
export function presentStrategies(place: EnvironmentOfFlag, environment: FlagEnvironment): WireStrategy[] {
  return strategiesOf(environment).map((keyed) => presentStrategy(place, keyed));
}

export function presentStrategy(place: EnvironmentOfFlag, { key, strategy }: KeyedStrategy): WireStrategy {
  return {
    id: strategyIdOf({ ...place, key }),
    name: strategy.name,
    title: strategy.title ?? null,
    disabled: strategy.disabled ?? false,
    sortOrder: strategy.sortOrder ?? 0,
    parameters: strategy.parameters ?? {},
    constraints: (strategy.constraints ?? []).map((constraint) => ({ ...constraint, values: constraint.values ?? [] })),
    variants: weigh(strategy.variants ?? []).map(presentVariant),
    segments: [],
  };
}
