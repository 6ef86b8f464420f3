/** Authenticates the caller of a request within the rate limits. */
import type { Response } from 'express';
import type { Authenticate, Presented } from '../../../access/authentication/authenticate.ts';
import type { Caller } from '../../../access/caller.ts';
import { isRefusal } from '../../../errors.ts';
import { keyOfCaller, type RateLimit } from './rate-limit.ts';

export interface Admission {
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
}

export async function admitCaller(
  { authenticate, rateLimit }: Admission,
  response: Response,
  presented: Presented,
): Promise<Caller> {
  const caller = await authenticate(presented).catch((error: unknown) => {
    if (isRefusal(error, 'unauthenticated', 'forbidden', 'doubtful-token')) rateLimit.countRefused(response, presented);
    throw error;
  });
  rateLimit.countAdmitted(response, () => keyOfCaller(presented, caller));
  return caller;
}
