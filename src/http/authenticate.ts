/** Lets in who may call, by the Authorization header. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** Throws for whom it does not let in. */
export type Authenticate = (authorization: string | undefined) => void;

/** Nobody has to say who they are. */
export const allowAnyone: Authenticate = () => undefined;

/** The token is the whole header, or what follows `Bearer `. Without a configured token nobody gets in. */
export function requireToken(adminToken: string | undefined): Authenticate {
  const wanted = adminToken === undefined ? undefined : digest(adminToken);
  return (authorization) => {
    if (authorization === undefined || authorization.trim() === '') throw unauthenticated(MISSING);
    const token = authorization.trim().replace(/^bearer\s+/i, '');
    if (!wanted || !timingSafeEqual(digest(token), wanted)) throw unauthenticated(WRONG);
  };
}

const MISSING = 'Your request had no authorization header, so we could not authorize you.';
const WRONG = 'The token in the authorization header of your request is not valid, so we could not authorize you.';

function unauthenticated(why: string): AppError {
  const message = `You must log in to use Vexil. ${why} Try logging in at /auth/simple/login.`;
  return new AppError('unauthenticated', message);
}

/** Digests have one length, so that comparing takes the same time whatever was sent. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
