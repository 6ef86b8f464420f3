/** A configuration that may be shown. */
import type { Config } from './load-config.ts';

/**
 * The configuration for the line that is logged at the start: with the bare fact of a token in place of the token, and
 * of a database what tells it from others.
 */
export function redacted(config: Config): Readonly<Record<string, unknown>> {
  const { adminToken, audit, ...rest } = config;
  return {
    ...rest,
    audit: { ...audit, url: withoutCredentials(audit.url) },
    adminTokenGiven: adminToken !== undefined,
  };
}

/** A password may stand among the parameters, too. */
function withoutCredentials(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
