/** What a change request asks for, in a few words. */
import { expect, test } from 'vitest';
import { whatText } from '../../../console/src/requests/what-text.ts';

const values = (production: object, more: object = {}) => ({
  archived: false,
  variants: [],
  dependencies: [],
  environments: { production },
  ...more,
});

test.each([
  ['switch on', values({}), values({ enabled: true })],
  ['switch off and change strategies', values({ enabled: true }), values({ enabled: false, strategies: { a: {} } })],
  ['change activeFrom, variants', values({}), values({ activeFrom: 'x' }, { variants: [{ name: 'blue' }] })],
  ['archive', values({}), values({}, { archived: true })],
  ['revive and switch on', values({}, { archived: true }), values({ enabled: true })],
  ['change nothing here', values({ enabled: false }), values({})],
])('%s', (text, present, wanted) => {
  expect(whatText({ present, wanted }, 'production')).toBe(text);
});

test('a flag that is gone', () => {
  expect(whatText({ present: null, wanted: values({}) }, 'production')).toBe('change a flag that is gone');
});
