/** The draft of the fields and dependencies of a flag, and the steps from the stored state to the draft. */
import type { Schemas } from '../../api.generated.ts';
import { bodyOfFields, draftOfFields, type FieldsDraft } from '../../feature/fields/fields-draft.ts';
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
  readonly fields: FieldsDraft;
  readonly dependencies: readonly DependencyDraft[];
  readonly tags: readonly TagDraft[];
}

export function draftOfFlag(flag: Schemas['FeatureWithEnvironments'], tags: readonly TagDraft[]): FlagDraft {
  return { fields: draftOfFields(flag), dependencies: flag.dependencies.map(draftOfDependency), tags };
}

function draftOfDependency({ feature, enabled, variants = [] }: Schemas['Dependency']): DependencyDraft {
  return { key: newKey(), feature, enabled, variants };
}

export function newDependency(feature: string): DependencyDraft {
  return draftOfDependency({ feature, enabled: true });
}

export function flagSteps(place: FeaturePlace, before: FlagDraft, after: FlagDraft): readonly Step[] {
  const fields = bodyOfFields(after.fields);
  const isChanged = !isSame(bodyOfFields(before.fields), fields);
  const former = new Map(before.dependencies.map((one) => [one.feature, one]));
  const changed = after.dependencies.filter((one) => {
    const old = former.get(one.feature);
    return !old || !isSame(dependencyOf(old), dependencyOf(one));
  });
  const wanted = new Set(after.dependencies.map(({ feature }) => feature));
  const tags = tagChanges(before.tags, after.tags);
  return [
    ...(isChanged ? [fieldsStep(place, fields, 'Change the fields of the flag')] : []),
    ...(tags ? [tagsStep(place, tags, 'Change the tags')] : []),
    ...changed.map((one) => dependencyStep(place, dependencyOf(one), `Depend on ${one.feature}`)),
    ...before.dependencies
      .filter(({ feature }) => !wanted.has(feature))
      .map(({ feature }) => dependencyRemoval(place, feature)),
  ];
}

function dependencyOf({ feature, enabled, variants }: DependencyDraft): Schemas['AddDependency'] {
  return { feature, enabled, ...(enabled && variants.length > 0 && { variants: [...variants] }) };
}
