/** Filters of sinks: which entries match, and which expressions are refused. */
import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/domain/history/entry.ts';
import { compileFilter } from '../../../../src/domain/sink/filter.ts';
import type { JsonObject } from '../../../../src/model/json.ts';
import type { SinkFilter } from '../../../../src/schema/notification-sink.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';

const entry: Entry = { ...anEntry('a', { environment: 'production' }), id: 7 };
const event: JsonObject = { id: 7, type: entry.type, createdBy: 'ann', data: { list: ['x', 'yy'] }, reason: null };

function matches(filter: SinkFilter | undefined, of: Entry = entry): boolean {
  const compiled = compileFilter(filter);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled.matches(of, () => event);
}

test.each<[string, SinkFilter | undefined, boolean]>([
  ['no filter', undefined, true],
  ['an empty filter', {}, true],
  ['lists without values', { projects: [], environments: null }, true],
  ['its project', { projects: ['pay', 'shop'] }, true],
  ['another project', { projects: ['pay'] }, false],
  ['its environment and another type', { environments: ['production'], types: ['feature-created'] }, false],
  ['all three', { projects: ['shop'], environments: ['production'], types: ['feature-updated'] }, true],
  ['an expression that holds', { expression: 'event.type.startsWith("feature-") && event.id > 6' }, true],
  ['an expression that does not', { expression: 'event.createdBy == "bob"' }, false],
  ['a loop', { expression: 'event.data.list.exists(one, one.size() == 2)' }, true],
  ['a pattern of RE2', { expression: "event.type.matches('^(?i)FEATURE-')" }, true],
  ['a pattern that takes JavaScript forever', { expression: "event.type.matches('^(.+)+\\\\d$')" }, false],
  ['a member that is missing', { expression: 'event.nothing == 1' }, false],
  ['a value that is no boolean', { expression: 'event.type' }, false],
])('%s', (_, filter, want) => {
  expect(matches(filter)).toBe(want);
});

test('an entry without an environment is in none', () => {
  expect(matches({ environments: ['production'] }, { ...entry, environment: null })).toBe(false);
});

test.each([
  ['event.', 'is no expression of CEL'],
  ['other.type == "x"', 'is no expression of CEL'],
  ['event.data.list.all(a, event.data.list.all(b, a == b))', 'more than one list'],
  [`event.id in [${'1,'.repeat(200)}1]`, 'is no expression of CEL'],
  ['x'.repeat(1025), 'more than 1024 characters'],
])('%s is refused', (expression, want) => {
  expect(compileFilter({ expression })).toEqual({ problem: expect.stringContaining(want) });
});

test('names of loops in texts are no loops', () => {
  expect(compileFilter({ expression: 'event.type == ".all(" || event.type == ".map("' })).toHaveProperty('matches');
});
