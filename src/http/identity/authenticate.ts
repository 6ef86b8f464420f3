/** Says who calls, by the Authorization header. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { anAdmin, type Caller } from './caller.ts';

/** What a request says of its caller. */
export interface Presented {
  readonly authorization: string | undefined;
  /** The address it came from. */
  readonly from: string | undefined;
}

/** Throws for whom it does not let in. */
export type Authenticate = (presented: Presented) => Promise<Caller>;

/** Whose token this is; undefined: it knows nobody by it. Throws when it cannot tell at the moment. */
export type Recognise = (token: string, from: string | undefined) => Promise<Caller | undefined>;

/** Nobody has to say who they are (facts §8: the name is that of real servers). */
export const allowAnyone: Authenticate = async ({ from }) => anAdmin({ name: 'unknown', via: 'anonymous', from });

/** The token is the whole header, or what follows `Bearer `. The first who knows it says whose it is. */
export function requireToken(
  recognisers: readonly Recognise[],
  countFailure: (from: string | undefined) => void,
): Authenticate {
  return async ({ authorization, from }) => {
    if (authorization === undefined || authorization.trim() === '') throw unauthenticated(MISSING);
    const token = tokenIn(authorization);
    for (const recognise of recognisers) {
      const caller = await recognise(token, from);
      if (caller) return caller;
    }
    countFailure(from);
    throw unauthenticated(WRONG);
  };
}

/** The token in a header; it may be empty. */
export function tokenIn(authorization: string): string {
  return authorization.trim().replace(/^bearer\s+/i, '');
}

/** The token of the first steps may do everything. */
export function bootstrapToken(adminToken: string): Recognise {
  const wanted = digest(adminToken);
  return async (token, from) => {
    // Digests have one length, so that comparing takes the same time whatever was sent.
    if (!timingSafeEqual(digest(token), wanted)) return undefined;
    return anAdmin({ name: 'bootstrap-token', via: 'bootstrap-token', from });
  };
}

const MISSING = 'Your request had no authorization header, so we could not authorize you.';
const WRONG = 'The token in the authorization header of your request is not valid, so we could not authorize you.';

function unauthenticated(why: string): AppError {
  const message = `You must log in to use Vexil. ${why} Try logging in at /auth/simple/login.`;
  return new AppError('unauthenticated', message);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
