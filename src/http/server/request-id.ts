/** The id of a request in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { looksLikeToken } from '../../model/redacted-path.ts';

const FORM = /^[\w.:-]{1,128}$/;

/** The id that the caller sent, or a new one. A value that looks like a token is replaced, as the id is logged. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && FORM.test(given) && !looksLikeToken(given) ? given : randomUUID();
}
