/** The API for SDKs: its callers, its pages, its router. */
import { randomUUID } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import type { MarkSeen } from '../access/api-tokens.ts';
import { knownTokens } from '../access/known-tokens.ts';
import { type AuthenticateSdk, anySdk, sdkTokens, unknownYet } from '../access/sdk-callers.ts';
import { tokenDoubt } from '../access/token-doubt.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createAnswers } from '../delivery/answers.ts';
import { createEvaluations } from '../delivery/evaluations.ts';
import { createSnapshots } from '../delivery/snapshots.ts';
import { createClientPages } from './pages/client-pages.ts';
import { isPublic, type ObserveSdks } from './route/client-route.ts';
import { serveClientRoute } from './route/serve-client-route.ts';
import { clientRoutes } from './routes/client/all.ts';
import { requireConnected, requireReady } from './server/availability.ts';
import { bodyReader } from './server/body.ts';
import { type AllowedOrigins, crossOrigin } from './server/cross-origin.ts';
import { createEncoder } from './server/encodings.ts';
import { limitRate } from './server/rate-limit.ts';

export interface ClientApiParts {
  readonly catalog: Catalog;
  /** none: everyone may read the flags of every environment. */
  readonly auth: 'token' | 'none';
  readonly adminToken: string | undefined;
  readonly markSeen: MarkSeen;
  readonly countFailure: (from: string | undefined) => void;
  readonly isReady: () => boolean;
  readonly isCutOff: () => boolean;
  /** Of one token; undefined: as many as they like. */
  readonly sdkRequestsPerMinute: number | undefined;
  /** Whose pages may call what takes frontend tokens. */
  readonly frontendOrigins: AllowedOrigins;
  readonly observeSdks: ObserveSdks;
}

/** SDKs report every flag that they know, so more than a person sends. */
const REPORT_LIMIT_BYTES = 1024 * 1024;
const CONTEXT_LIMIT_BYTES = 64 * 1024;

export function createClientApi(parts: ClientApiParts): RequestHandler {
  const { catalog, observeSdks } = parts;
  const doubt = tokenDoubt({ tokens: catalog.tokens, now: Date.now });
  const requireCertain = {
    ready: () => requireReady(parts.isReady),
    connected: () => requireConnected(parts.isCutOff),
  };
  const requireKnown = (unknown: readonly string[]) => {
    requireCertain.ready();
    if (unknown.length === 0) return;
    requireCertain.connected();
    if (unknown.filter(doubt.mayBeKnownSoon).length > 0) throw unknownYet();
  };
  const authenticate: AuthenticateSdk =
    parts.auth === 'none' ? anySdk(catalog, requireCertain.ready) : sdkTokens({ ...parts, doubt, requireCertain });
  const serving = {
    services: {
      pages: createClientPages(createSnapshots(catalog)),
      answers: createAnswers(createEvaluations(catalog, Math.random), Date.now),
      newSessionId: randomUUID,
      knownTokens: knownTokens(catalog, requireKnown),
      observe: observeSdks,
    },
    authenticate,
    rateLimit: limitRate(parts.sdkRequestsPerMinute),
    readBody: bodyReader(REPORT_LIMIT_BYTES),
    readContext: bodyReader(CONTEXT_LIMIT_BYTES),
    crossOrigin: crossOrigin(parts.frontendOrigins),
    encode: createEncoder(),
  };
  const router = express.Router({ caseSensitive: true });
  for (const route of clientRoutes) {
    router[route.method](route.path, serveClientRoute(route, serving));
    if (isPublic(route)) router.options(route.path, serving.crossOrigin.preflight(route.path));
  }
  return router;
}
