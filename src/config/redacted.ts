/** Removes secrets from a configuration. */
import type { Config } from './load-config.ts';

/**
 * The configuration for the log line at the start: whether a token is set instead of the token, and the address of the
 * database without credentials.
 */
export function redacted(config: Config): Readonly<Record<string, unknown>> {
  const { adminToken, audit, oidc, ...rest } = config;
  return {
    ...rest,
    audit: { ...audit, url: withoutCredentials(audit.url) },
    oidc: oidc && { ...oidc, clientSecret: oidc.clientSecret === undefined ? 'none' : 'given' },
    adminTokenGiven: adminToken !== undefined,
  };
}

/** Drops the query as well, because it may contain a password. */
function withoutCredentials(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
