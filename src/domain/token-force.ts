/** Whether an API token is in force, as every replica can tell by itself. */
import type { ApiToken, ApiTokenSpec } from '../schema/api-token.ts';

/** Ms since 1970; undefined: never. A time that cannot be read is over. */
export function expiryOf({ expiresAt }: Pick<ApiTokenSpec, 'expiresAt'>): number | undefined {
  if (expiresAt === undefined) return undefined;
  const ms = Date.parse(expiresAt);
  return Number.isFinite(ms) ? ms : 0;
}

/** `now` in ms since 1970. */
export function isExpired({ spec }: ApiToken, now: number): boolean {
  return (expiryOf(spec) ?? Number.POSITIVE_INFINITY) <= now;
}

/** But for what other objects have to do with it. A spec that cannot be read in full may say less than was meant. */
export function isInForce(token: ApiToken, now: number): boolean {
  const { metadata, defects, status } = token;
  return (
    metadata.deletionTimestamp === undefined &&
    defects.length === 0 &&
    status?.sha256 !== undefined &&
    !isExpired(token, now)
  );
}

/** Whether the token is for this project, among others. */
export function reachesProject({ spec }: ApiToken, projectId: string): boolean {
  return spec.projects?.includes(projectId) ?? true;
}
