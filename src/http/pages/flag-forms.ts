/** A flag as its own page, as an item of lists and as an item of the archive, each serialised once per version. */

import { undisputedEffect } from '../../catalog/project-views.ts';
import type { FlagContext } from '../../domain/flag/flag-context.ts';
import { memo } from '../../model/memo.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import {
  type FlagView,
  presentFeature,
  presentFeatureSummary,
  presentFeatureWithEnvironments,
} from '../../wire/admin/flag/feature.ts';
import type { ShownUsage } from '../../wire/admin/flag/feature-usage.ts';
import { presentTimeOrNull } from '../../wire/admin/timestamp.ts';
import type { FlagUsages } from './flag-usage.ts';
import { createTwoForms, plainBytes, type TwoForms } from './two-forms.ts';

interface PageOptions {
  /** The names of the flags that depend on it. */
  readonly children: readonly string[];
  readonly withEnvironmentVariants: boolean;
}

const alone: PageOptions = { children: [], withEnvironmentVariants: false };

function viewOf(flag: FeatureFlag, flagContext: FlagContext, usage: ShownUsage): FlagView {
  return { flag, flagContext, effect: undisputedEffect(flag, flagContext), usage };
}

interface FlagForms {
  pageOf(flag: FeatureFlag, flagContext: FlagContext, options: PageOptions): TwoForms;
  /** An item of a list. */
  summaryOf(flag: FeatureFlag, flagContext: FlagContext): TwoForms;
  /** An item of the archive. */
  archivedOf(flag: FeatureFlag): TwoForms;
}

export function createFlagForms(usages: Pick<FlagUsages, 'versionOf' | 'shown'>): FlagForms {
  const twoForms = createTwoForms(usages);
  const page =
    (flag: FeatureFlag, flagContext: FlagContext, { children, withEnvironmentVariants }: PageOptions) =>
    (usage: ShownUsage) =>
      presentFeatureWithEnvironments({ ...viewOf(flag, flagContext, usage), children }, withEnvironmentVariants);
  const summary = (flag: FeatureFlag, flagContext: FlagContext) => (usage: ShownUsage) =>
    presentFeatureSummary(viewOf(flag, flagContext, usage));
  const archived = (flag: FeatureFlag) => (usage: ShownUsage) => presentFeature(flag, presentTimeOrNull(usage.lastAt));

  const plainPage = memo((flag: FeatureFlag, flagContext: FlagContext) =>
    plainBytes(flag, page(flag, flagContext, alone)),
  );
  const plainSummary = memo((flag: FeatureFlag, flagContext: FlagContext) =>
    plainBytes(flag, summary(flag, flagContext)),
  );
  const plainArchived = memo((flag: FeatureFlag, _: undefined) => plainBytes(flag, archived(flag)));

  return {
    pageOf(flag, flagContext, options) {
      const present = page(flag, flagContext, options);
      // Few flags have children, which may change while the flag does not.
      const isAlone = !options.withEnvironmentVariants && options.children.length === 0;
      return twoForms(flag, isAlone ? plainPage(flag, flagContext) : plainBytes(flag, present), present);
    },
    summaryOf: (flag, flagContext) => twoForms(flag, plainSummary(flag, flagContext), summary(flag, flagContext)),
    archivedOf: (flag) => twoForms(flag, plainArchived(flag, undefined), archived(flag)),
  };
}
