/**
 * The Kubernetes username that follows from claims: no user of the provider can become a Kubernetes user or group of
 * another origin.
 */
import { describe, expect, test } from 'vitest';
import { userOfClaims } from '../../../../src/access/authentication/oidc-user.ts';

const mapping = { usernameClaim: 'sub', usernamePrefix: 'oidc:', groupsClaim: 'groups', groupsPrefix: 'oidc:' };
const bare = { ...mapping, usernamePrefix: '', groupsPrefix: '' };
const ALL = 'system:authenticated';

describe('claims that name a user', () => {
  test.each([
    ['with groups', { sub: 'ada', groups: ['dev', 'ops'] }, mapping, 'oidc:ada', ['oidc:dev', 'oidc:ops', ALL]],
    ['with one group as a text', { sub: 'ada', groups: 'dev' }, mapping, 'oidc:ada', ['oidc:dev', ALL]],
    ['without groups', { sub: 'ada' }, mapping, 'oidc:ada', [ALL]],
    ['with groups of Kubernetes', { sub: 'ada', groups: ['system:masters', 'dev'] }, bare, 'ada', ['dev', ALL]],
    [
      'with a prefix before those',
      { sub: 'ada', groups: ['system:masters'] },
      mapping,
      'oidc:ada',
      ['oidc:system:masters', ALL],
    ],
    [
      'with a verified address',
      { email: 'a@x.io', email_verified: true },
      { ...mapping, usernameClaim: 'email' },
      'oidc:a@x.io',
      [ALL],
    ],
    [
      'with an address of which the provider says nothing',
      { email: 'a@x.io' },
      { ...mapping, usernameClaim: 'email' },
      'oidc:a@x.io',
      [ALL],
    ],
  ])('%s', (_, claims, by, username, groups) => {
    expect(userOfClaims(claims, by)).toEqual({ username, groups });
  });
});

describe('claims that are refused', () => {
  test.each([
    ['no username', { groups: ['dev'] }, mapping],
    ['an empty username', { sub: '' }, mapping],
    ['a username that is no text', { sub: 7 }, mapping],
    ['a username with a line end', { sub: 'ada\nroot' }, mapping],
    ['a username that turns the text around', { sub: 'ada\u202etoor' }, mapping],
    ['a group that turns the text around', { sub: 'ada', groups: ['dev\u2066'] }, mapping],
    ['a username with a line separator', { sub: 'ada\u2028root' }, mapping],
    ['a username of 257 characters', { sub: 'a'.repeat(257) }, mapping],
    ['a service account', { sub: 'system:serviceaccount:vexil-system:vexil' }, bare],
    [
      'an address that is not verified',
      { email: 'a@x.io', email_verified: false },
      { ...mapping, usernameClaim: 'email' },
    ],
    [
      'an address that is verified by a text',
      { email: 'a@x.io', email_verified: 'true' },
      { ...mapping, usernameClaim: 'email' },
    ],
    ['groups that are no list of names', { sub: 'ada', groups: [['dev']] }, mapping],
    ['groups that are an object', { sub: 'ada', groups: { dev: true } }, mapping],
  ])('%s', (_, claims, by) => {
    expect(() => userOfClaims(claims, by)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });
});
