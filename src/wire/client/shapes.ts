/** The shapes of answers to SDKs, for the API document. */
import { z } from 'zod';

const payload = z.object({ type: z.string(), value: z.string() });

export const clientConstraint = z.object({
  contextName: z.string(),
  operator: z.string(),
  values: z.array(z.string()),
  value: z.string().optional(),
  inverted: z.boolean(),
  caseInsensitive: z.boolean(),
});

const variant = z.object({
  name: z.string(),
  weight: z.int(),
  weightType: z.enum(['fix', 'variable']),
  stickiness: z.string(),
  payload: payload.optional(),
});

const strategyVariant = variant.meta({ id: 'ClientStrategyVariant', description: 'A variant of a strategy.' });

const flagVariant = variant
  .extend({ overrides: z.array(z.object({ contextName: z.string(), values: z.array(z.string()) })) })
  .meta({ id: 'ClientVariant', description: 'A variant of a flag.' });

const strategy = z.object({
  name: z.string(),
  parameters: z.record(z.string(), z.string()),
  constraints: z.array(clientConstraint),
  variants: z.array(strategyVariant),
  segments: z.array(z.int()).optional().meta({ description: 'Ids of segments. Absent: none.' }),
});

const segment = z
  .object({ id: z.int(), name: z.string(), constraints: z.array(clientConstraint) })
  .meta({ id: 'ClientSegment', description: 'Constraints that strategies refer to by id.' });

const dependency = z.object({
  feature: z.string(),
  enabled: z.boolean(),
  variants: z.array(z.string()).optional(),
});

export const clientFeature = z
  .object({
    name: z.string(),
    type: z.string(),
    enabled: z.boolean().meta({ description: 'Whether the flag is in effect in the environment.' }),
    project: z.string(),
    stale: z.boolean(),
    impressionData: z.boolean(),
    description: z.string().nullable(),
    strategies: z.array(strategy),
    variants: z.array(flagVariant),
    dependencies: z.array(dependency).optional().meta({ description: 'Absent: none.' }),
  })
  .meta({ id: 'ClientFeature', description: 'A flag in one environment, as SDKs evaluate it.' });

export const clientFeatures = z
  .object({
    version: z.literal(2),
    features: z.array(clientFeature),
    segments: z.array(segment).optional().meta({
      description:
        'The segments that strategies name. Absent for an SDK whose `Unleash-Client-Spec` is below 4.2.0 or missing: its strategies contain the constraints.',
    }),
    query: z.looseObject({ environment: z.string() }).meta({ description: 'The query of the request.' }),
  })
  .meta({ id: 'ClientFeatures', description: 'The flags of an environment.' });

const eventId = z.int().min(0).max(0xff_ff_ff_ff).meta({ description: 'Rises with each change.' });

const deltaEvent = z.discriminatedUnion('type', [
  z.object({
    eventId,
    type: z.literal('hydration'),
    features: z.array(clientFeature),
    segments: z.array(segment),
  }),
  z.object({ eventId, type: z.literal('segment-updated'), segment }),
  z.object({ eventId, type: z.literal('feature-updated'), feature: clientFeature }),
  z.object({ eventId, type: z.literal('feature-removed'), featureName: z.string(), project: z.string() }),
]);

export const clientDelta = z.object({ events: z.array(deltaEvent) }).meta({
  id: 'ClientDelta',
  description: 'The changes of the flags of an environment, in the order in which they happened.',
});

export const MAX_TOKENS = 100;

export const tokensToValidate = z.object({ tokens: z.array(z.string().max(1000)).max(MAX_TOKENS) });

export const validTokens = z.object({
  tokens: z.array(
    z.object({
      token: z.string(),
      type: z.enum(['client', 'frontend']),
      environment: z.string(),
      projects: z.array(z.string()).meta({ description: 'Ids of projects, or `*` alone for all.' }),
    }),
  ),
});
