/** /auth: browsers exchange a token for a session, and end it. */
import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { tokenIn } from '../../access/authentication/authenticate.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import { isKnownError, Refusal } from '../../errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { forbidStoring } from '../server/answer/caching.ts';
import type { ReadBody } from '../server/body/body.ts';
import { type Admission, admitCaller } from '../server/guard/admission.ts';
import { presentedBy } from '../server/guard/presented-by.ts';
import {
  cookieIn,
  isSecurePage,
  noCookie,
  refuseForgery,
  SESSION_COOKIE,
  setCookie,
} from '../server/guard/session-cookie.ts';
import { contextOf } from '../server/request-context.ts';
import { addOidcRoutes, type OidcSignInParts } from './oidc-routes.ts';

export interface SessionRoutesParts extends Admission {
  /** undefined: no caller needs a token. */
  readonly sessions: Sessions | undefined;
  readonly readBody: ReadBody;
  readonly logger: Logger;
  /** undefined: there is no identity provider. */
  readonly oidc: OidcSignInParts | undefined;
}

const signIn = z.strictObject({ token: z.string().trim().min(1) });

export function createSessionRoutes(parts: SessionRoutesParts): Router {
  const { sessions } = parts;
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use('/auth', forbidStoring);
  // Messages of Unleash name this path. Relative, so that it works behind a path prefix.
  router.get('/auth/simple/login', (_request, response) => response.redirect(302, '../../login'));
  router.get('/auth/methods', (_request, response) => {
    const oidc = parts.oidc ? [{ type: 'oidc', issuer: parts.oidc.provider.settings.issuer }] : [];
    response.json({ methods: sessions ? [{ type: 'token' }, ...oidc] : [] });
  });
  if (!sessions) return router;
  if (parts.oidc) addOidcRoutes(router, { ...parts, ...parts.oidc, sessions });
  router.post('/auth/session', (request, response) => startSession({ ...parts, sessions }, request, response));
  router.delete('/auth/session', (request, response) => endSession({ ...parts, sessions }, request, response));
  return router;
}

interface Starting extends SessionRoutesParts {
  readonly sessions: Sessions;
}

async function startSession(parts: Starting, request: Request, response: Response): Promise<void> {
  contextOf(request).route = '/auth/session';
  // A page of another origin could sign its visitor in as somebody else.
  refuseForgery(request);
  const token = await readToken(request, response, parts);
  const presented = { ...presentedBy(request), authorization: token };
  const caller = await admitCaller(parts, response, presented);
  const session = await parts.sessions.start(token);
  response.setHeader(
    'Set-Cookie',
    setCookie(SESSION_COOKIE, session, { isSecure: isSecurePage(request), now: Date.now() }),
  );
  response.json({ name: caller.author.name, endsAt: new Date(session.endsAt).toISOString() });
}

/** Returns where the browser ends the session at the identity provider, if it has one there. */
async function endSession(parts: Starting, request: Request, response: Response): Promise<void> {
  contextOf(request).route = '/auth/session';
  refuseForgery(request);
  const url = await signOutUrlOf(parts, request);
  response.setHeader('Set-Cookie', noCookie(SESSION_COOKIE, isSecurePage(request)));
  if (url) response.json({ signOutUrl: url.href });
  else response.status(204).end();
}

/** The URL at which the browser signs out at the provider. The session of Vexil ends in any case. */
async function signOutUrlOf({ sessions, oidc, logger }: Starting, request: Request): Promise<URL | undefined> {
  const cookie = cookieIn(request, SESSION_COOKIE);
  if (!oidc || cookie === undefined) return undefined;
  try {
    const credentials = await sessions.credentialsIn(cookie);
    return credentials && 'user' in credentials ? await oidc.provider.signOutUrl() : undefined;
  } catch (error) {
    if (!isKnownError(error)) throw error;
    logger.warn(
      { code: error.code, reason: error.message },
      'authentication: sign-out at the identity provider failed',
    );
    return undefined;
  }
}

/** Reads the token. A refusal never shows the value. */
async function readToken(request: Request, response: Response, { readBody }: Starting): Promise<string> {
  const { success, data } = signIn.safeParse(await readBody(request, response, false));
  if (success) return tokenIn(data.token);
  throw new Refusal('invalid', 'The body must be an object with the one property "token", which is not empty.');
}
