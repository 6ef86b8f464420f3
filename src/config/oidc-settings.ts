/** The settings of signing in to the console at an identity provider (OpenID Connect). */
import { z } from 'zod';
import type { ErrorDetail } from '../errors.ts';
import { CALLBACK_PATH, type OidcSettings } from '../model/settings/oidc-settings.ts';
import { fact } from './fact.ts';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];
const defaultScopes = 'openid email profile';
const defaultPrefix = 'oidc:';

/** An answer over http could come from anyone. */
function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^[^\s@?#\\]{1,2000}$/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL.includes(url.hostname));
}

const safeUrl = z.string().refine(isSafeUrl);
const claim = z.string().regex(/^\S{1,255}$/);
const prefix = z.union([
  z.literal('none').transform(() => ''),
  z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/)
    .refine((text) => !text.startsWith('system:')),
]);
const ALLOWED_CLAIM = 'the name of a claim, 255 characters at most';
const ALLOWED_PREFIX =
  '"none", or up to 64 printable ASCII characters without white space that do not begin with "system:"';

export const oidcSettings = {
  VEXIL_OIDC_ISSUER: fact(safeUrl.optional(), {
    description:
      'The issuer of an identity provider (OpenID Connect) at which users sign in to the console. Set `VEXIL_OIDC_CLIENT_ID` and `VEXIL_OIDC_REDIRECT_URL` too.',
    allowed: 'an https URL without credentials, query and fragment, or an http URL of this machine',
    defaultText: 'none: users sign in with tokens only',
    example: 'https://login.example.com',
  }),
  VEXIL_OIDC_CLIENT_ID: fact(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      .optional(),
    {
      description: 'The client id of Vexil at the identity provider.',
      allowed: '1 to 255 printable ASCII characters; requires VEXIL_OIDC_ISSUER',
      defaultText: 'no such client',
      example: 'vexil',
    },
  ),
  VEXIL_OIDC_CLIENT_SECRET: fact(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,1000}$/)
      .optional(),
    {
      description: 'The client secret of Vexil at the identity provider. Set it from a Secret.',
      allowed: '1 to 1000 printable ASCII characters; requires VEXIL_OIDC_ISSUER',
      defaultText: 'none: a public client, which has PKCE alone',
      example: '<secret>',
      secret: true,
    },
  ),
  VEXIL_OIDC_REDIRECT_URL: fact(safeUrl.refine((text) => text.endsWith(CALLBACK_PATH)).optional(), {
    description: `The URL at which browsers reach \`${CALLBACK_PATH}\`, as the identity provider knows it.`,
    allowed: `an https URL, or an http URL of this machine, that ends with "${CALLBACK_PATH}"; requires VEXIL_OIDC_ISSUER`,
    defaultText: 'no such URL',
    example: `https://flags.example.com${CALLBACK_PATH}`,
  }),
  VEXIL_OIDC_SCOPES: fact(
    z
      .string()
      .regex(/^openid( [\x21\x23-\x5b\x5d-\x7e]{1,100}){0,20}$/)
      .prefault(defaultScopes),
    {
      description: 'The scopes that Vexil asks for. Some providers send groups only with a scope of their own.',
      allowed: '"openid", then up to 20 others, separated by spaces',
      defaultText: defaultScopes,
      example: 'openid groups',
    },
  ),
  VEXIL_OIDC_USERNAME_CLAIM: fact(claim.prefault('sub'), {
    description:
      'The claim of the ID token that is the name of the Kubernetes user. With `email`, a token that has `email_verified` other than true is refused.',
    allowed: ALLOWED_CLAIM,
    defaultText: 'sub',
    example: 'email',
  }),
  VEXIL_OIDC_USERNAME_PREFIX: fact(prefix.prefault(defaultPrefix), {
    description:
      'What precedes that name, so that nobody at the provider can take the name of another Kubernetes user. Use the prefix of your API server, if it has the same provider.',
    allowed: ALLOWED_PREFIX,
    defaultText: defaultPrefix,
    example: 'none',
  }),
  VEXIL_OIDC_GROUPS_CLAIM: fact(claim.prefault('groups'), {
    description: 'The claim of the ID token with the groups of the user. Without it, the user has no groups.',
    allowed: ALLOWED_CLAIM,
    defaultText: 'groups',
    example: 'roles',
  }),
  VEXIL_OIDC_GROUPS_PREFIX: fact(prefix.prefault(defaultPrefix), {
    description: 'What precedes the name of each group. Groups whose names then begin with `system:` are left out.',
    allowed: ALLOWED_PREFIX,
    defaultText: defaultPrefix,
    example: 'none',
  }),
};

type OidcValues = z.output<z.ZodObject<typeof oidcSettings>>;

/** Findings about settings that need another one: users must not find out at the provider. */
export function oidcFindings(values: OidcValues & { readonly VEXIL_AUTH: 'token' | 'none' }): ErrorDetail[] {
  const needed = ['VEXIL_OIDC_ISSUER', 'VEXIL_OIDC_CLIENT_ID', 'VEXIL_OIDC_REDIRECT_URL'] as const;
  const given = [...needed, 'VEXIL_OIDC_CLIENT_SECRET' as const].find((name) => values[name] !== undefined);
  if (given === undefined) return [];
  const missing = needed.filter((name) => values[name] === undefined);
  const findings = missing.map((path) => ({
    path,
    message: `${path} is missing, as ${given} is set; set both or none`,
  }));
  if (values.VEXIL_AUTH === 'token') return findings;
  const message = `${given} is set while VEXIL_AUTH is "none", so everyone may do everything without signing in; use VEXIL_AUTH=token`;
  return [...findings, { path: given, message }];
}

export function oidcFrom(values: OidcValues): OidcSettings | undefined {
  const { VEXIL_OIDC_ISSUER: issuer, VEXIL_OIDC_CLIENT_ID: clientId, VEXIL_OIDC_REDIRECT_URL: redirectUrl } = values;
  if (issuer === undefined || clientId === undefined || redirectUrl === undefined) return undefined;
  return Object.freeze({
    ...{ issuer, clientId, redirectUrl },
    clientSecret: values.VEXIL_OIDC_CLIENT_SECRET,
    scopes: values.VEXIL_OIDC_SCOPES,
    claims: Object.freeze({
      usernameClaim: values.VEXIL_OIDC_USERNAME_CLAIM,
      usernamePrefix: values.VEXIL_OIDC_USERNAME_PREFIX,
      groupsClaim: values.VEXIL_OIDC_GROUPS_CLAIM,
      groupsPrefix: values.VEXIL_OIDC_GROUPS_PREFIX,
    }),
  });
}
