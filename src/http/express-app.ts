/** The Express application: the steps of a request before and after its endpoint. */
import { parse as parseQuery } from 'node:querystring';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Authenticate } from '../access/authentication/authenticate.ts';
import type { Known } from '../access/authorization/requirements.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import type { Calling } from '../actions/services.ts';
import { isClusterError, isKnownError, isRefusal, Refusal } from '../errors.ts';
import { shown } from '../model/invalid-input.ts';
import { redactedPath } from '../model/redacted-path.ts';
import type { CallerWrites } from '../runtime/caller-writes.ts';
import type { Limiter } from '../runtime/limiter.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Route, RouteServices } from './route/route.ts';
import { serveRoute } from './route/serve-route.ts';
import { RETIRED_PATHS, refuseRetired } from './routes/client-metrics.ts';
import { CONTEXT_PATHS, refuseContextWrites } from './routes/context.ts';
import { CACHE_CONTROL, forbidStoring } from './server/answer/caching.ts';
import type { Encode } from './server/answer/encodings.ts';
import { presentError, wireErrors } from './server/answer/errors.ts';
import type { ReadBody } from './server/body/body.ts';
import { admitCaller } from './server/guard/admission.ts';
import { CUT_OFF, requireReady } from './server/guard/availability.ts';
import { normaliseForwarded } from './server/guard/forwarded-for.ts';
import { refuseForeignPages } from './server/guard/local-only.ts';
import { presentedBy, presentedInSession } from './server/guard/presented-by.ts';
import type { RateLimit } from './server/guard/rate-limit.ts';
import { contextOf, openContext, requestIdOf } from './server/request-context.ts';
import { isRead, startDeadline } from './server/request-deadline.ts';
import type { Arrivals } from './server/socket/arrivals.ts';

export interface ServerParts {
  readonly routes: readonly Route[];
  /** The instance state that permissions depend on. */
  readonly known: Known;
  readonly servicesFor: (calling: Calling) => RouteServices;
  readonly arrivals: Arrivals;
  readonly callerWrites: CallerWrites;
  readonly authenticate: Authenticate;
  /** undefined: cookies are ignored. */
  readonly sessions: Sessions | undefined;
  readonly rateLimit: RateLimit;
  readonly readBody: ReadBody;
  /** Reads the body of endpoints that take uploads. */
  readonly readUpload: ReadBody;
  readonly importLimiter: Limiter;
  readonly bodyLimitBytes: number;
  readonly encode: Encode;
  /** Serves SDKs. */
  readonly clientApi: RequestHandler;
  /** Serves the paths below /docs. */
  readonly docs: RequestHandler;
  /** Serves the pages of the console and /auth. */
  readonly console: readonly RequestHandler[];
  /** False until all caches have received their first list. */
  readonly isReady: () => boolean;
  /** Whether a watch has failed, so that the caches may lack newer objects. */
  readonly isCutOff: () => boolean;
  /** Serve callers on this machine only. */
  readonly localOnly: boolean;
  /** The number of proxies in front of the API, or their addresses. */
  readonly trustedProxies: number | readonly string[];
  readonly logger: Logger;
  readonly observe: (answered: AnsweredRequest) => void;
}

/** An answered request, for metrics: the route is a template, so that there are few values. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export function createServer(parts: ServerParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', parts.trustedProxies);
  // Reads all parameters, as the length of a path is limited: one that the parser leaves out could be `dryRun`.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.use(collapseSlashes, normaliseForwarded, identify(parts), refuseAmbiguous);
  if (parts.localOnly) app.use(refuseForeignPages);
  app.get('/health', (_request, response) => {
    response.json({ health: 'GOOD' });
  });
  app.use('/api/admin', forbidStoring, limitInTime(parts), admit(parts), adminRouter(parts));
  app.use(parts.clientApi, parts.docs, ...parts.console);
  app.use((request: Request) => {
    throw new Refusal(
      'not-found',
      `The path you were looking for (${shown(redactedPath(request.path))}) is not available.`,
    );
  });
  app.use(answerErrors(parts));
  return app;
}

function adminRouter(parts: ServerParts): express.Router {
  const router = express.Router({ caseSensitive: true });
  for (const route of parts.routes) router[route.method](route.path, serveRoute(route, parts));
  for (const { method, path } of parts.routes) router.options(path, allow(method));
  router.options('/{*path}', answerAllowed);
  router.all(CONTEXT_PATHS, refuseContextWrites);
  router.all(RETIRED_PATHS, refuseRetired);
  return router;
}

/** Several routes may match one path, so each adds its methods. */
function allow(method: Route['method']): RequestHandler {
  const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
  return (request, _response, next) => {
    const context = contextOf(request);
    context.allowedMethods = [...(context.allowedMethods ?? []), ...methods];
    next();
  };
}

function answerAllowed(request: Request, response: Response, next: NextFunction): void {
  const { allowedMethods } = contextOf(request);
  if (!allowedMethods) next();
  else
    response
      .setHeader('Allow', [...new Set(allowedMethods), 'OPTIONS'].join(', '))
      .status(204)
      .end();
}

/** `//` means `/` (docs/unleash-compatibility.md#requests). */
function collapseSlashes(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('/') && request.url.includes('//')) {
    const [path = '', ...query] = request.url.split('?');
    request.url = [path.replace(/\/{2,}/g, '/'), ...query].join('?');
  }
  next();
}

/**
 * If there are several, a proxy may read a different one than this server (RFC 9112 §3.2), and so see another request
 * or caller.
 */
function refuseAmbiguous({ rawHeaders, httpVersion }: Request, _response: Response, next: NextFunction): void {
  const hosts = countHeaders(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw new Refusal('invalid', `A request needs one Host header. You sent ${hosts}.`);
  }
  const tokens = countHeaders(rawHeaders, 'authorization');
  if (tokens > 1) throw new Refusal('invalid', `A request has at most one Authorization header. You sent ${tokens}.`);
  next();
}

function countHeaders(rawHeaders: readonly string[], wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}

function identify(parts: ServerParts) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const requestId = requestIdOf(request);
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    openContext(request, { requestId });
    reportWhenDone(parts, request, response);
    next();
  };
}

function limitInTime({ arrivals, callerWrites }: ServerParts): RequestHandler {
  return (request, _response, next) => {
    contextOf(request).deadline = startDeadline(request, arrivals, callerWrites);
    next();
  };
}

/** As nginx logs it: the caller disconnected before its answer was sent. */
const GONE_BEFORE_ANSWER = 499;

function reportWhenDone({ logger, observe }: ServerParts, request: Request, response: Response): void {
  const { method, path } = request;
  const startedAt = performance.now();
  // Not `finish`: a caller that has gone gets no answer, and its change may have been written.
  response.once('close', () => {
    const { requestId, route = 'none', isRoutine, beganAt } = contextOf(request);
    const isAnswered = response.writableFinished || beganAt !== undefined;
    const status = isAnswered ? response.statusCode : GONE_BEFORE_ANSWER;
    observe({ method, route, status, seconds: ((beganAt ?? performance.now()) - startedAt) / 1000 });
    if (!isRead(request)) {
      logger[isRoutine ? 'debug' : 'info'](
        { requestId, method, path: redactedPath(path), status },
        'http: request answered',
      );
    }
  });
}

/** Authentication comes first, also before the body is read. */
function admit(parts: ServerParts) {
  const { sessions, isReady } = parts;
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    // Called again for each check of a stream: the session or its token may have ended.
    const present = async () => (sessions ? presentedInSession(request, sessions) : presentedBy(request));
    const context = contextOf(request);
    context.caller = await admitCaller(parts, response, await present());
    context.reauthenticate = async () => parts.authenticate(await present());
    requireReady(isReady);
    next();
  };
}

/**
 * An object that is missing from the cache of a replica that is cut off may have been created since; an answer of the
 * API server remains valid.
 */
function unlessCutOff(error: unknown, { isCutOff }: ServerParts): unknown {
  if (!isRefusal(error, 'not-found') || !isCutOff()) return error;
  const message = `${CUT_OFF} It may not know what was created since. Try again. (${error.message})`;
  return new Refusal('unavailable', message, { cause: error });
}

function answerErrors(parts: ServerParts) {
  // biome-ignore lint/complexity/useMaxParams: Express knows what answers errors by its four parameters
  return (thrown: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const { requestId, route, errorMembers } = contextOf(request);
    const known = route === undefined ? thrown : unlessCutOff(thrown, parts);
    const error = isBadPath(known) ? new Refusal('invalid', 'The path is not valid percent-encoded UTF-8.') : known;
    if (response.headersSent) {
      logFailure(parts.logger, { requestId, error });
      // Closes the connection, so that the caller does not take the part for the whole.
      response.destroy();
      return;
    }
    const { status, id, retryAfterSeconds, body } = presentError(error, errorMembers);
    if (status >= 500) logFailure(parts.logger, { requestId, errorId: id, error });
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    response.setHeader('Cache-Control', CACHE_CONTROL).status(status).json(body);
  };
}

interface Failure {
  readonly requestId: string;
  /** Absent if a part of the answer has been sent already. */
  readonly errorId?: string;
  readonly error: unknown;
}

/** An unavailable service is no bug: a stack trace would not help. */
function logFailure(logger: Logger, { error, ...ids }: Failure): void {
  if (isClusterError(error, 'missing-permission')) {
    logger.error({ ...ids, code: error.code, reason: error.message }, 'http: operator lacks a permission');
  } else if (isKnownError(error) && wireErrors[error.code].status === 503) {
    logger.warn({ ...ids, code: error.code, reason: error.message }, 'http: request not served');
  } else if (ids.errorId === undefined) logger.error({ ...ids, error }, 'http: response aborted');
  else logger.error({ ...ids, error }, 'http: request failed');
}

/** Express reports this when a path parameter cannot be decoded. */
function isBadPath(error: unknown): boolean {
  return error instanceof URIError;
}
