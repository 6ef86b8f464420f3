/** Lets pages of other origins call an endpoint and read its answers (CORS, https://fetch.spec.whatwg.org). */
import type { Request, RequestHandler, Response } from 'express';
import { contextOf } from '../request-context.ts';

/** `*`: all origins. */
export type AllowedOrigins = '*' | readonly string[];

export interface CrossOrigin {
  allow(request: Request, response: Response): void;
  /** Answers the preflight request of a browser, without a token. */
  answerOptions(route: string, methods: readonly string[]): RequestHandler;
}

const ONE_DAY_SECONDS = 86_400;
const EXPOSED = 'ETag, Retry-After, X-Request-Id';
/** Matches a list of header names (RFC 9110 §5.1). The limit is larger than the lists that clients send. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,1000}$/;

export function crossOrigin(allowed: AllowedOrigins): CrossOrigin {
  const originFor = (origin: string | undefined) =>
    allowed === '*' ? '*' : allowed.find((one) => one === origin?.toLowerCase());
  const allow = ({ headers }: Request, response: Response) => {
    if (allowed !== '*') response.appendHeader('Vary', 'Origin');
    const origin = originFor(headers.origin);
    if (origin === undefined) return false;
    response.setHeader('Access-Control-Allow-Origin', origin).setHeader('Access-Control-Expose-Headers', EXPOSED);
    return true;
  };
  return {
    allow,
    answerOptions: (route, methods) => (request, response) => {
      Object.assign(contextOf(request), { route, isRoutine: true });
      if (allow(request, response)) {
        // Applications choose the name of the header that has the token.
        const wanted = request.headers['access-control-request-headers'] ?? '';
        if (HEADER_NAMES.test(wanted)) response.setHeader('Access-Control-Allow-Headers', wanted);
        response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
        response.setHeader('Access-Control-Max-Age', ONE_DAY_SECONDS);
      }
      response.setHeader('Allow', [...methods, 'OPTIONS'].join(', '));
      response.appendHeader('Vary', 'Access-Control-Request-Headers').status(204).end();
    },
  };
}
