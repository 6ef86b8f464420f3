/** The settings for signing in at an identity provider with OpenID Connect. */

/** The end of the redirect URL. */
export const CALLBACK_PATH = '/auth/oidc/callback';

/** How claims become the names of users and groups. */
export interface ClaimMapping {
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client, which uses only PKCE. */
  readonly clientSecret: string | undefined;
  /** The URL to which the provider sends users back. */
  readonly redirectUrl: string;
  readonly scopes: string;
  readonly claims: ClaimMapping;
}
