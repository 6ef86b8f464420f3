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

const nested = 'event.a.exists(x, event.a.exists(y, x == y))';

test.each([
  ['event.', 'is no expression of CEL'],
  ['other.type == "x"', 'is no expression of CEL'],
  [`event.id in [${'1,'.repeat(200)}1]`, 'is no expression of CEL'],
  ['x'.repeat(1025), 'more than 1024 characters'],
  // Each of these took seconds for an entry, or all memory.
  [nested, 'more than one list'],
  [`// "\n${nested} // "`, 'more than one list'],
  [`""" " """ != "a" && ${nested}`, 'more than one list'],
  [nested.replaceAll('.exists', '.// x\nexists'), 'more than one list'],
  ['event.a.exists(x, x != event.b)', 'reads event in exists'],
  ['[event.a].exists(x, x == 1)', 'no member'],
  ['event.a.exists(x, x.matches("a+b"))', 'takes too long'],
  ['event.a.exists(x, timestamp(x).getHours("Europe/Berlin") == 1)', 'takes too long'],
  ['event.a + event.a == "b"', 'adds with +'],
  ['cel.bind(x, event.a, x == "b")', 'calls bind'],
  ['event.a.split("") == []', 'calls split'],
  ['duration(event.a) == duration("1s")', 'calls duration'],
  ['event.a.matches("(a{1,99}){9}")', 'too large'],
  [Array.from({ length: 9 }, () => 'event.a.matches("(a{1,9}){4}b")').join(' || '), 'too large'],
  ['event.a.matches("(")', 'RE2 rejects'],
  ['event.a.matches(event.b)', 'no constant text'],
  ['event.a.upperAscii().matches("A")', 'no member'],
])('%s is refused', (expression, want) => {
  expect(compileFilter({ expression })).toEqual({ problem: expect.stringContaining(want) });
});

test('RE2 evaluates a pattern, however the call is written', () => {
  expect(matches({ expression: "event.type.// x\nmatches // y\n ('^(.+)+\\\\d$')" })).toBe(false);
});

test('a list that is too long, and a text that is too long for a pattern, do not match', () => {
  const holds = (expression: string, a: string | string[]) => {
    const compiled = compileFilter({ expression });
    return 'matches' in compiled && compiled.matches(entry, () => ({ a }));
  };
  const items = (count: number) => Array.from({ length: count }, () => 'x');
  expect(holds('event.a.exists(x, x == "x")', items(100))).toBe(true);
  expect(holds('event.a.exists(x, x == "x")', items(101))).toBe(false);
  expect(holds('event["a"].all(x, x == "x")', items(101))).toBe(false);
  expect(holds('event.a.matches("^x")', 'x'.repeat(10_000))).toBe(true);
  expect(holds('event.a.matches("^x")', 'x'.repeat(10_001))).toBe(false);
});

test('names of loops and of calls in texts are texts', () => {
  expect(matches({ expression: 'event.type != ".all(" && event.type != ".map("' })).toBe(true);
  const compiled = compileFilter({ expression: 'event.a == ".matches("' });
  expect('matches' in compiled && compiled.matches(entry, () => ({ a: '.matches(' }))).toBe(true);
});
