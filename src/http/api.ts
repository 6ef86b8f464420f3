/** The admin API as a whole. */
import { hash, randomUUID } from 'node:crypto';
import { apiTokens, type MarkSeen } from '../access/authentication/api-tokens.ts';
import {
  type Authenticate,
  allowAnyone,
  bootstrapToken,
  type Recognise,
  requireToken,
} from '../access/authentication/authenticate.ts';
import { createFailedSignIns } from '../access/authentication/failed-sign-ins.ts';
import { kubernetesUsers } from '../access/authentication/kubernetes-tokens.ts';
import type { OidcProvider } from '../access/sessions/oidc-provider.ts';
import type { SessionKeys } from '../access/sessions/session-keys.ts';
import { createSessions, type Sessions } from '../access/sessions/sessions.ts';
import { servicesFor, type WritableResources } from '../actions/services.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectView } from '../catalog/project-views.ts';
import type { Config } from '../config/load-config.ts';
import { createCatalogOrigin } from '../delivery/catalog-origin.ts';
import { type ChangeStreams, createChangeStreams } from '../delivery/change-streams.ts';
import { createEvaluations, type Evaluations } from '../delivery/evaluations.ts';
import { followObjects } from '../delivery/follow-objects.ts';
import { createObjectLog } from '../delivery/object-log.ts';
import type { ObserveStreams } from '../delivery/streams.ts';
import type { Reviews } from '../kube/api/reviews.ts';
import type { Clock } from '../model/clock.ts';
import type { CallerWrites } from '../runtime/caller-writes.ts';
import { createLimiter } from '../runtime/limiter.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Reports } from '../usage/reports.ts';
import { FLUSHES_PER_REFRESH } from '../usage/store.ts';
import { presentEvidence } from '../wire/admin/project/project.ts';
import { createClientApi } from './client-api.ts';
import type { OidcSignInParts } from './console/oidc-routes.ts';
import { createConsole } from './console/serve-console.ts';
import { createServer } from './express-app.ts';
import { createDocs } from './pages/docs-page.ts';
import { createFlagUsages } from './pages/flag-usage.ts';
import { createTimeTravel, type TimeTravel, type TimeTravelParts } from './pages/past.ts';
import { readableHistory } from './pages/readable-history.ts';
import { createRecorded, type RecordedParts } from './pages/recorded.ts';
import { createPages, type Pages } from './pages/response-cache.ts';
import type { ObserveSdks } from './route/client-route.ts';
import { describeApi } from './route/openapi/describe-api.ts';
import { needOf, type SharedRouteServices } from './route/route.ts';
import { routes, sections } from './routes/all.ts';
import { sdkAccess } from './sdk-access.ts';
import { createEncoder } from './server/answer/encodings.ts';
import type { AnsweredRequest } from './server/base-app.ts';
import { bodyReader } from './server/body/body.ts';
import type { Memory } from './server/body/memory-left.ts';
import { uploadReader } from './server/body/upload.ts';
import { requireConnected, requireReady } from './server/guard/availability.ts';
import { limitRate } from './server/guard/rate-limit.ts';
import type { Arrivals } from './server/socket/arrivals.ts';
import { createListener, type Listener } from './server/socket/listen.ts';
import type { TlsNotice } from './server/socket/tls.ts';

export interface ApiParts {
  readonly config: Config;
  /** The version of Vexil. */
  readonly version: string;
  readonly resources: WritableResources;
  readonly catalog: Catalog;
  readonly history: SharedRouteServices['history'];
  readonly forgetting: SharedRouteServices['forgetting'];
  readonly past: Pick<TimeTravelParts, 'archive' | 'makeCatalog'> & Pick<RecordedParts, 'places'>;
  readonly usage: SharedRouteServices['usage'];
  readonly sinks: SharedRouteServices['sinks'];
  readonly reports: Reports;
  readonly secrets: SharedRouteServices['secrets'];
  readonly publishEvent: SharedRouteServices['publishEvent'];
  readonly reviews: Reviews;
  readonly markSeen: MarkSeen;
  /** undefined: there is no console, and there are no sessions. */
  readonly console: { readonly keys: SessionKeys; readonly oidc: OidcProvider | undefined } | undefined;
  readonly isReady: () => boolean;
  /** Whether a watch has failed, so that the caches may lack newer objects. */
  readonly isCutOff: () => boolean;
  readonly arrivals: Arrivals;
  readonly callerWrites: CallerWrites;
  readonly memory: () => Memory;
  readonly clock: Clock;
  /** Aborts when this replica stops. */
  readonly ending: AbortSignal;
  readonly logger: Logger;
  readonly tracing: Pick<Tracing, 'request' | 'current'>;
  readonly observe: {
    readonly requests: (answered: AnsweredRequest) => void;
    readonly sdks: ObserveSdks;
    readonly changeStreams: ObserveStreams;
    readonly tls: (notice: TlsNotice) => void;
  };
}

/** A past state has all objects of its time, apart from the present ones. */
const PAST_LIMITS = {
  concurrency: 2,
  maxWaiting: 100,
  maxWaitMs: 10_000,
  refusal: {
    message: 'Other requests for past times are under way, and Vexil answers two at a time. Ask again.',
    retryAfterSeconds: 10,
  },
};

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
  const { config, version, catalog, isReady, isCutOff, logger, observe } = parts;
  const { http } = config;
  const flags = createCatalogOrigin(catalog);
  const evaluations = createEvaluations(flags, Math.random);
  const services = sharedServices(parts, evaluations);
  const readBody = bodyReader(http.bodyLimitBytes);
  const countFailure = createFailedSignIns({ logger, now: () => performance.now() });
  const authenticate = authenticateBy(parts, countFailure);
  const sessions = sessionsOf(parts);
  const rateLimit = limitRate(http.requestsPerMinute);
  const { arrivals, callerWrites, secrets, markSeen, reports, clock, ending, tracing } = parts;
  const answer = createServer({
    routes,
    tracing,
    known: services,
    servicesFor: servicesFor(services, parts.resources),
    ...{ arrivals, callerWrites, authenticate, sessions, rateLimit, readBody },
    readUpload: uploadReader({ importLimitBytes: http.importLimitBytes, memory: parts.memory }),
    importLimiter: createLimiter(IMPORT_LIMITS),
    pastLimiter: createLimiter(PAST_LIMITS),
    bodyLimitBytes: http.bodyLimitBytes,
    encode: createEncoder(),
    clientApi: createClientApi({
      ...sdkAccess({ config, catalog, secrets, markSeen, countFailure, isReady, isCutOff }),
      ...{ http, flags, evaluations, reports, clock, ending, logger, observe: observe.sdks },
      streamKeepAliveMs: config.timings.streamKeepAliveMs,
    }),
    docs: createDocs(() => describeApi(sections, version)),
    console: parts.console
      ? createConsole({ authenticate, sessions, rateLimit, readBody, logger, oidc: oidcOf(parts.console) })
      : [],
    ...{ isReady, isCutOff, logger, observe: observe.requests },
    localOnly: http.localOnly,
    trustedProxies: http.trustedProxies,
  });
  const tls = http.tls && { files: http.tls, observe: observe.tls };
  return createListener({ host: http.host, port: http.port, answer, tls });
}

function sharedServices(parts: ApiParts, evaluations: Evaluations): SharedRouteServices {
  const { config, version, catalog, secrets, forgetting, usage, sinks, publishEvent, ending, logger } = parts;
  const { watchNamespaces, publicUrl, contextFields, userSearch, environmentPermissions, timings } = config;
  return {
    ...{ version, catalog, secrets, forgetting, usage, sinks, publishEvent, ending, logger, evaluations },
    ...{ watchNamespaces, publicUrl, contextFields, userSearch, environmentPermissions, timings },
    home: config.namespace,
    severalNamespaces: watchNamespaces === '*' || watchNamespaces.length > 1,
    history: readableHistory(parts.history, { ofProject: catalog.namespaceOfProject, home: config.namespace }),
    past: pastOf(parts),
    asOf: undefined,
    pages: pagesOf(parts),
    changes: changeStreamsOf(parts),
    needs: routes.map(needOf),
    newId: randomUUID,
    now: Date.now,
    trace: parts.tracing.current,
  };
}

function pastOf({ past: { archive, makeCatalog, places }, resources }: ApiParts): TimeTravel {
  const others = (resource: string) => {
    const kept = Object.values(resources).find(({ kind }) => kind.plural === resource);
    return [...(kept?.all() ?? [])];
  };
  const recorded = createRecorded({ places, flags: resources.flags.all, others });
  return createTimeTravel({ archive, makeCatalog, recorded, random: Math.random });
}

/** Without authentication there are no sessions. */
function sessionsOf({ config, console, catalog }: ApiParts): Sessions | undefined {
  if (config.auth === 'none' || !console) return undefined;
  const { keys, oidc } = console;
  const settings = oidc?.settings;
  const id = hash('sha256', JSON.stringify({ ...settings, clientSecret: undefined }));
  return createSessions({ keys, catalog, provider: settings && { id, claims: settings.claims }, now: Date.now });
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
function changeStreamsOf({ config, resources, isCutOff, clock, ending, logger, observe }: ApiParts): ChangeStreams {
  const onFault = (error: unknown) => logger.error({ error }, 'change streams: cannot send change');
  const log = createObjectLog(randomUUID().slice(0, 8), onFault);
  followObjects(log, resources);
  return createChangeStreams({
    ...{ clock, log, isCutOff, ending },
    limit: config.http.changeStreamLimit,
    observe: observe.changeStreams,
    keepAliveMs: config.timings.streamKeepAliveMs,
    onFault,
  });
}

function pagesOf({ catalog, resources: { flags }, usage: { reader, lookups }, config: { timings } }: ApiParts): Pages {
  const evidenceIn = (view: ProjectView) =>
    presentEvidence(view.flags.flatMap((flag) => lookups.findingOf(flag)?.reason ?? []));
  return createPages({
    catalog,
    ownersAt: flags.ownersAt,
    usages: createFlagUsages({ reader, lookups }),
    usageAgeMs: FLUSHES_PER_REFRESH * timings.usageFlushMs,
    evidenceIn,
    now: Date.now,
  });
}

function authenticateBy(parts: ApiParts, countFailure: (from: string | undefined) => void): Authenticate {
  const { catalog, markSeen, reviews, isReady, isCutOff } = parts;
  const { auth, adminToken, timings } = parts.config;
  if (auth === 'none') return allowAnyone;
  const users = kubernetesUsers(reviews, timings.accessCacheMs);
  const recognisers: Recognise[] = [
    // Before the caches are full, no token is known, so none can be guessed.
    async () => requireReady(isReady),
    ...(adminToken === undefined ? [] : [bootstrapToken(adminToken)]),
    apiTokens(catalog, markSeen),
    users.recognise,
    async () => requireConnected(isCutOff),
  ];
  return requireToken({ recognisers, callerOf: users.callerOf, countFailure });
}
