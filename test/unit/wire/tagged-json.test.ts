/** JSON that is joined from parts: the bytes of UTF-8, with a tag of all parts. */
import { expect, test } from 'vitest';
import { joinTagged, tagJson, withMember } from '../../../src/wire/tagged-json.ts';
import { readTagged } from '../../support/read-tagged.ts';

const listOf = (...items: readonly unknown[]) => {
  const joined = joinTagged();
  for (const item of items) joined.add(tagJson(JSON.stringify(item)));
  return joined.asList('items');
};

test('text of any script arrives as it was', () => {
  const items = ['plain', 'zwölf €', '旗 🚩', { name: 'ÿ\u0000"' }];
  expect(readTagged(withMember(listOf(...items), 'more', tagJson('["ä"]')))).toEqual({ items, more: ['ä'] });
  expect(readTagged(listOf())).toEqual({ items: [] });
});

test('the tag is the same for the same content, and differs with each item, order and member', () => {
  const { tag } = listOf('a', 'b');
  expect(listOf('a', 'b').tag).toBe(tag);
  const others = [listOf('a', 'c'), listOf('b', 'a'), listOf('a'), withMember(listOf('a', 'b'), 'x', tagJson('1'))];
  expect(new Set([tag, ...others.map((other) => other.tag)]).size).toBe(5);
});
