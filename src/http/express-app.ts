/** The Express application of the operator. */
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { namingChannel } from '../access/caller.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { isRefusal, Refusal } from '../errors.ts';
import type { CallerWrites } from '../runtime/caller-writes.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { methodsOf } from './route/client-route.ts';
import type { Route } from './route/route.ts';
import { type ServeParts, serveRoute } from './route/serve-route.ts';
import { RETIRED_PATHS, refuseRetired } from './routes/client-metrics.ts';
import { refuseUnsupported } from './routes/unsupported.ts';
import { adminErrorMembers } from './server/answer/admin-error-members.ts';
import { forbidStoring } from './server/answer/caching.ts';
import { type BaseParts, createBaseApp, statusOf } from './server/base-app.ts';
import { type Admission, admitCaller } from './server/guard/admission.ts';
import { CUT_OFF, requireReady } from './server/guard/availability.ts';
import { presentedInSession, presentedOpenly } from './server/guard/presented-by.ts';
import { contextOf } from './server/request-context.ts';
import { startDeadline } from './server/request-deadline.ts';
import type { Arrivals } from './server/socket/arrivals.ts';

export interface ServerParts extends Omit<BaseParts, 'errorFor' | 'errorMembers' | 'mount'>, ServeParts, Admission {
  readonly routes: readonly Route[];
  readonly arrivals: Arrivals;
  readonly callerWrites: CallerWrites;
  /** undefined: cookies are ignored. */
  readonly sessions: Sessions | undefined;
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
  readonly tracing: Pick<Tracing, 'request'>;
}

export function createServer(parts: ServerParts): Express {
  return createBaseApp({
    ...parts,
    errorFor: (thrown) => unlessCutOff(thrown, parts),
    errorMembers: adminErrorMembers,
    mount(app) {
      app.get('/health', (_request, response) => {
        response.json({ health: 'GOOD' });
      });
      app.use('/api/admin', inSpan(parts), forbidStoring, limitInTime(parts), admit(parts), adminRouter(parts));
      app.use(parts.clientApi, parts.docs, ...parts.console);
    },
  });
}

function adminRouter(parts: ServerParts): express.Router {
  const router = express.Router({ caseSensitive: true });
  for (const route of parts.routes) router[route.method](route.path, serveRoute(route, parts));
  for (const route of parts.routes) router.options(route.path, allow(methodsOf(route)));
  router.options('/{*path}', answerAllowed);
  refuseUnsupported(router);
  router.all(RETIRED_PATHS, refuseRetired);
  return router;
}

/** Several routes may match one path, so each adds its methods. */
function allow(methods: readonly string[]): RequestHandler {
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

function inSpan({ tracing }: ServerParts): RequestHandler {
  return (request, response, next) => {
    const traceparent = request.headers['traceparent']?.toString();
    const end = tracing.request({ method: request.method, traceparent }, next);
    response.once('close', () => end({ route: contextOf(request).route, status: statusOf(request, response) }));
  };
}

function limitInTime({ arrivals, callerWrites }: ServerParts): RequestHandler {
  return (request, _response, next) => {
    contextOf(request).deadline = startDeadline(request, arrivals, callerWrites);
    next();
  };
}

/** Authentication comes first, also before the body is read. */
function admit(parts: ServerParts) {
  const { sessions, isReady } = parts;
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    // Called again for each check of a stream: the session or its token may have ended.
    const present = async () => (sessions ? presentedInSession(request, sessions) : presentedOpenly(request));
    const context = contextOf(request);
    const presented = await present();
    context.caller = namingChannel(await admitCaller(parts, response, presented), presented);
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
