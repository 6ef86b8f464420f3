/** Values are counted in the text with the same result as in the parsed value. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  maxValuesFor,
  refuseManyInJson,
  refuseManySignsInYaml,
} from '../../../../../src/http/server/body/count-values.ts';
import { parseYaml } from '../../../../../src/http/server/body/yaml-document.ts';
import { writeYaml } from '../../../../../src/model/yaml/yaml.ts';

function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + count(member), 1);
}

const refused = (look: () => unknown) => expect(look).toThrow(/has more than \d+ values.*Send it in parts/);

test('of any JSON, however it is indented', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
      refuseManyInJson(bytes, count(value));
      refused(() => refuseManyInJson(bytes, count(value) - 1));
    }),
    { numRuns: 2000 },
  );
});

test('brackets, commas and quotes in texts do not count', () => {
  const bytes = Buffer.from(JSON.stringify({ 'a,[{"\\': ['[{,,,"\\"', '\\\\', ',"'] }));
  refuseManyInJson(bytes, 5);
  refused(() => refuseManyInJson(bytes, 4));
});

test('a text that does not end, and brackets that do not close, are counted to their end', () => {
  refuseManyInJson(Buffer.from(`["${','.repeat(100)}\\`), 2);
  refused(() => refuseManyInJson(Buffer.from('['.repeat(100)), 20));
});

describe('of YAML', () => {
  const word = fc.stringMatching(/^[a-z]{1,5}$/);
  const { yaml } = fc.letrec<{ yaml: unknown }>((tie) => ({
    yaml: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      word,
      fc.array(tie('yaml'), { maxLength: 5 }),
      fc.dictionary(word, tie('yaml'), { maxKeys: 5 }),
    ),
  }));

  test('in blocks, in brackets and as indented JSON', () => {
    const writers = [writeYaml, JSON.stringify, (value: unknown) => JSON.stringify(value, undefined, 2)];
    fc.assert(
      fc.property(yaml, fc.constantFrom(...writers), (value, write) => {
        const text = write(value);
        refuseManySignsInYaml(Buffer.from(text), count(value));
        expect(parseYaml(text, count(value))).toEqual(value);
        refused(() => parseYaml(text, count(value) - 1));
      }),
      { numRuns: 1000 },
    );
  });

  test('an alias is one value', () => {
    expect(parseYaml('[&a [1, 2], *a]', 5)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    refused(() => parseYaml('[&a [1, 2], *a]', 4));
  });

  test('the number of signs is bounded before the text is parsed', () => {
    refuseManySignsInYaml(Buffer.from(`text: ${'word '.repeat(1000)}`), 10);
    for (const sign of [',', ':', '[', '{', '\n', '\r', '- ', '-\n', '? ']) {
      refused(() => refuseManySignsInYaml(Buffer.from(sign.repeat(41)), 10));
    }
  });
});

test('the limit grows with the limit of bytes, and a body of 100 kB cannot reach it', () => {
  expect([maxValuesFor(1024), maxValuesFor(100_000), maxValuesFor(5 * 2 ** 20)]).toEqual([50_000, 50_000, 327_680]);
});
