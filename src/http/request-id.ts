/** The id under which a request is found in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { looksLikeToken } from './redacted-path.ts';

const FORM = /^[\w.:-]{1,128}$/;

/** The caller's own, or a new one. It goes into the log, so a token in its place must not be one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && FORM.test(given) && !looksLikeToken(given) ? given : randomUUID();
}
