/** The drafts of the tags of a flag. */
import type { Schemas } from '../../api.generated.ts';

export type TagDraft = Readonly<Schemas['AddTag']>;

const TYPE = /^[\w\-.!~*'()]{2,50}$/;
const VALUE = /^[^\n]{2,50}$/u;

/** Whether the API accepts the tag. */
export function isTag({ type, value }: TagDraft): boolean {
  return TYPE.test(type) && VALUE.test(value);
}

export function tagText({ type, value }: TagDraft): string {
  return `${type}:${value}`;
}

/** Returns undefined if nothing changes. Tags that others add or remove meanwhile stay as they are. */
export function tagChanges(before: readonly TagDraft[], after: readonly TagDraft[]): Schemas['ChangeTags'] | undefined {
  const addedTags = missingIn(before, after);
  const removedTags = missingIn(after, before);
  return addedTags.length + removedTags.length === 0 ? undefined : { addedTags, removedTags };
}

function missingIn(list: readonly TagDraft[], others: readonly TagDraft[]): TagDraft[] {
  const known = new Set(list.map(tagText));
  return others.filter((one) => !known.has(tagText(one)));
}
