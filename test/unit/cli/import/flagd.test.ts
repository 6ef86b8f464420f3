/** A rule of flagd that keeps users off by several comparisons, before others for whom the flag is on. */
import { expect, test } from 'vitest';
import { importedFlags } from '../../../support/imported-flags.ts';

test.each<[object, boolean]>([
  [{ country: 'de', plan: 'free' }, false],
  [{ country: 'de', plan: 'pro' }, true],
  [{ plan: 'free' }, true],
  [{}, true],
])('%j', async (context, expected) => {
  const when = { and: [{ '==': [{ var: 'country' }, 'de'] }, { '==': [{ var: 'plan' }, 'free'] }] };
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'on' };
  const { valueOf: value, unmapped } = await importedFlags(
    JSON.stringify({ flags: { f: { ...flag, targeting: { if: [when, 'off'] } } } }),
  );
  expect(unmapped).toEqual([]);
  expect(value('f', { userId: 'u', ...context })).toBe(expected);
});
