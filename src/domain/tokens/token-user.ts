/**
 * The user of a personal token, by the id that was recorded with the value: a later user of the name is another user.
 */
import type { ApiToken } from '../../schema/api-token.ts';
import type { FlagUser } from '../../schema/flag-user.ts';

/** Recorded for a token that is older than recorded ids and whose user is gone: no user has this id. */
const UNKNOWN_ACTOR = 0;

/** The lookup of the username that a token names. */
export interface UserLookup {
  /** The user with an id that owns the username. */
  readonly user: FlagUser | undefined;
  /** Whether any FlagUser has the username, with or without an id. */
  readonly isClaimed: boolean;
}

/** A token without a recorded id belongs to the present user, whose id will be recorded. */
export function isUserOf({ status }: ApiToken, user: FlagUser): boolean {
  return status?.userId === undefined || status.userId === user.status?.id;
}

/** The id to record; undefined: the user does not exist yet, or the token names none. */
export function recordedUserId({ spec, status }: ApiToken, { user, isClaimed }: UserLookup): number | undefined {
  if (spec.user === undefined) return undefined;
  if (status?.userId !== undefined) return status.userId;
  if (user) return user.status?.id;
  return status?.sha256 !== undefined && !isClaimed ? UNKNOWN_ACTOR : undefined;
}
