/** The draft of the fields and dependencies of a flag, and the steps from the stored state to the draft. */
import type { Schemas } from '../../api.generated.ts';
import type { FeaturePlace } from '../../feature/place.ts';
import { dependencyRemoval, dependencyStep, fieldsStep, tagsStep } from '../flag-steps.ts';
import type { Step } from '../review/plan.ts';
import { isSame } from './is-same.ts';
import { type Keyed, newKey } from './keyed.ts';
import { type TagDraft, tagChanges } from './tag-draft.ts';

export interface DependencyDraft extends Keyed {
  readonly feature: string;
  /** Whether the parent must be on. */
  readonly enabled: boolean;
  readonly variants: readonly string[];
}

export interface FlagDraft {
  readonly description: string;
  readonly type: Schemas['Feature']['type'];
  readonly stale: boolean;
  readonly impressionData: boolean;
  /** Empty for the lifetime of the type. */
  readonly lifetimeDays: string;
  readonly dependencies: readonly DependencyDraft[];
  readonly tags: readonly TagDraft[];
}

export function draftOfFlag(flag: Schemas['FeatureWithEnvironments'], tags: readonly TagDraft[]): FlagDraft {
  const { description, type, stale, impressionData, lifetimeDays, dependencies } = flag;
  return {
    ...{ type, stale, impressionData, tags },
    description: description ?? '',
    lifetimeDays: `${lifetimeDays ?? ''}`,
    dependencies: dependencies.map(draftOfDependency),
  };
}

function draftOfDependency({ feature, enabled, variants = [] }: Schemas['Dependency']): DependencyDraft {
  return { key: newKey(), feature, enabled, variants };
}

export function newDependency(feature: string): DependencyDraft {
  return draftOfDependency({ feature, enabled: true });
}

export function flagSteps(place: FeaturePlace, before: FlagDraft, after: FlagDraft): readonly Step[] {
  const isChanged = !isSame(fieldsOf(before), fieldsOf(after));
  const former = new Map(before.dependencies.map((one) => [one.feature, one]));
  const changed = after.dependencies.filter((one) => {
    const old = former.get(one.feature);
    return !old || !isSame(dependencyOf(old), dependencyOf(one));
  });
  const wanted = new Set(after.dependencies.map(({ feature }) => feature));
  const tags = tagChanges(before.tags, after.tags);
  return [
    ...(isChanged ? [fieldsStep(place, fieldsOf(after), 'Change the fields of the flag')] : []),
    ...(tags ? [tagsStep(place, tags, 'Change the tags')] : []),
    ...changed.map((one) => dependencyStep(place, dependencyOf(one), `Depend on ${one.feature}`)),
    ...before.dependencies
      .filter(({ feature }) => !wanted.has(feature))
      .map(({ feature }) => dependencyRemoval(place, feature)),
  ];
}

/** Null removes a field. */
function fieldsOf({ description, type, stale, impressionData, lifetimeDays }: FlagDraft): Schemas['UpdateFeature'] {
  const days = lifetimeDays.trim();
  return {
    ...{ type, stale, impressionData },
    description: description === '' ? null : description,
    lifetimeDays: days === '' ? null : Number(days),
  };
}

function dependencyOf({ feature, enabled, variants }: DependencyDraft): Schemas['AddDependency'] {
  return { feature, enabled, ...(enabled && variants.length > 0 && { variants: [...variants] }) };
}
