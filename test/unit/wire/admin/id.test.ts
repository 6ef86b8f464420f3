/** The texts in a path that are ids. */
import { expect, test } from 'vitest';
import { isRefusal } from '../../../../src/errors.ts';
import { idInPath } from '../../../../src/wire/admin/id.ts';
import { parse } from '../../../../src/wire/parse-input.ts';

const id = idInPath('An id.', 7);

test.each([
  ['1', 1],
  ['42', 42],
  ['9007199254740991', 9007199254740991],
])('%j is the id %i', (text, want) => {
  expect(parse(id, text, 'params')).toBe(want);
});

test.each([
  ['0', 'smaller than 1'],
  ['-1', 'smaller than 1'],
  ['-0', 'smaller than 1'],
  ['9007199254740993', 'larger than'],
  ['9'.repeat(400), '"999'],
  ['1.5', '"1.5"'],
  ['1.0', '"1.0"'],
  ['1e3', '"1e3"'],
  ['0x10', '"0x10"'],
  ['007', '"007"'],
  ['+7', '"+7"'],
  [' 7', '" 7"'],
  ['7\n', '"7'],
  ['', '""'],
  ['NaN', '"NaN"'],
  ['ada', '"ada"'],
  ['٣', '"٣"'],
])('%j is no id, and the refusal has the reason', (text, words) => {
  const refusal = (): unknown => {
    try {
      return parse(id, text, 'params');
    } catch (error) {
      return error;
    }
  };
  const error = refusal();
  expect(isRefusal(error, 'invalid') && error.message).toContain(words);
});
