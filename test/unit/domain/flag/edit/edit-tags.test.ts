/** Edits of the tags of a flag. */
import { describe, expect, test } from 'vitest';
import { addTag, changeTags, removeTag, tagsOf } from '../../../../../src/domain/flag/edit/edit-tags.ts';
import type { FlagSpec } from '../../../../../src/schema/feature-flag.ts';
import { flagObject } from '../../objects.ts';

const tagged = (tags?: string[]) => flagObject('home/f', { description: 'd', ...(tags && { tags }) });
const change = (tags: string[] | undefined, added: string[], removed: string[]): FlagSpec =>
  changeTags(tagged(tags), { added, removed });

test.each<[string, string[] | undefined, string[], string[], string[] | undefined]>([
  ['adds behind what is there', ['aa:bb'], ['cc:dd'], [], ['aa:bb', 'cc:dd']],
  ['adds to a flag without tags', undefined, ['aa:bb'], [], ['aa:bb']],
  ['adds what is named twice once', [], ['aa:bb', 'aa:bb'], [], ['aa:bb']],
  [
    'takes off what is named, and keeps the order of the others',
    ['aa:bb', 'cc:dd', 'ee:ff'],
    [],
    ['cc:dd'],
    ['aa:bb', 'ee:ff'],
  ],
  ['takes off the last', ['aa:bb'], [], ['aa:bb'], []],
  ['what is in both lists is there, where it was', ['aa:bb', 'cc:dd'], ['aa:bb'], ['aa:bb'], ['aa:bb', 'cc:dd']],
  ['swaps one for another', ['aa:bb'], ['cc:dd'], ['aa:bb'], ['cc:dd']],
])('%s', (_, tags, added, removed, want) => {
  expect(change(tags, added, removed)).toEqual({ ...tagged(tags).spec, tags: want });
});

describe('an edit without effect returns the same spec', () => {
  test.each<[string, string[] | undefined, string[], string[]]>([
    ['nothing is asked for', ['aa:bb'], [], []],
    ['what is added is there', ['aa:bb'], ['aa:bb'], []],
    ['what is taken off is not there', undefined, [], ['aa:bb']],
  ])('%s', (_, tags, added, removed) => {
    const flag = tagged(tags);
    expect(changeTags(flag, { added, removed })).toBe(flag.spec);
  });
});

test('adding an existing tag is refused, and so is removing a missing one', () => {
  expect(() => addTag(tagged(['aa:bb']), 'aa:bb')).toThrow('already has the tag "aa:bb"');
  expect(() => removeTag(tagged(['aa:bb']), 'aa:cc')).toThrow('does not have the tag "aa:cc"');
});

test('unreadable tags are not overwritten', () => {
  const flag = { ...tagged(), defects: [{ path: ['tags', '0'], message: 'must be text' }] };
  expect(tagsOf(flag)).toEqual([]);
  expect(() => addTag(flag, 'aa:bb')).toThrow('spec.tags.0 cannot be read (must be text');
});
