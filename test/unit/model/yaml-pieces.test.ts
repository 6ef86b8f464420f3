/** The pieces of a large value are the text that is made at once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeYaml } from '../../../src/model/yaml/yaml.ts';
import { yamlPieces } from '../../../src/model/yaml/yaml-pieces.ts';

const oddTexts = ['a\n\nb\n', 'x\ny', '\n', '- ', 'a: b', 'yes', '1e3', ' lead', 'tail ', 'a\n  b\n', 'a\r\nb', '#'];
const oddNames = ['a', 'b.c', 'yes', 'null', '1', '-', 'n: m', 'x'.repeat(1_200)];
const single = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...oddTexts),
  fc.integer(),
  fc.constantFrom(true, null, 0.5),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    single,
    fc.array(tie('tree'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...oddNames)), tie('tree'), { maxKeys: 6 }),
  ),
}));

/** Repeats a tree, so that it is large at several depths. */
function enlarged(value: unknown, times: number): unknown {
  const list = Array.from({ length: times }, () => value);
  return { list, more: [[value, list], { value, deeper: { list } }], [`key ${times}`]: list, '': [] };
}

test('the pieces of any value are the text of writeYaml', () => {
  let pieces = 0;
  fc.assert(
    fc.property(tree, fc.boolean(), fc.integer({ min: 1, max: 8 }), (value, quotesAll, maxBlockDepth) => {
      const style = { quotesAll, maxBlockDepth };
      const large = enlarged(value, 12);
      const made = [...yamlPieces(large, style)];
      pieces += made.length;
      expect(made.join('')).toBe(writeYaml(large, style));
    }),
    { numRuns: 60 },
  );
  expect(pieces).toBeGreaterThan(300);
});

test('no piece of a flag of a megabyte takes long to make', () => {
  const strategies = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [
      `s${index}`,
      { name: 'default', constraints: [{ contextName: 'userId', operator: 'IN', values: [`${index}`, 'x'] }] },
    ]),
  );
  const values = Array.from({ length: 30_000 }, (_, index) => `user-${index}`);
  const spec = { environments: { production: { strategies } }, lists: { values }, text: 'y'.repeat(100_000) };
  const longest = [...yamlPieces(spec, { maxBlockDepth: 16 })].map(({ length }) => length).toSorted((a, b) => b - a);
  expect(longest[0]).toBeLessThan(101_000);
  expect(longest[1]).toBeLessThan(20_000);
});
