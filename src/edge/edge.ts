/** Wires every part of the edge from its settings. */
import { createEvaluations } from '../delivery/evaluations.ts';
import { createClientApi } from '../http/client-api.ts';
import { createEdgeApp, type EdgeAppParts } from '../http/edge-app.ts';
import { sdkObserver } from '../http/observe-sdks.ts';
import { tlsObserver } from '../http/observe-tls.ts';
import { createConnectionLimit } from '../http/server/socket/connection-limit.ts';
import { createListener, type Listener } from '../http/server/socket/listen.ts';
import { pause } from '../model/clock.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createEdgeMetrics, type EdgeMetrics } from '../telemetry/metrics.ts';
import { untraced } from '../telemetry/tracing.ts';
import { compileBounded } from './compile-bounded.ts';
import { createEdgeFlags, type EdgeFlags } from './flags.ts';
import { fromFiles } from './from-files.ts';
import { fromUpstream } from './from-upstream.ts';
import { givenTokens } from './given-tokens.ts';
import { ages, oldestGoodAt, readinessOf } from './readiness.ts';
import type { EdgeRuntime, Served } from './served.ts';
import type { EdgeSettings } from './settings.ts';

export interface Edge {
  /** Resolves with the port when the edge listens; the flags may still be on their way. */
  start(): Promise<number>;
  /** Sends the usage that it has, ends the streams and the requests in progress, and resolves when nothing runs. */
  stop(): Promise<void>;
}

const KEEP_ALIVE_MS = 25_000;
/** How often planned changes are looked for. */
const LOOK_MS = 500;
const CONNECTIONS_FOR_POLLS = 2_000;

export async function createEdge(settings: EdgeSettings, runtime: EdgeRuntime): Promise<Edge> {
  const { logger, onFault } = runtime;
  const ending = new AbortController();
  const metrics = createEdgeMetrics((error, gauge) => logger.error({ error, gauge }, 'metrics: cannot read gauge'));
  const flags = createEdgeFlags(Date.now, (error) => logger.error({ error }, 'edge: subscriber failed'));
  const given = await givenTokens(settings);
  const parts = { ...runtime, flags, metrics, given, clock: systemClock, ending: ending.signal };
  const served = await (settings.from === undefined ? fromUpstream(settings, parts) : fromFiles(settings.from, parts));
  metrics.measureStaleness(() => ages(served.states()));
  const clientApi = createClientApi({
    ...served.access,
    http: limitsOf(settings),
    streamKeepAliveMs: KEEP_ALIVE_MS,
    ...{ flags, logger, clock: systemClock, reports: served.reports, ending: ending.signal },
    evaluations: createEvaluations(flags, Math.random, compileBounded(logger)),
    observe: sdkObserver(metrics, untraced),
    goodAt: () => oldestGoodAt(served.states()),
  });
  const listener = listenerOf(settings, {
    logger,
    metrics,
    clientApi,
    served,
    knowsTags: flags.knowsTags,
  });
  let work: Promise<unknown> = Promise.resolve();

  return {
    async start() {
      const port = await listener.start();
      work = Promise.all([served.run(), followTime(flags, ending.signal)]).catch((error: unknown) => {
        // What is under way ends with the reason of the signal.
        if (!ending.signal.aborted) onFault(error);
      });
      return port;
    },
    async stop() {
      ending.abort(new Error('The edge is stopping'));
      await listener.stop();
      await work;
      await served.stop();
    },
  };
}

/** Windows and ramps have whole seconds, and most flags have none. */
async function followTime(flags: EdgeFlags, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(systemClock, LOOK_MS, signal);
    flags.advance();
  }
}

function limitsOf({ requestsPerMinute, maxStreams, origins }: EdgeSettings) {
  return {
    sdkRequestsPerMinute: requestsPerMinute,
    sdkStreamLimit: maxStreams,
    sdkStreamsPerToken: Number.POSITIVE_INFINITY,
    sdkStreamsPerAddress: Number.POSITIVE_INFINITY,
    frontendOrigins: origins,
  };
}

interface Listening {
  readonly logger: Logger;
  readonly metrics: EdgeMetrics;
  readonly served: Pick<Served, 'states' | 'missing'>;
  readonly clientApi: EdgeAppParts['clientApi'];
  readonly knowsTags: () => boolean;
}

function listenerOf(settings: EdgeSettings, { logger, metrics, served, clientApi, knowsTags }: Listening): Listener {
  const { host, port, tlsCert: certFile, tlsKey: keyFile, basePath, trustedProxies, maxStaleness } = settings;
  const connections = createConnectionLimit(settings.maxConnections ?? settings.maxStreams + CONNECTIONS_FOR_POLLS);
  const answer = createEdgeApp({
    ...{ basePath, trustedProxies, logger, clientApi, knowsTags, metrics: metrics.page },
    isBeyond: connections.isBeyond,
    observe: ({ method, route, status, seconds }) => metrics.httpRequests.observe({ method, route, status }, seconds),
    readiness: () =>
      readinessOf(served.states(), { missing: served.missing(), now: Date.now(), maxStalenessMs: maxStaleness }),
    // The caller is not known yet.
    goodAt: () => oldestGoodAt(served.states()),
  });
  const files = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const tls = files && { files, observe: tlsObserver(logger, metrics) };
  return createListener({ host, port, answer, tls, connections });
}
