/** The Express application that each program starts from: the steps of a request before and after its endpoint. */
import { parse as parseQuery } from 'node:querystring';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { isClusterError, isKnownError, Refusal } from '../../errors.ts';
import { quoteValue } from '../../model/invalid-input.ts';
import { redactedPath } from '../../model/redacted-path.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { CACHE_CONTROL } from './answer/caching.ts';
import { type ErrorMembers, presentError, wireErrors } from './answer/errors.ts';
import { isOfGone } from './gone-signal.ts';
import { normaliseForwarded } from './guard/forwarded-for.ts';
import { refuseForeignPages } from './guard/local-only.ts';
import { contextOf, type HttpExchange, openContext, requestIdOf } from './request-context.ts';
import { isRead } from './request-deadline.ts';

export interface BaseParts {
  /** Serve callers on this machine only. */
  readonly localOnly: boolean;
  /** The number of proxies in front of the API, or their addresses. */
  readonly trustedProxies: number | readonly string[];
  readonly logger: Logger;
  readonly observe: (answered: AnsweredRequest) => void;
  /** The error that the caller gets if an endpoint throws this one. */
  readonly errorFor: (thrown: unknown) => unknown;
  /** More members of the bodies of errors; absent: none. */
  readonly errorMembers?: ErrorMembers;
  /** Adds the endpoints. */
  readonly mount: (app: Express) => void;
}

/** An answered request, for metrics: the route is a template, so that there are few values. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export function createBaseApp(parts: BaseParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', parts.trustedProxies);
  // Reads all parameters, as the length of a path is limited: one that the parser leaves out could be `dryRun`.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.use(afterEarlierAnswers, collapseSlashes, normaliseForwarded, identify(parts), refuseAmbiguous);
  if (parts.localOnly) app.use(refuseForeignPages);
  parts.mount(app);
  app.use((request: Request) => {
    throw new Refusal(
      'not-found',
      `The path you were looking for (${quoteValue(redactedPath(request.path))}) is not available.`,
    );
  });
  app.use(answerErrors(parts));
  return app;
}

/** Of several requests that a connection sends at once, only the one whose answer can be sent does work. */
function afterEarlierAnswers(_request: Request, response: Response, next: NextFunction): void {
  if (response.socket) next();
  else response.once('socket', () => next());
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

function identify(parts: BaseParts) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const requestId = requestIdOf(request);
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    openContext(request, { requestId });
    reportWhenDone(parts, request, response);
    next();
  };
}

/** As nginx logs it: the caller disconnected before its answer was sent. */
const GONE_BEFORE_ANSWER = 499;

/** The status of a response that is closed. */
export function statusOf(request: Request, response: Response): number {
  const isAnswered = response.writableFinished || contextOf(request).beganAt !== undefined;
  return isAnswered ? response.statusCode : GONE_BEFORE_ANSWER;
}

function reportWhenDone({ logger, observe }: BaseParts, request: Request, response: Response): void {
  const { method, path } = request;
  const startedAt = performance.now();
  // Not `finish`: a caller that has gone gets no answer, and its change may have been written.
  response.once('close', () => {
    const { requestId, route = 'none', isRoutine, beganAt } = contextOf(request);
    const status = statusOf(request, response);
    observe({ method, route, status, seconds: ((beganAt ?? performance.now()) - startedAt) / 1000 });
    if (!isRead(request)) {
      logger[isRoutine ? 'debug' : 'info'](
        { requestId, method, path: redactedPath(path), status },
        'http: request answered',
      );
    }
  });
}

function answerErrors(parts: BaseParts) {
  // biome-ignore lint/complexity/useMaxParams: Express knows what answers errors by its four parameters
  return (thrown: unknown, request: Request, response: Response, _next: NextFunction): void => {
    if (!isOfGone(response, thrown)) answerError(parts, thrown, { request, response });
  };
}

function answerError(parts: BaseParts, thrown: unknown, { request, response }: HttpExchange): void {
  const { requestId, route, errorMembers } = contextOf(request);
  const known = route === undefined ? thrown : parts.errorFor(thrown);
  // Express reports this when a path parameter cannot be decoded.
  const isBadPath = known instanceof URIError;
  const error = isBadPath ? new Refusal('invalid', 'The path is not valid percent-encoded UTF-8.') : known;
  if (response.headersSent) {
    logFailure(parts.logger, { requestId, error });
    // Closes the connection, so that the caller does not take the part for the whole.
    response.destroy();
    return;
  }
  const membersOf = [parts.errorMembers, errorMembers].filter((members) => members !== undefined);
  const { status, id, retryAfterSeconds, body } = presentError(error, ...membersOf);
  if (status >= 500) logFailure(parts.logger, { requestId, errorId: id, error });
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
  response.setHeader('Cache-Control', CACHE_CONTROL).status(status).json(body);
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
