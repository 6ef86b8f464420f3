/** The effects of a change request on the wire. */
import { z } from 'zod';
import { environmentOf, projectIdOf, strategiesOf } from '../../domain/flag/flag-values.ts';
import { strategyAt } from '../../domain/flag/ramp.ts';
import { segmentIdsIn } from '../../domain/flag/strategy-segments.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { DifferingGroup } from '../../evaluation/contexts/differing-groups.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { presentStrategy, wireStrategy } from '../admin/flag/strategy.ts';
import { presentTime, presentTimeOrNull, wireTime } from '../admin/timestamp.ts';
import type { FlagInEffect } from '../client/feature.ts';
import { appliedStrategy } from './deciding-fields.ts';
import type { ExplainedFlag } from './explained-flag.ts';
import { type ReadsSegment, whyWords } from './why-words.ts';

const result = z
  .object({
    enabled: z.boolean(),
    variant: z
      .object({ name: z.string(), payload: z.string().nullable() })
      .nullable()
      .meta({ description: 'Null: the flag is off, or has no variants.' }),
    strategy: z.string().nullable().meta({ description: 'The key of the strategy that applies. Null: none does.' }),
    why: z.string().meta({ description: 'Why, for the first of the contexts.' }),
  })
  .meta({ id: 'EffectForUsers' });

const group = z
  .object({
    contexts: z
      .array(z.record(z.string(), z.string()))
      .meta({ description: 'The first contexts, with the fields that matter.', examples: [[{ userId: '42' }]] }),
    count: z.int().min(1).meta({ description: 'How many of the contexts are in the group.' }),
    byChance: z.boolean().meta({ description: 'Chance decides: the same user may get something else each time.' }),
    before: result,
    after: result,
  })
  .meta({ id: 'EffectGroup', description: 'Users who get something else after the change.' });

const audience = z
  .object({
    inEffect: z.boolean().meta({ description: 'Whether the flag is on in the environment.' }),
    strategies: z.array(wireStrategy).meta({ description: 'With the percentages that ramps have at the time.' }),
  })
  .meta({ id: 'Audience', description: 'For whom the flag is on.' });

const effectsInEnvironment = z
  .object({
    environment: z.string(),
    before: audience,
    after: audience,
    contexts: z.int().meta({
      description:
        'How many contexts were evaluated. They are made from the rules of the flag, so that each strategy and variant is reached: their numbers are no shares of users.',
    }),
    same: z.int().meta({ description: 'How many of them get the same before and after.' }),
    notReached: z.int().meta({ description: 'How many strategies and variants no context reaches.' }),
    groups: z.array(group).meta({ description: 'The contexts that get something else, the largest groups first.' }),
    moreGroups: z.int().meta({ description: 'How many groups are left out.' }),
  })
  .meta({ id: 'EnvironmentEffects' });

export const wireChangeEffects = z
  .object({
    at: wireTime
      .nullable()
      .meta({ description: 'The time for which windows and ramps are evaluated. Null: now.', examples: [null] }),
    times: z
      .array(wireTime)
      .meta({ description: 'The next times at which windows and ramps change what is in effect, at most 20.' }),
    dependents: z
      .array(z.string())
      .meta({ description: 'The flags that depend on the flag. What they give may change too.' }),
    environments: z.array(effectsInEnvironment).meta({ description: 'None for a segment.' }),
    segment: z
      .object({
        usedBy: z.int().min(0).meta({ description: 'How many flags use the segment.' }),
        flags: z
          .array(z.object({ name: z.string(), project: z.string(), environments: z.array(effectsInEnvironment) }))
          .meta({ description: 'What they give, where they use it; those that are on come first.' }),
        otherFlags: z
          .array(z.string())
          .meta({ description: 'Names of flags that use it and are not evaluated, at most 100.' }),
      })
      .nullable()
      .meta({
        description: 'Null: the request is about a flag. Flags that the caller may not read are only counted.',
        examples: [null],
      }),
  })
  .meta({ id: 'ChangeRequestEffects', description: 'What users get before and after the change.' });

export interface ExplainedGroup extends DifferingGroup {
  /** The evaluations for the first context. */
  readonly explained: { readonly before: ExplainedFlag; readonly after: ExplainedFlag };
}

export interface EnvironmentEffects {
  readonly environment: string;
  readonly before: FlagInEffect;
  readonly after: FlagInEffect;
  /** The number of contexts. */
  readonly contexts: number;
  /** The number of contexts that get the same before and after. */
  readonly same: number;
  /** The number of strategies and variants that no context reaches. */
  readonly notReached: number;
  /** The largest groups. */
  readonly groups: readonly ExplainedGroup[];
  readonly moreGroups: number;
}

/** What a flag gives in each environment. */
export interface FlagEffects {
  readonly flag: FeatureFlag;
  readonly effects: readonly EnvironmentEffects[];
}

export interface RequestEffects {
  /** In ms since 1970. Undefined: now, which is not shown, so that the same answer has the same bytes. */
  readonly at: number | undefined;
  readonly times: readonly number[];
  readonly dependents: readonly string[];
  /** The flag, or the flags that use the segment. */
  readonly flags: readonly FlagEffects[];
  /** Undefined: the request is about a flag. */
  readonly segment: { readonly usedBy: number; readonly otherFlags: readonly string[] } | undefined;
}

export function presentChangeEffects(
  { at, times, dependents, flags, segment }: RequestEffects,
  readsSegment: ReadsSegment,
): z.infer<typeof wireChangeEffects> {
  const shown = flags.map(({ flag, effects }) => ({
    ...{ name: wireNameOf(flag), project: projectIdOf(flag) },
    environments: effects.map((one) => presentEnvironment(one, readsSegment)),
  }));
  return {
    at: presentTimeOrNull(at),
    times: times.map(presentTime),
    dependents: [...dependents],
    environments: segment ? [] : shown.flatMap(({ environments }) => environments),
    segment: segment ? { usedBy: segment.usedBy, flags: shown, otherFlags: [...segment.otherFlags] } : null,
  };
}

function presentEnvironment(
  { before, after, groups, ...counts }: EnvironmentEffects,
  readsSegment: ReadsSegment,
): z.infer<typeof effectsInEnvironment> {
  const { environment } = counts;
  return {
    ...counts,
    before: presentAudience(before, environment),
    after: presentAudience(after, environment),
    groups: groups.map(({ contexts, count, explained, ...results }) => ({
      contexts: contexts.map((context) => ({ ...context })),
      count,
      byChance: results.before.isRandom || results.after.isRandom,
      before: presentResult(explained.before, readsSegment),
      after: presentResult(explained.after, readsSegment),
    })),
  };
}

function presentAudience({ flag, effect, segments }: FlagInEffect, environment: string): z.infer<typeof audience> {
  const place = { flag: wireNameOf(flag), environment };
  const moment = { at: effect.at, pauses: effect.pausesIn(environment) };
  const strategies = strategiesOf(environmentOf(flag.spec, environment)).map(({ key, strategy }) =>
    presentStrategy(place, { key, strategy: strategyAt(strategy, moment) }, segmentIdsIn(segments)),
  );
  return { inEffect: effect.enabledIn.has(environment), strategies };
}

function presentResult(explained: ExplainedFlag, readsSegment: ReadsSegment): z.infer<typeof result> {
  const { enabled, variant } = explained.explanation;
  return {
    enabled,
    variant: variant ? { name: variant.name, payload: variant.payload?.value ?? null } : null,
    strategy: appliedStrategy(explained)?.key ?? null,
    why: whyWords(explained, readsSegment),
  };
}
