/** Edits of the tags of a flag: functions from the object to its next spec. Unchanged parts are shared. */
import { Refusal } from '../../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import { wireNameOf } from '../../identity/names.ts';
import { refuseDefectIn } from '../../judgement/defects.ts';

/** The tags, each in the stored form `type:value`. */
export interface TagChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function addTag(flag: FeatureFlag, tag: string): FlagSpec {
  if (!tagsOf(flag).includes(tag)) return changeTags(flag, { added: [tag], removed: [] });
  throw new Refusal('has-tag', `The flag "${wireNameOf(flag)}" already has the tag "${tag}".`);
}

export function removeTag(flag: FeatureFlag, tag: string): FlagSpec {
  if (tagsOf(flag).includes(tag)) return changeTags(flag, { added: [], removed: [tag] });
  throw new Refusal('not-found', `The flag "${wireNameOf(flag)}" does not have the tag "${tag}".`);
}

/** Removes first, then adds: a tag in both lists stays. Present tags keep their places. */
export function changeTags(flag: FeatureFlag, { added, removed }: TagChange): FlagSpec {
  refuseDefectIn(flag, 'tags');
  const { spec } = flag;
  const present = tagsOf(flag);
  const kept = present.filter((tag) => !removed.includes(tag) || added.includes(tag));
  const tags = [...new Set([...kept, ...added])];
  return tags.length === present.length && kept.length === present.length ? spec : { ...spec, tags };
}

export function tagsOf({ spec }: FeatureFlag): readonly string[] {
  return spec.tags ?? [];
}
