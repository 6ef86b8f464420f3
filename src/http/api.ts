/** The admin API as a whole: its pages, its application, its socket. */
import { randomUUID } from 'node:crypto';
import { apiTokens, type MarkSeen } from '../access/api-tokens.ts';
import {
  type Authenticate,
  allowAnyone,
  bootstrapToken,
  type Recognise,
  requireToken,
} from '../access/authenticate.ts';
import { createFailedSignIns } from '../access/failed-sign-ins.ts';
import { kubernetesTokens } from '../access/kubernetes-tokens.ts';
import { type Calling, servicesFor } from '../actions/services.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Reviews } from '../kube/api/reviews.ts';
import { createLimiter } from '../runtime/limiter.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type ClientApiParts, createClientApi } from './client-api.ts';
import { createDocs } from './pages/docs-page.ts';
import { readableHistory } from './pages/readable-history.ts';
import { createPages } from './pages/response-cache.ts';
import { describeApi } from './route/openapi/describe-api.ts';
import type { SharedRouteServices } from './route/route.ts';
import { routes, sections } from './routes/all.ts';
import type { Arrivals } from './server/arrivals.ts';
import { requireConnected, requireReady } from './server/availability.ts';
import { bodyReader } from './server/body.ts';
import { createListener, type Listener } from './server/listen.ts';
import { limitRate } from './server/rate-limit.ts';
import type { TlsFiles, TlsNotice } from './server/tls.ts';
import { uploadReader } from './server/upload.ts';
import { type AnsweredRequest, createServer } from './server.ts';

export interface ApiParts
  extends Pick<
      SharedRouteServices,
      | 'flags'
      | 'projects'
      | 'environments'
      | 'tokens'
      | 'secrets'
      | 'segments'
      | 'history'
      | 'watchNamespaces'
      | 'home'
      | 'contextFields'
      | 'publicUrl'
      | 'version'
      | 'ending'
      | 'timings'
    >,
    Pick<ClientApiParts, 'sdkRequestsPerMinute' | 'sdkStreamLimit' | 'frontendOrigins' | 'observeSdks' | 'clock'> {
  readonly catalog: Catalog;
  readonly strategies: SharedRouteServices['strategyTypes'];
  readonly isReady: () => boolean;
  /** The caches may lack what was created since a watch has failed. */
  readonly isCutOff: () => boolean;
  readonly logger: Logger;
  readonly observe: (answered: AnsweredRequest) => void;
  /** none: everyone may do everything. */
  readonly auth: 'token' | 'none';
  readonly adminToken: string | undefined;
  readonly environmentPermissions: boolean;
  readonly reviews: Reviews;
  readonly arrivals: Arrivals;
  readonly markSeen: MarkSeen;
  readonly host: string | undefined;
  readonly port: number;
  /** undefined: http. */
  readonly tls: TlsFiles | undefined;
  readonly observeTls: (notice: TlsNotice) => void;
  /** Of one caller; undefined: as many as they like. */
  readonly requestsPerMinute: number | undefined;
  readonly bodyLimitBytes: number;
  /** The same of state documents. */
  readonly importLimitBytes: number;
  /** Serve callers on this machine only. */
  readonly localOnly: boolean;
  /** How many proxies stand before the API, or where they are. */
  readonly trustedProxies: number | readonly string[];
}

/** An import takes much memory. The body of one that waits is not read. */
const IMPORT_LIMITS = {
  concurrency: 1,
  maxWaiting: 100,
  maxWaitMs: 10_000,
  refusal: {
    message: 'Another import is under way, and Vexil does one at a time. Send yours again when that has ended.',
    retryAfterSeconds: 10,
  },
};

export function createApi(parts: ApiParts): Listener {
  const { catalog, flags, projects, environments, strategies, tokens, segments, secrets } = parts;
  const { environmentPermissions, watchNamespaces, home, version, ending, timings, logger } = parts;
  const { publicUrl, contextFields } = parts;
  const kinds = { flags, projects, environments, strategyTypes: strategies, tokens, segments };
  const severalNamespaces = watchNamespaces === '*' || watchNamespaces.length > 1;
  const places = { home, severalNamespaces, watchNamespaces, publicUrl, version };
  const known = {
    ...kinds,
    ...places,
    contextFields,
    catalog,
    secrets,
    ending,
    timings,
    logger,
    history: readableHistory(parts.history),
  };
  const services: SharedRouteServices = { ...known, pages: createPages(catalog), newId: randomUUID, now: Date.now };
  const forCaller = (calling: Calling) => servicesFor({ ...services, environmentPermissions }, calling);
  const readBody = bodyReader(parts.bodyLimitBytes);
  const readUpload = uploadReader(parts.importLimitBytes);
  const docs = createDocs(() => describeApi(sections, version));
  const countFailure = createFailedSignIns({ logger, now: () => performance.now() });
  const authenticate = authenticateBy(parts, countFailure);
  const answer = createServer({
    ...parts,
    routes,
    known: services,
    servicesFor: forCaller,
    authenticate,
    rateLimit: limitRate(parts.requestsPerMinute),
    readBody,
    readUpload,
    importLimiter: createLimiter(IMPORT_LIMITS),
    clientApi: createClientApi({ ...parts, countFailure }),
    docs,
  });
  const tls = parts.tls && { files: parts.tls, observe: parts.observeTls };
  return createListener({ ...parts, answer, tls });
}

function authenticateBy(parts: ApiParts, countFailure: (from: string | undefined) => void): Authenticate {
  const { auth, adminToken, catalog, markSeen, reviews, timings, isReady, isCutOff } = parts;
  if (auth === 'none') return allowAnyone;
  const recognisers: Recognise[] = [
    ...(adminToken === undefined ? [] : [bootstrapToken(adminToken)]),
    // A token that is not known before the caches are full may well be good.
    async () => requireReady(isReady),
    apiTokens(catalog, markSeen),
    kubernetesTokens(reviews, timings.accessCacheMs),
    async () => requireConnected(isCutOff),
  ];
  return requireToken(recognisers, countFailure);
}
