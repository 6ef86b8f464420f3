/** The Express application of the edge: the endpoints of SDKs, probes and metrics. */
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { Refusal } from '../errors.ts';
import { GOOD_AT_HEADER, goodAtText } from '../wire/client/for-edges.ts';
import { type BaseParts, createBaseApp } from './server/base-app.ts';
import type { ConnectionLimit } from './server/socket/connection-limit.ts';

export interface EdgeAppParts extends Pick<BaseParts, 'trustedProxies' | 'logger' | 'observe'> {
  /** A path in front of all endpoints; empty: none. */
  readonly basePath: string;
  /** Serves SDKs. */
  readonly clientApi: RequestHandler;
  readonly readiness: () => Readiness;
  /** Whether the tags of flags are known. */
  readonly knowsTags: () => boolean;
  /** Whether a connection is beyond the limit of connections. */
  readonly isBeyond: ConnectionLimit['isBeyond'];
  /** The page of metrics. */
  readonly metrics: () => Promise<{ readonly type: string; readonly body: string }>;
  /** When the flags were last known to be those of the upstream, in ms since 1970; undefined: not yet. */
  readonly goodAt: () => number | undefined;
}

export interface Readiness {
  readonly isReady: boolean;
  /** Why not; empty if it is. */
  readonly reasons: readonly string[];
}

export function createEdgeApp(parts: EdgeAppParts): Express {
  return createBaseApp({
    ...parts,
    localOnly: false,
    errorFor: (thrown) => thrown,
    mount(app) {
      mountProbes(app, parts);
      const steps = [renameProxy, refuseBeyond(parts), sayAge(parts), refuseTags(parts)];
      app.use(parts.basePath || '/', ...steps, parts.clientApi);
    },
  });
}

/** Under the names of Unleash Edge, and those that other programs use. */
function mountProbes(app: Express, { basePath, metrics, readiness }: EdgeAppParts): void {
  const alive = (_request: Request, response: Response) => void response.json({ status: 'OK' });
  const ready = (_request: Request, response: Response) => {
    const { isReady, reasons } = readiness();
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'READY' : 'NOT_READY', reasons });
  };
  const page = async (_request: Request, response: Response) => {
    const { type, body } = await metrics();
    response.type(type).send(body);
  };
  for (const base of new Set(['', basePath])) {
    app.get([`${base}/internal-backstage/health`, `${base}/health`], alive);
    app.get([`${base}/internal-backstage/ready`, `${base}/ready`], ready);
    app.get([`${base}/internal-backstage/metrics`, `${base}/internal-backstage/prometheus`], page);
  }
}

/** Applications that were made for Unleash Edge, and cannot all be replaced, may have the former name of the path. */
function renameProxy(request: Request, _response: Response, next: NextFunction): void {
  request.url = request.url.replace(/^\/api\/proxy(?=[/?]|$)/, '/api/frontend');
  next();
}

/** Unleash does not say the tags of flags: an answer without any flag would switch everything off. */
function refuseTags({ knowsTags }: EdgeAppParts) {
  return ({ query }: Request, _response: Response, next: NextFunction): void => {
    if (query['tag'] === undefined || knowsTags()) next();
    else throw new Refusal('invalid', 'The upstream of this edge does not say the tags of flags: leave out `tag`.');
  };
}

/** Clients that are refused together do not come back together. */
const MAX_RETRY_AFTER_SECONDS = 30;

/** Probes and metrics are answered: a busy program is not a broken one. */
function refuseBeyond({ isBeyond }: EdgeAppParts) {
  let refused = 0;
  return ({ socket }: Request, response: Response, next: NextFunction): void => {
    if (!isBeyond(socket)) {
      next();
      return;
    }
    refused += 1;
    response.setHeader('Connection', 'close');
    const message = 'Too many connections are open, and none of them is closed for a new one. Try again later.';
    throw new Refusal('unavailable', message, { retryAfterSeconds: 1 + (refused % MAX_RETRY_AFTER_SECONDS) });
  };
}

function sayAge({ goodAt }: EdgeAppParts) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    const time = goodAt();
    if (time !== undefined) response.setHeader(GOOD_AT_HEADER, goodAtText(time));
    next();
  };
}
