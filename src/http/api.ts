/** The admin API as a whole. */
import { hash, randomUUID } from 'node:crypto';
import { apiTokens, type MarkSeen } from '../access/api-tokens.ts';
import {
  type Authenticate,
  allowAnyone,
  bootstrapToken,
  type Recognise,
  requireToken,
} from '../access/authenticate.ts';
import type { CallerWrites } from '../access/caller-writes.ts';
import { createFailedSignIns } from '../access/failed-sign-ins.ts';
import { kubernetesUsers } from '../access/kubernetes-tokens.ts';
import type { OidcProvider } from '../access/oidc-provider.ts';
import type { SessionKeys } from '../access/session-keys.ts';
import { createSessions, type Sessions } from '../access/sessions.ts';
import { servicesFor, type WritableResources } from '../actions/services.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectView } from '../catalog/project-views.ts';
import { type ChangeStreams, createChangeStreams } from '../delivery/change-streams.ts';
import { createEvaluations } from '../delivery/evaluations.ts';
import { followObjects } from '../delivery/follow-objects.ts';
import { createObjectLog } from '../delivery/object-log.ts';
import type { ObserveStreams } from '../delivery/streams.ts';
import type { Reviews } from '../kube/api/reviews.ts';
import { createLimiter } from '../runtime/limiter.ts';
import type { Logger } from '../telemetry/logger.ts';
import { FLUSHES_PER_REFRESH } from '../usage/store.ts';
import { presentEvidence } from '../wire/admin/project.ts';
import { type ClientApiParts, createClientApi } from './client-api.ts';
import type { OidcSignInParts } from './console/oidc-routes.ts';
import { createConsole } from './console/serve-console.ts';
import { createDocs } from './pages/docs-page.ts';
import { createFlagUsages } from './pages/flag-usage.ts';
import { readableHistory } from './pages/readable-history.ts';
import { createPages, type Pages } from './pages/response-cache.ts';
import { describeApi } from './route/openapi/describe-api.ts';
import { needOf, type SharedRouteServices } from './route/route.ts';
import { routes, sections } from './routes/all.ts';
import type { Arrivals } from './server/arrivals.ts';
import { requireConnected, requireReady } from './server/availability.ts';
import { bodyReader } from './server/body.ts';
import { createEncoder } from './server/encodings.ts';
import { createListener, type Listener } from './server/listen.ts';
import { limitRate } from './server/rate-limit.ts';
import type { TlsFiles, TlsNotice } from './server/tls.ts';
import { type UploadLimits, uploadReader } from './server/upload.ts';
import { type AnsweredRequest, createServer } from './server.ts';

export interface ApiParts
  extends Pick<
      SharedRouteServices,
      | 'secrets'
      | 'history'
      | 'usage'
      | 'watchNamespaces'
      | 'home'
      | 'contextFields'
      | 'publicUrl'
      | 'version'
      | 'ending'
      | 'timings'
      | 'publishNews'
    >,
    Pick<
      ClientApiParts,
      | 'sdkRequestsPerMinute'
      | 'sdkStreamLimit'
      | 'sdkStreamsPerToken'
      | 'sdkStreamsPerAddress'
      | 'frontendOrigins'
      | 'observeSdks'
      | 'reports'
      | 'clock'
    >,
    UploadLimits {
  readonly catalog: Catalog;
  readonly resources: WritableResources;
  readonly isReady: () => boolean;
  /** Whether a watch has failed, so that the caches may lack newer objects. */
  readonly isCutOff: () => boolean;
  readonly logger: Logger;
  readonly observe: (answered: AnsweredRequest) => void;
  /** How many streams of `GET /changes` may be open. */
  readonly changeStreamLimit: number;
  readonly observeChangeStreams: ObserveStreams;
  /** `none`: everyone may do everything. */
  readonly auth: 'token' | 'none';
  readonly adminToken: string | undefined;
  readonly environmentPermissions: boolean;
  readonly reviews: Reviews;
  /** undefined: there is no console, and there are no sessions. */
  readonly console: { readonly keys: SessionKeys; readonly oidc: OidcProvider | undefined } | undefined;
  readonly arrivals: Arrivals;
  readonly callerWrites: CallerWrites;
  readonly markSeen: MarkSeen;
  readonly host: string | undefined;
  readonly port: number;
  /** undefined: http. */
  readonly tls: TlsFiles | undefined;
  readonly observeTls: (notice: TlsNotice) => void;
  /** The limit of one caller; undefined: unlimited. */
  readonly requestsPerMinute: number | undefined;
  readonly bodyLimitBytes: number;
  /** Serve callers on this machine only. */
  readonly localOnly: boolean;
  /** The number of proxies in front of the API, or their addresses. */
  readonly trustedProxies: number | readonly string[];
}

/** An import takes much memory. The body of a waiting import is not read. */
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
  const { catalog, secrets } = parts;
  const { environmentPermissions, watchNamespaces, home, version, ending, timings, logger } = parts;
  const { publicUrl, contextFields } = parts;
  const severalNamespaces = watchNamespaces === '*' || watchNamespaces.length > 1;
  const places = { home, severalNamespaces, watchNamespaces, publicUrl, version };
  const known = {
    ...places,
    contextFields,
    environmentPermissions,
    catalog,
    secrets,
    ending,
    timings,
    logger,
    history: readableHistory(parts.history),
    usage: parts.usage,
    evaluations: createEvaluations(catalog, Math.random),
  };
  const services: SharedRouteServices = {
    ...known,
    pages: pagesOf(parts),
    changes: changeStreamsOf(parts),
    needs: routes.map(needOf),
    publishNews: parts.publishNews,
    newId: randomUUID,
    now: Date.now,
  };
  const readBody = bodyReader(parts.bodyLimitBytes);
  const readUpload = uploadReader(parts);
  const docs = createDocs(() => describeApi(sections, version));
  const countFailure = createFailedSignIns({ logger, now: () => performance.now() });
  const authenticate = authenticateBy(parts, countFailure);
  const sessions = sessionsOf(parts);
  const rateLimit = limitRate(parts.requestsPerMinute);
  const answer = createServer({
    ...parts,
    routes,
    known: services,
    servicesFor: servicesFor(services, parts.resources),
    authenticate,
    sessions,
    rateLimit,
    readBody,
    readUpload,
    importLimiter: createLimiter(IMPORT_LIMITS),
    encode: createEncoder(),
    clientApi: createClientApi({ ...parts, evaluations: known.evaluations, countFailure }),
    docs,
    console: parts.console
      ? createConsole({ authenticate, sessions, rateLimit, readBody, logger, oidc: oidcOf(parts.console) })
      : [],
  });
  const tls = parts.tls && { files: parts.tls, observe: parts.observeTls };
  return createListener({ ...parts, answer, tls });
}

/** Without authentication there are no sessions. */
function sessionsOf({ auth, console, catalog }: ApiParts): Sessions | undefined {
  if (auth === 'none' || !console) return undefined;
  const { keys, oidc } = console;
  const provider = oidc && hash('sha256', JSON.stringify({ ...oidc.settings, clientSecret: undefined }));
  return createSessions({ keys, catalog, provider, now: Date.now });
}

/** Anyone may begin to sign in, so sign-ins are limited. */
const SIGN_IN_LIMITS = {
  concurrency: 16,
  maxWaiting: 256,
  maxWaitMs: 10_000,
  refusal: { message: 'Too many users sign in at the moment. Try again soon.', retryAfterSeconds: 10 },
};

function oidcOf({ keys, oidc }: NonNullable<ApiParts['console']>): OidcSignInParts | undefined {
  return oidc && { provider: oidc, keys, limiter: createLimiter(SIGN_IN_LIMITS) };
}

/** Changes of objects as callers may read them. */
function changeStreamsOf({ logger, timings, ...parts }: ApiParts): ChangeStreams {
  const log = createObjectLog(randomUUID().slice(0, 8));
  followObjects(log, parts.resources);
  return createChangeStreams({
    ...parts,
    log,
    limit: parts.changeStreamLimit,
    observe: parts.observeChangeStreams,
    keepAliveMs: timings.streamKeepAliveMs,
    onFault: (error) => logger.error({ error }, 'change streams: cannot send change'),
  });
}

function pagesOf({
  catalog,
  resources: {
    flags: { ownersAt },
  },
  usage: { reader, advice },
  timings,
}: ApiParts): Pages {
  const evidenceIn = ({ flags }: ProjectView) =>
    presentEvidence(flags.flatMap((flag) => advice.findingOf(flag)?.reason ?? []));
  return createPages({
    catalog,
    ownersAt,
    usages: createFlagUsages({ reader, advice }),
    usageAgeMs: FLUSHES_PER_REFRESH * timings.usageFlushMs,
    evidenceIn,
    now: Date.now,
  });
}

function authenticateBy(parts: ApiParts, countFailure: (from: string | undefined) => void): Authenticate {
  const { auth, adminToken, catalog, markSeen, reviews, timings, isReady, isCutOff } = parts;
  if (auth === 'none') return allowAnyone;
  const users = kubernetesUsers(reviews, timings.accessCacheMs);
  const recognisers: Recognise[] = [
    ...(adminToken === undefined ? [] : [bootstrapToken(adminToken)]),
    // A token that is not known before the caches are full may still be valid.
    async () => requireReady(isReady),
    apiTokens(catalog, markSeen),
    users.recognise,
    async () => requireConnected(isCutOff),
  ];
  return requireToken({ recognisers, callerOf: users.callerOf, countFailure });
}
