/** Authenticates callers by the Authorization header. */
import { hash, timingSafeEqual } from 'node:crypto';
import { isRefusal, Refusal } from '../../errors.ts';
import { anAdmin, type Caller } from '../caller.ts';
import type { OidcUser } from './oidc-user.ts';

/** The credentials and the address of a request. */
export interface Presented {
  readonly authorization: string | undefined;
  /** The client address. */
  readonly from: string | undefined;
  /** The user whom the identity provider has authenticated, for a request of a session, which has no header. */
  readonly user?: OidcUser | undefined;
  /** The request comes from the console. */
  readonly isFromConsole?: boolean;
}

/** Throws if the caller is not authenticated. */
export type Authenticate = (presented: Presented) => Promise<Caller>;

/** A token with its SHA-256, which is computed once for all who look it up. */
export interface PresentedToken {
  readonly value: string;
  readonly sha256: string;
}

/** The caller with this token; undefined: the token is unknown. Throws if the answer is not available at the moment. */
export type Recognise = (token: PresentedToken, from: string | undefined) => Promise<Caller | undefined>;

/** Authentication is off. The name is the one that Unleash uses (docs/unleash-compatibility.md#authentication). */
export const allowAnyone: Authenticate = async ({ from }) => anAdmin({ name: 'unknown', via: 'anonymous', from });

interface TokenParts {
  readonly recognisers: readonly Recognise[];
  readonly callerOf: (user: OidcUser, from: string | undefined) => Caller;
  readonly countFailure: (from: string | undefined) => void;
}

/** The token is the whole header, or the part after `Bearer `. The first recogniser that knows the token decides. */
export function requireToken({ recognisers, callerOf, countFailure }: TokenParts): Authenticate {
  const recognised: Recognise = async (token, from) => {
    for (const recognise of recognisers) {
      const caller = await recognise(token, from);
      if (caller) return caller;
    }
    return undefined;
  };
  return async ({ authorization, from, user }) => {
    if (authorization === undefined && user) return callerOf(user, from);
    const value = bearerOf(authorization);
    const caller = await recognised({ value, sha256: hash('sha256', value) }, from).catch((error: unknown) => {
      // A guess counts, whether or not this replica is certain about it.
      if (isRefusal(error, 'doubtful-token')) countFailure(from);
      throw error;
    });
    if (caller) return caller;
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

/** The bootstrap token authenticates an admin. Digests are compared, so that timing reveals nothing about the value. */
export function bootstrapToken(adminToken: string): Recognise {
  const sha256OfAdminToken = hash('sha256', adminToken);
  return async ({ sha256 }, from) => {
    if (sha256 !== sha256OfAdminToken) return undefined;
    return anAdmin({ name: 'bootstrap-token', via: 'bootstrap-token', from });
  };
}

/** Compares digests, which have equal lengths, so that the comparison takes constant time. */
export function matchesToken(wanted: string): (token: string) => boolean {
  const digestOfWanted = digest(wanted);
  return (token) => timingSafeEqual(digest(token), digestOfWanted);
}

const MISSING = 'Your request had no authorization header, so we could not authorize you.';
export const WRONG =
  'The token in the authorization header of your request is not valid, so we could not authorize you.';

export function unauthenticated(why: string): Refusal {
  const message = `You must log in to use Vexil. ${why} Try logging in at /auth/simple/login.`;
  return new Refusal('unauthenticated', message);
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
