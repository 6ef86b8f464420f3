/** A query becomes a filter of the history, or a refusal that names the property and the value. */
import { describe, expect, test } from 'vitest';
import type { EntryFilter } from '../../../../../src/domain/history/entry.ts';
import { isRefusal } from '../../../../../src/errors.ts';
import { filterOf, listQuery, pageOf, searchQuery } from '../../../../../src/wire/admin/event/event-query.ts';
import { parse } from '../../../../../src/wire/parse-input.ts';

const NONE = Object.fromEntries(
  ['text', 'features', 'projects', 'types', 'createdBy', 'environments', 'from', 'until'].map((name) => [
    name,
    undefined,
  ]),
);

const read = (query: object) => parse(searchQuery, query, 'query');

function messageOf(query: object): string {
  try {
    read(query);
  } catch (error) {
    if (isRefusal(error, 'invalid')) return error.message;
    throw error;
  }
  return expect.unreachable('the query was accepted');
}

describe('a filter', () => {
  test.each<[string, object, EntryFilter]>([
    ['nothing', {}, {}],
    ['unknown parameters', { sort: 'up', ids: 'IS:1' }, {}],
    ['events', { id: 'IS:7,9,7' }, { ids: [7, 9] }],
    ['a text', { query: ' a%_"b ' }, { text: ' a%_"b ' }],
    ['no text', { query: '' }, {}],
    ['one flag', { feature: 'IS:a' }, { features: ['a'] }],
    ['several, whichever word it is', { feature: 'IS:a,b' }, { features: ['a', 'b'] }],
    ['several', { feature: 'IS_ANY_OF:a,b' }, { features: ['a', 'b'] }],
    ['blanks around', { feature: 'IS: a , b c ' }, { features: ['a', 'b c'] }],
    ['repeats and gaps', { feature: 'IS:a,,a, ,b,' }, { features: ['a', 'b'] }],
    ['colons in a value', { feature: 'IS:a:b,IS:c' }, { features: ['a:b', 'IS:c'] }],
    ['characters that are no letters', { feature: "IS:(1)!*'~._-/é" }, { features: ["(1)!*'~._-/é"] }],
    ['no value', { feature: 'IS:' }, {}],
    ['no value in several places', { feature: 'IS_ANY_OF: , ,' }, {}],
    ['projects', { project: 'IS:shop' }, { projects: ['shop'] }],
    ['types', { type: 'IS:feature-created,no-such' }, { types: ['feature-created', 'no-such'] }],
    ['environments', { environment: 'IS:production' }, { environments: ['production'] }],
    ['user ids', { createdBy: 'IS: 2,-42,2' }, { createdBy: [2, -42] }],
    ['no user id', { createdBy: 'IS:' }, {}],
    ['from a day', { from: 'IS:2024-02-29' }, { from: Date.UTC(2024, 1, 29) }],
    ['to a day, that day included', { to: 'IS:2024-02-28' }, { until: Date.UTC(2024, 1, 29) }],
    ['to the last of all days', { to: 'IS:9999-12-31' }, { until: Date.UTC(10_000, 0, 1) }],
    ['from the first of all days', { from: 'IS:0000-01-01' }, { from: Date.parse('0000-01-01T00:00:00Z') }],
    [
      'so many values',
      { feature: `IS:${Array.from({ length: 100 }, (_, n) => `f${n}`)}` },
      { features: expect.any(Array) },
    ],
  ])('%s', (_, query, want) => {
    expect(filterOf(read(query))).toEqual({ ...NONE, ...want });
  });
});

describe('a page', () => {
  test.each([
    [undefined, undefined, 0, 50],
    ['0', '0', 0, 50],
    ['-1', '-1', 0, 50],
    ['abc', 'abc', 0, 50],
    ['', '', 0, 50],
    ['1.5', '1.5', 0, 50],
    ['NaN', 'Infinity', 0, 50],
    ['7', '1', 7, 1],
    [' 7 ', ' 20 ', 7, 20],
    ['1000000', '1000', 1_000_000, 1000],
    ['99999999999999999999', '1001', 0, 50],
  ])('offset %j and limit %j', (offset, limit, wantOffset, wantLimit) => {
    expect(pageOf(read({ offset, limit }))).toEqual({ offset: wantOffset, limit: wantLimit });
  });

  test('is counted as far as its caller requests', () => {
    expect(pageOf(read({ exactTotal: 'false' }))).toEqual({ offset: 0, limit: 50, countUpTo: 10_000 });
    expect(pageOf(read({ exactTotal: 'true' }))).toEqual({ offset: 0, limit: 50 });
  });
});

describe('refused with the property and the value', () => {
  const lists = ['feature', 'project', 'type', 'environment', 'createdBy'];
  const isList = 'must be IS:VALUE or IS_ANY_OF:VALUE,VALUE';

  test.each<[string, unknown, string]>([
    ...lists.flatMap((name): [string, unknown, string][] => [
      [name, 'a', isList],
      [name, '', isList],
      [name, 'is:a', isList],
      [name, ' IS:a', isList],
      [name, 'IS_NOT:a', isList],
      [name, 'IS:a\nb', isList],
      [name, ['IS:1', 'IS:2'], 'must be string'],
      [name, `IS:${'1'.repeat(10_000)}`, 'must not be larger than 10000 (string)'],
      [name, `IS:${Array.from({ length: 101 }, (_, n) => n)}`, 'it names more than 100 values'],
    ]),
    ...['ada', '1.5', '1e3', '0x2', '- 1', '+1', '1,x', '1'.repeat(16)].map((value): [string, unknown, string] => [
      'createdBy',
      `IS:${value}`,
      'each value must be the id of a user, a whole number',
    ]),
    ...['from', 'to'].flatMap((name): [string, unknown, string][] => [
      [name, '2024-01-01', 'must be IS:YYYY-MM-DD'],
      [name, 'IS:', 'must be IS:YYYY-MM-DD'],
      [name, 'IS_ANY_OF:2024-01-01', 'must be IS:YYYY-MM-DD'],
      [name, 'IS:2024-1-1', 'must be IS:YYYY-MM-DD'],
      [name, 'IS:2024-01-01T00:00', 'must be IS:YYYY-MM-DD'],
      [name, 'IS:2024-01-01\n', 'must be IS:YYYY-MM-DD'],
      [name, 'IS:２０２４-01-01', 'must be IS:YYYY-MM-DD'],
      [name, 'IS:2024-13-45', 'there is no such day'],
      [name, 'IS:2023-02-29', 'there is no such day'],
      [name, 'IS:2024-04-31', 'there is no such day'],
      [name, 'IS:2024-00-10', 'there is no such day'],
      [name, ['IS:2024-01-01', 'IS:2024-01-02'], 'must be string'],
    ]),
    ['query', ['a', 'b'], 'must be string'],
    ['query', 'x'.repeat(1001), 'must not be larger than 1000 (string)'],
    ['offset', ['1', '2'], 'must be string'],
    ['limit', ['1', '2'], 'must be string'],
  ])('%s=%j', (name, value, why) => {
    const message = messageOf({ [name]: value });
    expect(message).toContain(`The \`${name}\` property `);
    expect(message).toContain(why);
    expect(message).toContain(`You sent ${JSON.stringify(value).slice(0, 90)}`);
    expect(message.length).toBeLessThan(500);
  });

  test('all problems, at once', () => {
    const message = messageOf({ feature: 'a', createdBy: 'IS:x', from: 'IS:2024-02-30' });
    for (const name of ['feature', 'createdBy', 'from']) expect(message).toContain(`\`${name}\``);
  });
});

test('a list of the maximum length that does not fit is read in one pass: it would take minutes otherwise', () => {
  for (let turn = 0; turn < 1_000; turn += 1) messageOf({ feature: `IS:${',a'.repeat(4990)}\n` });
});

test('the older list takes the id of a project unchanged', () => {
  expect(parse(listQuery, { project: 'IS:shop' }, 'query')).toEqual({ project: 'IS:shop' });
});
