/** Edits of an API token: functions from the object to its next spec. */
import type { ApiToken, ApiTokenSpec } from '../../schema/api-token.ts';
import { expiryOf } from './token-validity.ts';

/** `expiresAt` is undefined for a token that never expires. Another spelling of the same time is no change. */
export function expireAt({ spec }: ApiToken, expiresAt: string | undefined): ApiTokenSpec {
  if (expiryOf({ expiresAt }) === expiryOf(spec)) return spec;
  const { expiresAt: _, ...rest } = spec;
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) };
}
