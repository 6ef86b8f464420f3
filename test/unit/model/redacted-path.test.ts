/** The logged parts of a path. */
import { expect, test } from 'vitest';
import { looksLikeToken, redactedPath } from '../../../src/model/redacted-path.ts';

const HEX = '5f'.repeat(28);
const JWT = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from('{"aud":["vexil"]}').toString('base64url')}.c2lnbmF0dXJl`;

test.each([
  ['an admin token', `*:*.${HEX}`],
  ['a client token', `shop:production.${HEX}`],
  ['one for several projects', `[]:production.${HEX}`],
  ['a personal token', `user:${HEX}`],
  ['the random part alone', HEX],
  ['the random part in capitals', HEX.toUpperCase()],
  ['most of the random part', HEX.slice(0, 40)],
  ['a name with it inside', `flag-${HEX}-old`],
  ['a JSON Web Token', JWT],
  ['the beginning of one', JWT.slice(0, 30)],
  ['a header', `Bearer ${JWT.slice(0, 30)}`],
  ['32 random bytes in base64', Buffer.from(HEX.slice(0, 43)).toString('base64')],
  ['signs of base64', 'a+b/c=='],
  ['more than a name may have', 'x'.repeat(101)],
])('%s is redacted, encoded or not', (_, token) => {
  const once = encodeURIComponent(token);
  const everyByte = [...Buffer.from(token)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  for (const segment of [once, encodeURIComponent(once), everyByte]) {
    // A token that is encoded twice may be harmless, but it must not be logged either.
    expect(redactedPath(`/api/admin/api-tokens/${segment}`)).not.toContain(token);
  }
  expect(redactedPath(`/api/admin/api-tokens/${once}/more`)).toBe('/api/admin/api-tokens/[redacted]/more');
  expect(redactedPath(`/api/admin/api-tokens/${everyByte}`)).toBe('/api/admin/api-tokens/[redacted]');
});

test.each([
  ['32 bytes', 'k3Vt-9sQ_zB1uYxW7aLmN0pRcD4eFgHjT6i8oKqUvXw'],
  ['24 bytes', 'Zx9-vB3_nM1qW5eR7tY2uI8oP0aS4dFg'],
])('%s in base64 for URLs are redacted, although they could be a name', (_, value) => {
  for (const segment of [value, `flag.${value}`]) {
    expect(redactedPath(`/api/admin/projects/${segment}/archive`)).toBe('/api/admin/projects/[redacted]/archive');
  }
});

test.each([
  '/api/admin/projects/shop/features/new-checkout/environments/production/on',
  "/api/admin/projects/shop/features/It's_(my)*flag!~v1.2/environments/production/strategies/2f1b9c1e-8f5a-4f0e-9a53-6d2f0f2a7c11",
  '/api/admin/projects/shop/users/7/roles/4',
  '/',
  '',
  `/api/admin/projects/${'x'.repeat(100)}`,
  '/api/admin/projects/shop/features/one-page-checkout-experiment-2026-for-returning-customers',
  '/api/admin/projects/shop/features/OnePageCheckout2026',
])('%s is unchanged', (path) => {
  expect(redactedPath(path)).toBe(path);
});

test('undecodable text is redacted', () => {
  expect(redactedPath(`/api/admin/%ZZ${HEX}/x`)).toBe('/api/admin/[redacted]/x');
});

test('ids of requests, as tracing makes them, do not look like tokens; tokens do', () => {
  const ids = ['4bf92f3577b34da6a3ce929d0e0e4736', '2f1b9c1e-8f5a-4f0e-9a53-6d2f0f2a7c11', 'job:42.retry-3'];
  expect(ids.filter(looksLikeToken)).toEqual([]);
  expect([`*:*.${HEX}`, `user:${HEX}`, HEX, JWT].every(looksLikeToken)).toBe(true);
});
