/** The SDKs that know segments. */
import { expect, test } from 'vitest';
import { knowsSegments } from '../../../../src/wire/client/client-spec.ts';

test.each([
  [undefined, false],
  ['', false],
  ['latest', false],
  ['4.1.9', false],
  ['4.2.0-beta.1', false],
  ['4.2.0', true],
  ['4.10.0', true],
  ['5.2.0', true],
])('%s: %s', (stated, wanted) => {
  expect(knowsSegments(stated)).toBe(wanted);
});
