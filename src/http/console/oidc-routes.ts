/** /auth/oidc: the sign-in of browsers at the identity provider. */
import type { Request, Response, Router } from 'express';
import {
  MAX_ATTEMPT_MS,
  type OidcProvider,
  type SignInAttempt,
  signInAttempt,
} from '../../access/sessions/oidc-provider.ts';
import { keyIdOf, type Purpose, seal, unseal } from '../../access/sessions/seal.ts';
import type { SessionKeys } from '../../access/sessions/session-keys.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import { isKnownError } from '../../errors.ts';
import type { Limiter } from '../../runtime/limiter.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { goneSignal } from '../server/gone-signal.ts';
import { presentedBy } from '../server/guard/presented-by.ts';
import { addressKey, type RateLimit } from '../server/guard/rate-limit.ts';
import { cookieIn, noCookie, SESSION_COOKIE, SIGN_IN_COOKIE, setCookie } from '../server/guard/session-cookie.ts';
import { contextOf } from '../server/request-context.ts';

export interface OidcSignInParts {
  readonly provider: OidcProvider;
  readonly keys: SessionKeys;
  /** Limits sign-ins: anyone may begin one, and each is a request to the provider. */
  readonly limiter: Limiter;
}

interface OidcRoutesParts extends OidcSignInParts {
  readonly sessions: Sessions;
  readonly rateLimit: RateLimit;
  readonly logger: Logger;
}

const ATTEMPT: Purpose<SignInAttempt> = { name: 'vexil sign-in 1', schema: signInAttempt };
/** Relative, so that it works behind a path prefix. Both paths are two levels deep. */
const ROOT = '../..';
const MAX_NEXT_LENGTH = 500;
/** A path of this site, not `//host`, as browsers write it: `..` could lead out of a path prefix. */
function isPathBelow(next: string): boolean {
  if (next.length > MAX_NEXT_LENGTH || !/^\/(?!\/)/.test(next)) return false;
  const url = URL.parse(next, 'http://vexil');
  return url?.host === 'vexil' && `${url.pathname}${url.search}${url.hash}` === next;
}

export function addOidcRoutes(router: Router, parts: OidcRoutesParts): void {
  const serve = (path: string, work: (parts: OidcRoutesParts, request: Request) => Promise<OidcRedirect>) =>
    router.get(path, async (request: Request, response: Response) => {
      contextOf(request).route = path;
      parts.rateLimit.countAdmitted(response, () => addressKey(presentedBy(request).from));
      const answer = await parts.limiter
        .run(goneSignal(response), () => work(parts, request))
        .catch((error: unknown) => failed(parts, error));
      response.setHeader('Set-Cookie', [...answer.cookies]).redirect(303, answer.location);
    });
  serve('/auth/oidc/login', begin);
  serve('/auth/oidc/callback', finish);
}

interface OidcRedirect {
  readonly cookies: readonly string[];
  readonly location: string;
}

async function begin({ provider, keys }: OidcRoutesParts, { query }: Request): Promise<OidcRedirect> {
  const { next } = query;
  const { url, attempt } = await provider.begin(typeof next === 'string' && isPathBelow(next) ? next : '/');
  const content = { value: seal(await keys.sealing(), ATTEMPT, attempt), endsAt: attempt.endsAt };
  const times = { isSecure: isSecure(provider), now: attempt.endsAt - MAX_ATTEMPT_MS };
  return { cookies: [setCookie(SIGN_IN_COOKIE, content, times)], location: url.href };
}

/** The session has the permissions of the user whom the provider names, and lasts as long as the ID token. */
async function finish({ provider, keys, sessions }: OidcRoutesParts, request: Request): Promise<OidcRedirect> {
  const cookie = cookieIn(request, SIGN_IN_COOKIE);
  const key = cookie === undefined ? undefined : await keys.withId(keyIdOf(cookie));
  const attempt = key && cookie !== undefined ? unseal(key, ATTEMPT, cookie) : undefined;
  const secure = isSecure(provider);
  const done = noCookie(SIGN_IN_COOKIE, secure);
  if (!attempt) return { cookies: [done], location: `${ROOT}/login?failed=attempt` };
  const { user, expiresAt } = await provider.finish(new URL(request.originalUrl, 'http://x').search, attempt);
  const session = await sessions.startAs(user, expiresAt);
  const cookies = [setCookie(SESSION_COOKIE, session, { isSecure: secure, now: Date.now() }), done];
  return { cookies, location: `${ROOT}${attempt.next}` };
}

/** The page shows what to do; the log shows why, without what the provider has sent. */
function failed({ provider, logger }: OidcRoutesParts, error: unknown): OidcRedirect {
  if (!isKnownError(error)) throw error;
  logger.warn({ code: error.code, reason: error.message }, 'authentication: sign-in with OpenID Connect failed');
  const reason = ['unavailable', 'busy'].includes(error.code) ? 'unavailable' : 'refused';
  return { cookies: [noCookie(SIGN_IN_COOKIE, isSecure(provider))], location: `${ROOT}/login?failed=${reason}` };
}

/** Whether browsers use https, according to the redirect URL that the provider knows, whatever proxies do. */
function isSecure({ settings }: OidcProvider): boolean {
  return settings.redirectUrl.startsWith('https:');
}
