/** Authenticates callers by the Authorization header. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../errors.ts';
import { anAdmin, type Caller } from './caller.ts';

/** The credentials and the address of a request. */
export interface Presented {
  readonly authorization: string | undefined;
  /** The client address. */
  readonly from: string | undefined;
}

/** Throws if the caller is not authenticated. */
export type Authenticate = (presented: Presented) => Promise<Caller>;

/** The caller with this token; undefined: the token is unknown. Throws if the answer is not available at the moment. */
export type Recognise = (token: string, from: string | undefined) => Promise<Caller | undefined>;

/** Authentication is off. The name is the one that Unleash uses (docs/unleash-compatibility.md#authentication). */
export const allowAnyone: Authenticate = async ({ from }) => anAdmin({ name: 'unknown', via: 'anonymous', from });

/** The token is the whole header, or the part after `Bearer `. The first recogniser that knows the token decides. */
export function requireToken(
  recognisers: readonly Recognise[],
  countFailure: (from: string | undefined) => void,
): Authenticate {
  return async ({ authorization, from }) => {
    const token = bearerOf(authorization);
    for (const recognise of recognisers) {
      const caller = await recognise(token, from);
      if (caller) return caller;
    }
    countFailure(from);
    throw unauthenticated(WRONG);
  };
}

/** The token in a header, which must not be missing. */
export function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === '') throw unauthenticated(MISSING);
  return tokenIn(authorization);
}

/** The token in a header; it may be empty. */
export function tokenIn(authorization: string): string {
  return authorization.trim().replace(/^bearer\s+/i, '');
}

/** The bootstrap token authenticates an admin. */
export function bootstrapToken(adminToken: string): Recognise {
  return async (token, from) => {
    if (!isToken(token, adminToken)) return undefined;
    return anAdmin({ name: 'bootstrap-token', via: 'bootstrap-token', from });
  };
}

/** Compares digests, which have equal lengths, so that the comparison takes constant time. */
export function isToken(token: string, wanted: string): boolean {
  return timingSafeEqual(digest(token), digest(wanted));
}

const MISSING = 'Your request had no authorization header, so we could not authorize you.';
export const WRONG =
  'The token in the authorization header of your request is not valid, so we could not authorize you.';

export function unauthenticated(why: string): Refusal {
  const message = `You must log in to use Vexil. ${why} Try logging in at /auth/simple/login.`;
  return new Refusal('unauthenticated', message);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
