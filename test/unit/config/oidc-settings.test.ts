/** The settings of an identity provider: their values, and what is refused. */
import { describe, expect, test } from 'vitest';
import { type Config, loadConfig } from '../../../src/config/load-config.ts';
import { Refusal } from '../../../src/errors.ts';
import { detailPath } from '../../../src/model/invalid-input.ts';

type Environment = Readonly<Record<string, string>>;

const OIDC = {
  VEXIL_OIDC_ISSUER: 'https://login.example.com/realms/a',
  VEXIL_OIDC_CLIENT_ID: 'vexil',
  VEXIL_OIDC_REDIRECT_URL: 'https://flags.example.com/x/auth/oidc/callback',
};

/** The names of the settings that are refused. */
function refusedNames(environment: Environment): readonly (string | undefined)[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof Refusal) return error.details.map(detailPath).sort();
    throw error;
  }
}

test.each([
  [{ VEXIL_OIDC_ISSUER: OIDC.VEXIL_OIDC_ISSUER }, ['VEXIL_OIDC_CLIENT_ID', 'VEXIL_OIDC_REDIRECT_URL']],
  [{ VEXIL_OIDC_CLIENT_SECRET: 'x' }, Object.keys(OIDC)],
  [{ ...OIDC, VEXIL_CONSOLE: 'off' }, []],
  [{ ...OIDC, VEXIL_AUTH: 'none' }, ['VEXIL_OIDC_ISSUER']],
])('with %j, missing settings and those without effect are refused', (environment, names) => {
  expect(refusedNames(environment)).toEqual(names.toSorted());
});

test.each<[string, Environment, Partial<Config>]>([
  [
    'an identity provider with a public client',
    OIDC,
    {
      oidc: {
        issuer: 'https://login.example.com/realms/a',
        clientId: 'vexil',
        clientSecret: undefined,
        redirectUrl: 'https://flags.example.com/x/auth/oidc/callback',
        scopes: 'openid email profile',
        claims: { usernameClaim: 'sub', usernamePrefix: 'oidc:', groupsClaim: 'groups', groupsPrefix: 'oidc:' },
      },
    },
  ],
  [
    'names without prefixes',
    { ...OIDC, VEXIL_OIDC_USERNAME_PREFIX: 'none', VEXIL_OIDC_GROUPS_PREFIX: 'none' },
    {
      oidc: expect.objectContaining({
        claims: { usernameClaim: 'sub', usernamePrefix: '', groupsClaim: 'groups', groupsPrefix: '' },
      }),
    },
  ],
])('%s', (_, environment, want) => {
  expect(loadConfig(environment)).toMatchObject(want);
});

describe('a value that is refused', () => {
  test.each([
    ['VEXIL_OIDC_ISSUER', 'http://login.example.com'],
    ['VEXIL_OIDC_ISSUER', 'https://user@login.example.com'],
    ['VEXIL_OIDC_REDIRECT_URL', 'https://flags.example.com/'],
    ['VEXIL_OIDC_REDIRECT_URL', 'http://flags.example.com/auth/oidc/callback'],
    ['VEXIL_OIDC_SCOPES', 'email'],
    ['VEXIL_OIDC_USERNAME_PREFIX', 'system:'],
  ])('%s=%s', (name, value) => {
    expect(refusedNames({ ...OIDC, [name]: value })).toEqual([name]);
  });
});
