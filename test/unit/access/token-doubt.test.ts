/** How long a replica doubts that an unknown token is wrong. */
import { expect, test } from 'vitest';
import { DOUBT_MS, tokenDoubt } from '../../../src/access/token-doubt.ts';
import { parseObject } from '../../../src/kube/object/parse-object.ts';
import { apiToken } from '../../../src/schema/api-token.ts';
import { aToken } from '../../support/builders.ts';
import { stored } from '../domain/objects.ts';

const SHA256 = 'a'.repeat(64);

function doubtAbout(spec: object, status: object | undefined, clock = { now: Date.parse('2026-06-01T00:00:00Z') }) {
  const token = parseObject(apiToken, stored(aToken('home/t', spec), { status }));
  return tokenDoubt({ tokens: () => [token], now: () => clock.now });
}

test('a value is certainly wrong when every token has one that never changes', () => {
  expect(doubtAbout({}, { sha256: SHA256 }).mayBeKnownSoon('b')).toBe(false);
  expect(doubtAbout({ type: 'admin', secretRef: { name: 's' } }, undefined).mayBeKnownSoon('b')).toBe(false);
  expect(doubtAbout({ expiresAt: '2026-05-01T00:00:00Z' }, undefined).mayBeKnownSoon('b')).toBe(false);
});

test.each([
  ['waits for its Secret', {}, undefined],
  ['takes its value from a Secret that may change', { secretRef: { name: 's' } }, { sha256: SHA256 }],
])('a value is in doubt for a while when a token %s', (_, spec, status) => {
  const clock = { now: Date.parse('2026-06-01T00:00:00Z') };
  const doubt = doubtAbout(spec, status, clock);
  expect(doubt.mayBeKnownSoon('b')).toBe(true);
  clock.now += DOUBT_MS - 1;
  expect(doubt.mayBeKnownSoon('b')).toBe(true);
  expect(doubt.mayBeKnownSoon('c')).toBe(true);
  clock.now += 1;
  expect(doubt.mayBeKnownSoon('b')).toBe(false);
  expect(doubt.mayBeKnownSoon('c')).toBe(true);
});
