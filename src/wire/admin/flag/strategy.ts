/** Strategies and constraints on the wire. */
import { z } from 'zod';
import { type KeyedStrategy, strategiesOf } from '../../../domain/flag/flag-values.ts';
import { strategyIdOf } from '../../../domain/flag/strategy-id.ts';
import { type SegmentIds, segmentIdsOf } from '../../../domain/flag/strategy-segments.ts';
import { weigh } from '../../../domain/flag/variants.ts';
import type { FlagEnvironment } from '../../../schema/feature-flag.ts';
import { ramp } from '../../../schema/ramp.ts';
import { presentAdminConstraints, wireConstraint } from '../constraint.ts';
import { wireWindow } from './rollout.ts';
import { presentVariant, wireVariant } from './variant.ts';

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
  segments: [7],
};

export const wireStrategy = z
  .object({
    id: z.uuid(),
    name: z.string(),
    title: z.string().nullable(),
    disabled: z.boolean(),
    sortOrder: z.int().min(0),
    parameters: z.record(z.string(), z.unknown()),
    ramp: ramp.optional().meta({ description: 'Changes the rollout with time. Absent: the strategy has none.' }),
    constraints: z.array(wireConstraint),
    variants: z.array(wireVariant),
    segments: z.array(z.int()).meta({ description: 'The ids of the segments whose constraints must hold too.' }),
  })
  .meta({
    id: 'Strategy',
    description: 'The users for whom a flag is on in an environment.',
    examples: [exampleStrategy],
  });
export type WireStrategy = z.infer<typeof wireStrategy>;

/** A flag in one environment, including whether it is in effect there. */
export const wireFeatureEnvironment = z.object({
  name: z.string().meta({ examples: ['one-page-checkout'] }),
  environment: z.string().meta({ examples: ['production'] }),
  enabled: z.boolean(),
  ...wireWindow,
  strategies: z.array(wireStrategy),
});

export interface EnvironmentOfFlag {
  /** Wire names. */
  readonly flag: string;
  readonly environment: string;
}

/** The strategies in their order. */
export function presentStrategies(
  place: EnvironmentOfFlag,
  environment: FlagEnvironment,
  segmentIds: SegmentIds,
): WireStrategy[] {
  return strategiesOf(environment).map((keyed) => presentStrategy(place, keyed, segmentIds));
}

export function presentStrategy(
  place: EnvironmentOfFlag,
  { key, strategy }: KeyedStrategy,
  segmentIds: SegmentIds,
): WireStrategy {
  return {
    id: strategyIdOf({ ...place, key }),
    name: strategy.name,
    title: strategy.title ?? null,
    disabled: strategy.disabled ?? false,
    sortOrder: strategy.sortOrder ?? 0,
    parameters: strategy.parameters ?? {},
    ...(strategy.ramp && { ramp: strategy.ramp }),
    constraints: presentAdminConstraints(strategy.constraints),
    variants: weigh(strategy.variants ?? []).map(presentVariant),
    segments: segmentIdsOf(strategy, segmentIds),
  };
}
