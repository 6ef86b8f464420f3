/** The reported use of a flag, as its answers show it. */
import { z } from 'zod';
import { type FlagLifecycle, lifecycleStages } from '../../../domain/usage/lifecycle.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { wireNatural } from '../fields.ts';
import { presentTime, presentTimeOrNull, wireTime } from '../timestamp.ts';

export const wireLastSeen = wireTime.nullable().meta({
  description: 'The last time that an SDK reported an evaluation. It is not part of the ETag.',
  examples: [null],
});

const evaluations = (answer: string) =>
  wireNatural.meta({
    description: `Evaluations of this hour and the previous hour that gave ${answer}. Not part of the ETag.`,
    examples: [0],
  });

/** What an edge says about itself. */
export const wireEdgeName = {
  appName: z.string().meta({ description: 'What the edge calls its program.', examples: ['vexil-edge'] }),
  instanceId: z.string().meta({ examples: ['vexil-edge-6d5f8c7b9-x2x4q'] }),
};

/** The use in one environment. */
export const wireEnvironmentUsage = {
  lastSeenAt: wireLastSeen,
  lastSeenThrough: z.object(wireEdgeName).optional().meta({
    description:
      'The edge that the application of the last evaluation reported to; absent: none. It is not part of the ETag.',
  }),
  yes: evaluations('yes'),
  no: evaluations('no'),
};

export const wireLifecycle = z
  .object({ stage: z.enum(lifecycleStages).meta({ examples: ['initial'] }), enteredStageAt: wireTime })
  .meta({
    id: 'FeatureLifecycle',
    description:
      'The stage according to use: `initial`, `pre-live`, `live`; then `completed` (marked as stale) and `archived`. Only `completed` and `archived` are part of the ETag.',
  });

interface EnvironmentNumbers {
  /** Ms since 1970; undefined: never. */
  readonly lastAt: number | undefined;
  /** The edge of the last evaluation. */
  readonly through?: { readonly appName: string; readonly instanceId: string } | undefined;
  readonly yes: number;
  readonly no: number;
}

export interface ShownUsage {
  /** In ms since 1970; undefined: never. */
  readonly lastAt: number | undefined;
  readonly lifecycle: FlagLifecycle;
  readonly in: (environment: string) => EnvironmentNumbers;
}

const never: EnvironmentNumbers = { lastAt: undefined, yes: 0, no: 0 };

/**
 * The usage of a flag without any report. ETags are made from answers with it, so that they do not change with each
 * report.
 */
export function withoutUsage({ metadata }: FeatureFlag): ShownUsage {
  const enteredAt = Date.parse(metadata.creationTimestamp);
  return { lastAt: undefined, lifecycle: { stage: 'initial', enteredAt }, in: () => never };
}

export function presentLifecycle({ stage, enteredAt }: FlagLifecycle): z.infer<typeof wireLifecycle> {
  return { stage, enteredStageAt: presentTime(enteredAt) };
}

export function presentEnvironmentUsage({ lastAt, through, yes, no }: EnvironmentNumbers) {
  return { lastSeenAt: presentTimeOrNull(lastAt), ...(through && { lastSeenThrough: through }), yes, no };
}
