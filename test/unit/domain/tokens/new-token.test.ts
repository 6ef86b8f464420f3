/** The allowed uses of a new API token, and its stored form. */
import { expect, test } from 'vitest';
import { complaintsAbout, specOfToken, type WantedToken } from '../../../../src/domain/tokens/new-token.ts';

const context = {
  isProject: (id: string) => id === 'shop' || id === 'pay',
  isEnvironment: (name: string) => name === 'production',
  now: Date.parse('2026-01-01T00:00:00Z'),
};
const client: WantedToken = { type: 'client', environment: 'production', projects: undefined, expiresAt: undefined };
const admin: WantedToken = { ...client, type: 'admin', environment: null };

test.each<[string, WantedToken, readonly (readonly [field: string, value: unknown])[]]>([
  ['a client token for all projects', client, []],
  ['* alone is all projects', { ...client, projects: ['*'] }, []],
  ['a client token for some projects', { ...client, projects: ['shop', 'pay'] }, []],
  ['a client token without an environment', { ...client, environment: null }, [['environment', null]]],
  [
    '* is no environment of a frontend token',
    { ...client, type: 'frontend', environment: '*' },
    [['environment', '*']],
  ],
  ['no project at all', { ...client, projects: [] }, [['projects', []]]],
  [
    'each unknown project',
    { ...client, projects: ['a', 'shop', 'b'] },
    [
      ['projects', 'a'],
      ['projects', 'b'],
    ],
  ],
  ['* beside others', { ...client, projects: ['*', 'shop'] }, [['projects', '*']]],
  ['an admin token', admin, []],
  ['an admin token for everything', { ...admin, environment: '*', projects: ['*'] }, []],
  [
    'an admin token with a scope',
    { ...admin, environment: 'production', projects: ['shop'] },
    [
      ['environment', 'production'],
      ['projects', ['shop']],
    ],
  ],
  ['an expiry in the past', { ...client, expiresAt: '2025-12-31T23:59:59Z' }, [['expiresAt', '2025-12-31T23:59:59Z']]],
  [
    'an expiry now',
    { ...client, expiresAt: '2026-01-01T01:00:00+01:00' },
    [['expiresAt', '2026-01-01T01:00:00+01:00']],
  ],
  ['an expiry in the future', { ...client, expiresAt: '2026-01-01T00:00:00.001Z' }, []],
])('%s', (_, wanted, complaints) => {
  expect(complaintsAbout(wanted, context).map(({ field, value }) => [field, value])).toEqual(complaints);
});

test('the spec has each project once, the time in UTC, and nothing for *', () => {
  const wanted = { ...client, projects: ['shop', 'pay', 'shop'], expiresAt: '2026-06-01T02:00:00+02:00' };
  expect(specOfToken(wanted)).toEqual({
    type: 'client',
    environment: 'production',
    projects: ['shop', 'pay'],
    expiresAt: '2026-06-01T00:00:00.000Z',
  });
  expect(specOfToken({ ...client, projects: ['*'] })).toEqual({ type: 'client', environment: 'production' });
  expect(specOfToken({ ...admin, environment: '*', projects: ['*'] })).toEqual({ type: 'admin' });
});
