/** The size of a pattern, compared with what RE2 compiles it to. */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { compiledPattern, patternSize } from '../../../src/evaluation/patterns.ts';
import { cpuMsOf, quietMsOf } from '../../support/cpu-time.ts';

test.each([
  ['', 0],
  ['^a.b$', 5],
  ['a{20}', 20],
  ['(ab){3}', 12],
  ['[a-z0-9]{10}', 10],
  ['x\\{5}', 4],
  ['\\p{Greek}{4}', 14],
  ['\\x{1F600}', 1],
  ['\\Qa{9}\\E', 4],
  ['[\\]{9}]', 1],
  ['a{,5}', 5],
  ['(a{30}){30}', 960],
  ['(abc)\\Q\\E{9}', 45],
  ['(abc)(?i){9}', 45],
  ['(?i)a', 1],
  ['(abc)*(?i){9}', 54],
  ['[\\pL\\pN]', 21],
  ['(?i)[a-\\x{ffff}]', 101],
  ['(?i)[[:^alpha:]é]', 201],
])('%s has the size %i', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});

test('repetitions of repetitions multiply', () => {
  expect(patternSize(`(${'a'.repeat(42)}){999}`)).toBeGreaterThan(40_000);
  expect(patternSize('([ab]{0,9}){99}c')).toBeGreaterThan(1_980);
});

/** Patterns as people and attackers write them. */
const pattern = fc.letrec<{ node: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', '.', '\\d', '[a-f]', '[^\\]x]', '\\pL', '\\{', '^', '$', 'ß', '\\Q\\E', '(?i)', '(?s-i)'),
    tie('node').map((inner) => `(${inner})`),
    tie('node').map((inner) => `(?:${inner}|b)`),
  ),
  node: fc
    .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '*', '+?', '?', '{3}', '{0,4}', '{2,}', '{2,5}')), {
      maxLength: 4,
    })
    .map((parts) => parts.map(([atom, repetition]) => `${atom}${repetition}`).join('')),
})).node;

test('RE2 compiles a pattern to hardly more instructions than its size', () => {
  fc.assert(
    fc.property(pattern, (text) => {
      const compiled = tryCompile(text);
      if (compiled) expect(compiled.programSize()).toBeLessThanOrEqual(2 * patternSize(text) + 10);
    }),
    { numRuns: 2_000 },
  );
});

test.each(['[\\', '\\', '[[:a', '[[:x:', '\\p{', '[^]', '\\Q', '(?i', '(?', '{1', '[', '(', '[\\]'])(
  'the size of many %j is computed in little time',
  (part) => {
    const texts = [part.repeat(900), `[${part.repeat(900)}`, part.repeat(1_000_000), `${part.repeat(400)}]`];
    expect(quietMsOf(() => texts.map((text) => patternSize(text)), 1)).toBeLessThan(500);
  },
);

test.each([
  ...['(?i)[a-\\x{ffff}b-\\x{fffe}]', '(?i)[\\pL\\PL]', '[\\pL\\PL\\pN]', '(?i)[[:^alpha:]]', '(?i)[^\\pL]'],
  '(?i)\\PL',
])('compiling %s takes hardly more for its size than matching', (text) => {
  // A unit of size is what a part takes to match the longest value, at worst.
  const slow = '(a|b|ab){9}[^a]';
  const compiled = tryCompile(slow);
  const unitMs = cpuMsOf(() => compiled?.matcher('a'.repeat(2_000)).find(), 7) / patternSize(slow);
  expect(cpuMsOf(() => tryCompile(text), 7) / patternSize(text)).toBeLessThan(4 * unitMs);
});

test('equal patterns are compiled once', () => {
  expect(compiledPattern('a{5}b')).toBe(compiledPattern('a{5}b'));
  expect(compiledPattern('a{5}b', { ignoreCase: true })).not.toBe(compiledPattern('a{5}b'));
  expect(compiledPattern('(')).toBeUndefined();
});

function tryCompile(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text);
  } catch {
    return undefined;
  }
}
