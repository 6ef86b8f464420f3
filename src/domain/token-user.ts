/** The user of a personal token: the one whose id was noted when the token got its value, not the next one of the same name. */
import type { ApiToken } from '../schema/api-token.ts';
import type { FlagUser } from '../schema/flag-user.ts';

/** Noted of a token from before ids were noted whose user was gone by then: no user has this id. */
const NOBODY = 0;

/** What is there under the username that a token names. */
export interface UserThere {
  /** The user who is served under it. */
  readonly user: FlagUser | undefined;
  /** Whether any FlagUser claims it: one that has no id yet may be served soon. */
  readonly isClaimed: boolean;
}

/** A token whose user is not noted yet is for the user who is there now: that is who will be noted. */
export function isUserOf({ status }: ApiToken, user: FlagUser): boolean {
  return status?.userId === undefined || status.userId === user.status?.id;
}

/** The id to note; undefined: the user has not come yet, or the token has none. */
export function notedUserId({ spec, status }: ApiToken, { user, isClaimed }: UserThere): number | undefined {
  if (spec.user === undefined) return undefined;
  if (status?.userId !== undefined) return status.userId;
  if (user) return user.status?.id;
  return status?.sha256 !== undefined && !isClaimed ? NOBODY : undefined;
}
