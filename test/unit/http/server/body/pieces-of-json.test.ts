/** A JSON document that is read piece by piece is the same as one that is parsed as a whole. */
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../../../src/errors.ts';
import { piecesOfJson } from '../../../../../src/http/server/body/pieces-of-json.ts';
import { parseJson } from '../../../../../src/http/server/body/unambiguous-json.ts';
import { seededRandom } from '../../../../../src/model/seeded-random.ts';
import { checked } from '../../../../../src/wire/check-values.ts';

type Outcome = { readonly value: unknown } | { readonly refused: string };

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

function inPieces(text: string): Outcome {
  return outcomeOf(() => {
    const { frame, batches } = piecesOfJson(Buffer.from(text));
    const document = frame as Record<string, unknown[]>;
    for (const { section, start, rows } of batches) {
      expect(document[section]).toHaveLength(start);
      document[section]?.push(...rows);
    }
    return document;
  });
}

const asWhole = (text: string): Outcome => outcomeOf(() => checked(parseJson(text)));

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `flag-${index}`, list: [1, [2]] }));
const list = JSON.stringify(rows(201));

describe('a document is the same in pieces and as a whole', () => {
  test.each([
    ['with more rows than a batch', JSON.stringify({ version: 4, features: rows(250), tags: rows(1), projects: null })],
    ['with as many rows as a batch', JSON.stringify({ features: rows(100) }, undefined, 2)],
    ['with empty lists', '{"features":[ ],"tags":[],"strategies":[\n]}'],
    ['with signs in texts', JSON.stringify({ 'fea"tu[res': ['],"a":[', '\\"', '{', ','], b: '[[[' })],
    ['with an escaped name', '{"\\u0066eatures":[1,2]}'],
    ['without lists', '{"version":1,"other":{"features":[1,2]}}'],
    ['that is a list', '[[1,2],{"features":[3]}]'],
    ['that is a text', '"features"'],
    ['with a byte order mark', `\ufeff${JSON.stringify({ features: rows(2) })}`],
  ])('%s', (_, text) => {
    expect(inPieces(text)).toEqual({ value: JSON.parse(text.replace('\ufeff', '')) });
  });

  test.each([
    ['a comma at the end of a batch', `{"features":[${JSON.stringify(rows(100)).slice(1, -1)},]}`],
    ['two commas', '{"features":[1,,2]}'],
    ['a wrong bracket', '{"features":[1,2}}'],
    ['a wrong bracket in a row', '{"features":[{"a":1]}]}'],
    ['a missing bracket', '{"features":[1,2]'],
    ['a text without end', '{"features":["a]}'],
    ['something after the end', '{"features":[1]}x'],
    ['a list without a name', '{"a":1,[1,2]}'],
    ['a byte order mark in a list', '{"features":[\ufeff1]}'],
    ['a list that is there twice', '{"features":[1],"features":[2]}'],
    ['a property that is there twice', list.replace('"name":"flag-150"', '"name":"a","name":"b"')],
    ['the same in a section', `{"features":${list.replace('"name":"flag-150"', '"name":"a","name":"b"')}}`],
    ['a member that is not taken', `{"features":${list.replace('"name":"flag-150"', '"__proto__":1')}}`],
    ['half of a surrogate pair', `{"features":${list.replace('flag-150', '\\ud800')}}`],
    ['too deep values', `{"features":${list.replace('"flag-150"', `${'['.repeat(70)}${']'.repeat(70)}`)}}`],
  ])('%s is refused in the same words', (_, text) => {
    const whole = asWhole(text);
    expect(whole).toHaveProperty('refused');
    expect(inPieces(text)).toEqual(whole);
  });

  test('whatever bytes are removed, repeated or replaced', () => {
    const random = seededRandom(25);
    const below = (limit: number) => Math.floor(random() * limit);
    const signs = ['"', '[', ']', '{', '}', ',', ':', '\\', ' ', '1', 'é', ''];
    const document = JSON.stringify({ version: 4, features: rows(103).map(({ list }) => list), tags: [{}, [], '[,]'] });
    for (let round = 0; round < 3000; round += 1) {
      const at = below(document.length);
      const sign = signs[below(signs.length)] ?? '';
      const text = `${document.slice(0, at)}${sign}${document.slice(at + below(3))}`;
      const whole = asWhole(text);
      const pieces = inPieces(text);
      // Several errors in one document may be found in another order.
      if ('value' in whole || 'value' in pieces) expect(pieces, text).toEqual(whole);
    }
  });
});
