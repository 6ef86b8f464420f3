/** Signs users in with an identity provider: OpenID Connect, code flow with PKCE. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { CALLBACK_PATH, type OidcSettings } from '../../model/settings/oidc-settings.ts';
import { type OidcUser, userOfClaims } from '../authentication/oidc-user.ts';

/** What a callback must match, kept by the browser that began. */
export const signInAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The path of the console to go on with. */
  next: z.string(),
  /** Ms since 1970. */
  endsAt: z.number(),
});
export type SignInAttempt = z.infer<typeof signInAttempt>;

export interface SignedIn {
  readonly user: OidcUser;
  /** When the ID token expires, in ms since 1970. */
  readonly expiresAt: number;
}

export interface OidcProvider {
  readonly settings: OidcSettings;
  /**
   * Returns the URL to which the browser must be sent, with the attempt to keep. Throws `unavailable` if the provider
   * does not answer.
   */
  begin(next: string): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }>;
  /** `query` is the query of the callback. Throws `unauthenticated` or `unavailable`. */
  finish(query: string, attempt: SignInAttempt): Promise<SignedIn>;
  /**
   * Where a browser ends the session at the provider (RP-Initiated Logout); undefined: the provider has no such page.
   * Throws `unavailable`.
   */
  signOutUrl(): Promise<URL | undefined>;
}

export interface OidcProviderParts {
  readonly settings: OidcSettings;
  readonly timeoutMs: number;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** How long a user may take at the provider. */
export const MAX_ATTEMPT_MS = 600_000;
/** Endpoints and keys of a provider change rarely. */
const MAX_METADATA_AGE_MS = 3_600_000;

export function createOidcProvider({ settings, timeoutMs, now }: OidcProviderParts): OidcProvider {
  const { issuer, clientId, clientSecret, redirectUrl, scopes, claims } = settings;
  let known: { readonly configuration: Promise<Configuration>; readonly at: number } | undefined;

  const discover = (): Promise<Configuration> => {
    const url = new URL(issuer);
    // The settings allow http on this machine alone.
    const insecure = url.protocol === 'http:' ? [allowInsecureRequests] : [];
    const authentication: ClientAuth = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    const options = { timeout: timeoutMs / 1000, execute: [...insecure, enableNonRepudiationChecks] };
    return discovery(url, clientId, undefined, authentication, options);
  };
  const configured = async (): Promise<Configuration> => {
    if (!known || now() - known.at > MAX_METADATA_AGE_MS) known = { configuration: discover(), at: now() };
    try {
      return await known.configuration;
    } catch (error) {
      known = undefined;
      throw unavailable(error);
    }
  };

  return {
    settings,
    async begin(next) {
      const configuration = await configured();
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url, attempt: { state, nonce, verifier, next, endsAt: now() + MAX_ATTEMPT_MS } };
    },

    async finish(query, { state, nonce, verifier, endsAt }) {
      if (now() >= endsAt) throw new Refusal('unauthenticated', 'The sign-in took too long.');
      const configuration = await configured();
      const url = new URL(redirectUrl);
      url.search = query;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(configuration, url, checks).catch((error: unknown) => {
        throw isAway(error) ? unavailable(error) : refused(error);
      });
      const idToken = tokens.claims();
      if (!idToken) throw new Refusal('unauthenticated', 'The identity provider has sent no ID token.');
      return { user: userOfClaims(idToken, claims), expiresAt: idToken.exp * 1000 };
    },

    async signOutUrl() {
      const configuration = await configured();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      // The ID token, which could be sent as a hint, is dropped after the sign-in: the provider asks the user instead.
      const back = `${redirectUrl.slice(0, -CALLBACK_PATH.length)}/login`;
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back });
    },
  };
}

/** `fetch` rejects with a TypeError when there is no answer. */
function isAway(error: unknown): boolean {
  return error instanceof TypeError || codeOf(error) === 'OAUTH_TIMEOUT';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}

/** Leaves out the cause and its message, which can quote tokens and codes. */
function unavailable(error: unknown): Refusal {
  return new Refusal('unavailable', `The identity provider cannot be reached, or does not answer (${codeOf(error)}).`);
}

/** A code of OAuth; anyone can put a text into a callback. */
const OAUTH_ERROR = /^[a-z_]{1,40}$/;

function refused(error: unknown): Refusal {
  const found = error instanceof Error && 'error' in error ? error.error : undefined;
  const said = typeof found === 'string' && OAUTH_ERROR.test(found) ? `, ${found}` : '';
  return new Refusal(
    'unauthenticated',
    `The answer of the identity provider is not accepted (${codeOf(error)}${said}).`,
  );
}
