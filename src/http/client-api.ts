/** The API for SDKs. */
import { randomUUID } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import type { AuthenticateSdk } from '../access/authentication/sdk-callers.ts';
import type { Config } from '../config/load-config.ts';
import { createAnswers } from '../delivery/answers.ts';
import type { Evaluations } from '../delivery/evaluations.ts';
import { createFeeds } from '../delivery/feeds.ts';
import type { FlagOrigin } from '../delivery/flag-origin.ts';
import { createNotices } from '../delivery/notices.ts';
import { createSnapshots } from '../delivery/snapshots.ts';
import { createStreams } from '../delivery/streams.ts';
import type { Clock } from '../model/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Reports } from '../usage/reports.ts';
import { ofrepMembersFor } from '../wire/ofrep/error.ts';
import { createClientPages } from './pages/client-pages.ts';
import { type ClientServices, isPublic, methodsOf, type ObserveSdks } from './route/client-route.ts';
import { serveClientRoute } from './route/serve-client-route.ts';
import { clientRoutes } from './routes/client/all.ts';
import { createEncoder } from './server/answer/encodings.ts';
import { bodyReader } from './server/body/body.ts';
import { crossOrigin } from './server/guard/cross-origin.ts';
import { limitRate } from './server/guard/rate-limit.ts';
import { contextOf } from './server/request-context.ts';

export interface ClientApiParts {
  readonly http: SdkLimits;
  /** The interval of comments in streams. */
  readonly streamKeepAliveMs: number;
  readonly authenticate: AuthenticateSdk;
  readonly knownTokens: ClientServices['knownTokens'];
  readonly flags: FlagOrigin;
  readonly evaluations: Evaluations;
  readonly reports: Reports;
  readonly goodAt?: ClientServices['goodAt'];
  readonly clock: Clock;
  /** Aborts when this replica stops. */
  readonly ending: AbortSignal;
  readonly logger: Logger;
  readonly observe: ObserveSdks;
}

/** The settings of the operator that limit SDKs. */
type SdkLimits = Pick<
  Config['http'],
  'sdkRequestsPerMinute' | 'sdkStreamLimit' | 'sdkStreamsPerToken' | 'sdkStreamsPerAddress' | 'frontendOrigins'
>;

/** SDKs report every flag that they know, so reports are larger than what a person sends. */
const REPORT_LIMIT_BYTES = 1024 * 1024;
/** A reader that takes nothing for this number of comment intervals is disconnected. */
const STALLED_INTERVALS = 1.5;
const CONTEXT_LIMIT_BYTES = 64 * 1024;

export function createClientApi(parts: ClientApiParts): RequestHandler {
  const { http } = parts;
  const serving = {
    services: {
      ...deliveryOf(parts),
      answers: createAnswers(parts.evaluations, Date.now),
      newSessionId: randomUUID,
      knownTokens: parts.knownTokens,
      observe: parts.observe,
      reports: parts.reports,
      goodAt: parts.goodAt,
    },
    authenticate: parts.authenticate,
    rateLimit: limitRate(http.sdkRequestsPerMinute),
    readBody: bodyReader(REPORT_LIMIT_BYTES),
    readContext: bodyReader(CONTEXT_LIMIT_BYTES),
    crossOrigin: crossOrigin(http.frontendOrigins),
    encode: createEncoder(),
  };
  const router = express.Router({ caseSensitive: true });
  // Runs before parameters are read, so that the error for a path that cannot be decoded has the form of OFREP too.
  router.post(/^\/ofrep\/v1\/evaluate\/flags/, (request, _response, next) => {
    contextOf(request).errorMembers = ofrepMembersFor(undefined);
    next();
  });
  for (const route of clientRoutes) {
    router[route.method](route.path, serveClientRoute(route, serving));
  }
  const ownPages = crossOrigin([]);
  for (const [path, routes] of Map.groupBy(clientRoutes, (route) => route.path)) {
    const { answerOptions } = routes.some(isPublic) ? serving.crossOrigin : ownPages;
    router.options(path, answerOptions(path, routes.flatMap(methodsOf)));
  }
  return router;
}

/** What SDKs read: everything, and the changes. */
function deliveryOf({ http, streamKeepAliveMs, flags, clock, ending, logger, observe }: ClientApiParts) {
  const snapshots = createSnapshots(flags);
  const idPrefix = randomUUID().slice(0, 8);
  const feeds = createFeeds({
    ...{ origin: flags, snapshots, idPrefix },
    onFault: (error, flag) => logger.error({ error, flag }, 'sdk deltas: cannot read flag, its changes are missing'),
  });
  const streams = createStreams({
    clock,
    limit: http.sdkStreamLimit,
    holders: {
      changes: { limit: http.sdkStreamsPerToken, what: 'a token' },
      notices: { limit: http.sdkStreamsPerAddress, what: 'an address' },
    },
    keepAliveMs: streamKeepAliveMs,
    onTouched: flags.onTouched,
    observe: observe.streams,
    onFault: (error) => logger.error({ error }, 'sdk streams: cannot send change'),
    ending,
  });
  return {
    feeds,
    streams,
    notices: createNotices({ feeds, clock, ending, idPrefix, newId: randomUUID }),
    stalledMs: STALLED_INTERVALS * streamKeepAliveMs,
    pages: createClientPages({ snapshots, feeds, hydrated: () => observe.hydrated('delta') }),
  };
}
