/** A configuration that may be shown. */
import type { Config } from './load-config.ts';

/** The configuration with the bare fact of a token in place of the token, for the line that is logged at the start. */
export function redacted(config: Config): Readonly<Record<string, unknown>> {
  const { adminToken, ...rest } = config;
  return { ...rest, adminTokenGiven: adminToken !== undefined };
}
