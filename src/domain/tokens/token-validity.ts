/** Whether an API token is valid, by the cache of each replica. */
import type { ApiToken, ApiTokenSpec } from '../../schema/api-token.ts';

/** Ms since 1970; undefined: never. A time that does not parse counts as past. */
export function expiryOf({ expiresAt }: Pick<ApiTokenSpec, 'expiresAt'>): number | undefined {
  if (expiresAt === undefined) return undefined;
  const ms = Date.parse(expiresAt);
  return Number.isFinite(ms) ? ms : 0;
}

/** `expiresAt` is undefined for a token that never expires. Another spelling of the same time is no change. */
export function expireAt({ spec }: ApiToken, expiresAt: string | undefined): ApiTokenSpec {
  if (expiryOf({ expiresAt }) === expiryOf(spec)) return spec;
  const { expiresAt: _, ...rest } = spec;
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) };
}

/** `now` in ms since 1970. */
export function isExpired({ spec }: ApiToken, now: number): boolean {
  return (expiryOf(spec) ?? Number.POSITIVE_INFINITY) <= now;
}

/**
 * Does not check other objects. A token with defects is invalid: its readable part may restrict less than was meant.
 */
export function isValidToken(token: ApiToken, now: number): boolean {
  const { metadata, defects, status } = token;
  return (
    metadata.deletionTimestamp === undefined &&
    defects.length === 0 &&
    status?.sha256 !== undefined &&
    !isExpired(token, now)
  );
}

/** Whether the projects of the token include this one. */
export function reachesProject({ spec }: ApiToken, projectId: string): boolean {
  return spec.projects?.includes(projectId) ?? true;
}
