/** Tags on the wire. */
import { z } from 'zod';
import type { TagChange } from '../../../domain/flag/edit/edit-tags.ts';
import { compareText } from '../../../domain/identity/names.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { MAX_TAGS, tagType, tagValue } from '../../../schema/fields/tag.ts';

const EXAMPLE = { type: 'simple', value: 'checkout' };

/** A tag of a flag. */
export const wireTag = z.object({
  type: z.string().meta({ examples: [EXAMPLE.type] }),
  value: z.string().meta({ examples: [EXAMPLE.value] }),
});

/** `type:value`; only the first colon separates. */
export function presentTag(tag: string): z.infer<typeof wireTag> {
  const colon = tag.indexOf(':');
  return { type: tag.slice(0, colon), value: tag.slice(colon + 1) };
}

export const wireTags = z.object({ version: z.literal(1), tags: z.array(wireTag) }).meta({ id: 'Tags' });

export function presentTags(tags: readonly string[]): z.infer<typeof wireTags> {
  return { version: 1, tags: tags.map(presentTag) };
}

/** The tags of any of the flags, each once. */
export function presentTagsOf(flags: readonly FeatureFlag[]): readonly z.infer<typeof wireTag>[] {
  return [...new Set(flags.flatMap(({ spec }) => spec.tags ?? []))].sort(compareText).map(presentTag);
}

const wireTagType = z.object({
  name: z.string().meta({ examples: [EXAMPLE.type] }),
  description: z.string().meta({ description: 'Always empty.' }),
  icon: z.string().meta({ description: 'Always empty.' }),
});

export const wireTagTypes = z
  .object({ version: z.literal(1), tagTypes: z.array(wireTagType) })
  .meta({ id: 'TagTypes' });

export const wireOneTagType = z.object({ version: z.literal(1), tagType: wireTagType }).meta({ id: 'TagType' });

/** Types are not stored: these are the types of the tags, with the one that Unleash always has. */
export function presentTagTypes(tags: readonly { readonly type: string }[]): readonly z.infer<typeof wireTagType>[] {
  const names = new Set(['simple', ...tags.map(({ type }) => type)]);
  return [...names].sort(compareText).map((name) => ({ name, description: '', icon: '' }));
}

export const tagBody = z
  .object({
    type: tagType.meta({ description: 'The type of the tag.' }),
    value: tagValue.meta({ description: 'The tag itself.' }),
  })
  .meta({ id: 'AddTag', description: 'Unknown properties are dropped.', examples: [EXAMPLE] });

const tagList = z.array(tagBody).max(MAX_TAGS).nullable().optional();

export const tagsBody = z
  .object({
    addedTags: tagList.meta({ description: 'Tags to add. Existing tags stay.' }),
    removedTags: tagList.meta({
      description: 'Tags to remove. Missing tags are ignored. A tag in both lists is added.',
    }),
  })
  .meta({
    id: 'ChangeTags',
    description: 'Null or absent: an empty list. Unknown properties are dropped.',
    examples: [{ addedTags: [EXAMPLE], removedTags: [{ type: 'simple', value: 'payments' }] }],
  });

/** The stored form of the tag. */
export function tagOf({ type, value }: z.infer<typeof wireTag>): string {
  return `${type}:${value}`;
}

export function tagChangeOf({ addedTags, removedTags }: z.infer<typeof tagsBody>): TagChange {
  return { added: (addedTags ?? []).map(tagOf), removed: (removedTags ?? []).map(tagOf) };
}
