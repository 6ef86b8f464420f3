/** Flags on the wire, where they are called features. */
import { z } from 'zod';
import { environmentTypeOf } from '../../../domain/environment/environment-values.ts';
import { dependenciesOf } from '../../../domain/flag/dependencies.ts';
import type { FlagEffect } from '../../../domain/flag/effect.ts';
import { type FlagContext, LAST } from '../../../domain/flag/flag-context.ts';
import {
  environmentOf,
  isActive,
  isArchived,
  projectIdOf,
  strategiesOf,
  variantsIn,
} from '../../../domain/flag/flag-values.ts';
import { segmentIdsIn } from '../../../domain/flag/strategy-segments.ts';
import { everyVariant, weigh } from '../../../domain/flag/variants.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { Environment } from '../../../schema/environment.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { wireNatural } from '../fields.ts';
import { presentTime, presentTimeOrNull, wireTime } from '../timestamp.ts';
import { presentDependency, wireDependency } from './dependency.ts';
import { presentMetadata, wireMetadata } from './feature-metadata.ts';
import { wireFeatureStatus } from './feature-status.ts';
import {
  presentEnvironmentUsage,
  presentLifecycle,
  type ShownUsage,
  wireEnvironmentUsage,
  wireLastSeen,
  wireLifecycle,
} from './feature-usage.ts';
import { presentWindow, wireWindow } from './rollout.ts';
import { presentStrategies, wireStrategy } from './strategy.ts';
import { presentTag, wireTag } from './tag.ts';
import { presentVariant, wireVariant } from './variant.ts';

/** A flag with everything that its answers are made from. */
export interface FlagView {
  readonly flag: FeatureFlag;
  readonly flagContext: FlagContext;
  readonly effect: FlagEffect;
  readonly usage: ShownUsage;
}

/** A flag with what only its own page shows. */
export interface FlagPageView extends FlagView {
  /** The names of the flags that depend on it. */
  readonly children: readonly string[];
}

const base = {
  name: z.string().meta({ examples: ['one-page-checkout'] }),
  ...wireMetadata,
  createdAt: wireTime,
  lastSeenAt: wireLastSeen,
};

function presentBase(flag: FeatureFlag, lastSeenAt: string | null) {
  return {
    name: wireNameOf(flag),
    ...presentMetadata(flag.spec),
    createdAt: presentTime(flag.metadata.creationTimestamp),
    lastSeenAt,
  };
}

/** The answer of POST, PUT, PATCH and clone of a flag, and an item of the archive. */
export const wireFeature = z
  .object({
    ...base,
    project: z.string().meta({ description: 'The id of its project.', examples: ['shop'] }),
    archived: z.boolean(),
    archivedAt: wireTime.nullable().meta({ examples: [null] }),
    dependencies: z.array(wireDependency).optional().meta({ description: 'Absent: none.' }),
    variants: z.array(wireVariant).meta({ description: 'Sorted by name.' }),
  })
  .meta({ id: 'Feature', description: 'A flag.' });
export type WireFeature = z.infer<typeof wireFeature>;

/**
 * The time at which a flag was archived is in the history, which the objects do not contain: `archivedAt` is null. Of
 * the last use in the status, at least the day is right.
 */
export function presentFeature(
  flag: FeatureFlag,
  lastSeenAt = presentTimeOrNull(flag.status?.lastSeenAt),
): WireFeature {
  return {
    ...presentBase(flag, lastSeenAt),
    project: projectIdOf(flag),
    archived: isArchived(flag),
    archivedAt: null,
    ...(dependenciesOf(flag).length > 0 && { dependencies: dependenciesOf(flag).map(presentDependency) }),
    variants: everyVariant(flag).map(presentVariant),
  };
}

const environmentBase = {
  name: z.string().meta({ examples: ['production'] }),
  enabled: z
    .boolean()
    .meta({ description: 'Whether the flag is effectively on. A flag without a strategy never is.', examples: [true] }),
  type: z.string().meta({ examples: ['production'] }),
  sortOrder: wireNatural.meta({ examples: [2] }),
  ...wireEnvironmentUsage,
};

function presentEnvironmentBase(environment: Environment, { effect, usage }: FlagView) {
  const name = wireNameOf(environment);
  return {
    name,
    enabled: effect.enabledIn.has(name),
    type: environmentTypeOf(environment),
    sortOrder: environment.spec.sortOrder ?? LAST,
    ...presentEnvironmentUsage(usage.in(name)),
  };
}

/** The answer of GET /projects/:projectId/features/:featureName. */
export const wireFeatureWithEnvironments = wireFeature
  .extend({
    lifecycle: wireLifecycle,
    dependencies: z.array(wireDependency),
    children: z.array(z.string()).meta({ description: 'The flags that depend on it and are not archived, by name.' }),
    environments: z
      .array(
        z
          .object({
            ...environmentBase,
            ...wireWindow,
            strategies: z.array(wireStrategy),
            variants: z.array(wireVariant).optional().meta({ description: 'With `variantEnvironments=true` only.' }),
          })
          .meta({ id: 'FeatureEnvironment', description: 'A flag in an environment.' }),
      )
      .meta({ description: 'The environments of the project, lowest sortOrder first.' }),
  })
  .meta({ id: 'FeatureWithEnvironments', description: 'A flag with its environments and their strategies.' });
export type WireFeatureWithEnvironments = z.infer<typeof wireFeatureWithEnvironments>;

/** Every environment of the project appears, in its order; an environment that the flag does not mention is off. */
export function presentFeatureWithEnvironments(
  { children, ...view }: FlagPageView,
  withVariants: boolean,
): WireFeatureWithEnvironments {
  const { flag, flagContext, usage } = view;
  const environments = flagContext.environments.map((environment) => {
    const shape = presentEnvironmentBase(environment, view);
    const place = { flag: wireNameOf(flag), environment: shape.name };
    return {
      ...shape,
      ...presentWindow(environmentOf(flag.spec, shape.name)),
      strategies: presentStrategies(place, environmentOf(flag.spec, shape.name), segmentIdsIn(flagContext.segments)),
      ...(withVariants && { variants: weigh(variantsIn(flag, shape.name)).map(presentVariant) }),
    };
  });
  return {
    ...presentFeature(flag, presentTimeOrNull(usage.lastAt)),
    lifecycle: presentLifecycle(usage.lifecycle),
    dependencies: dependenciesOf(flag).map(presentDependency),
    children: [...children],
    environments,
  };
}

/** An item of the project overview and of the flag list. */
export const wireFeatureSummary = z
  .object({
    ...base,
    lifecycle: wireLifecycle,
    tags: z.array(wireTag),
    environments: z.array(
      z
        .object({
          ...environmentBase,
          displayName: z.string().meta({ examples: ['Production'] }),
          variantCount: wireNatural,
          hasStrategies: z.boolean().meta({ examples: [true] }),
          hasEnabledStrategies: z.boolean().meta({ examples: [true] }),
        })
        .meta({ id: 'FeatureEnvironmentSummary' }),
    ),
    status: wireFeatureStatus.optional().meta({ description: 'With `include=status` only.' }),
  })
  .meta({ id: 'FeatureSummary', description: 'A flag in a list.' });
export type WireFeatureSummary = z.infer<typeof wireFeatureSummary>;

export function presentFeatureSummary(view: FlagView): WireFeatureSummary {
  const { flag, flagContext, usage } = view;
  return {
    ...presentBase(flag, presentTimeOrNull(usage.lastAt)),
    lifecycle: presentLifecycle(usage.lifecycle),
    tags: (flag.spec.tags ?? []).map(presentTag),
    environments: flagContext.environments.map((environment) => {
      const shape = presentEnvironmentBase(environment, view);
      const present = environmentOf(flag.spec, shape.name);
      return {
        ...shape,
        displayName: environment.spec.displayName ?? shape.name,
        variantCount: variantsIn(flag, shape.name).length,
        hasStrategies: strategiesOf(present).length > 0,
        hasEnabledStrategies: isActive(present),
      };
    }),
  };
}

/** The answer of GET /projects/:projectId/features. */
export const wireFeatureList = z
  .object({ version: z.literal(1), features: z.array(wireFeatureSummary).meta({ description: 'Sorted by name.' }) })
  .meta({ id: 'FeatureList' });

const wireFoundFeature = wireFeatureSummary
  .extend({ project: z.string().meta({ description: 'The id of its project.', examples: ['shop'] }) })
  .meta({ id: 'FoundFeature', description: 'A flag in a list of flags from several projects.' });

/** The answer of a search. */
export const wireFeatureSearch = z
  .object({
    features: z.array(wireFoundFeature),
    total: wireNatural.meta({ description: 'The number of flags on all pages.', examples: [1] }),
  })
  .meta({ id: 'FeatureSearch' });

/** The older list of all flags. */
export const wireEveryFeature = z
  .object({
    version: z.literal(1),
    features: z.array(wireFoundFeature).meta({ description: 'Sorted by project, then by name.' }),
  })
  .meta({ id: 'EveryFeature' });

/** The answer of the archive. */
export const wireArchive = z.object({ version: z.literal(2), features: z.array(wireFeature) }).meta({ id: 'Archive' });
