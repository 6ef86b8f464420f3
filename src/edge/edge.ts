/** Wires every part of the edge from its settings. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createEvaluations } from '../delivery/evaluations.ts';
import { createClientApi } from '../http/client-api.ts';
import { createEdgeApp, type EdgeAppParts } from '../http/edge-app.ts';
import { sdkObserver } from '../http/observe-sdks.ts';
import { tlsObserver } from '../http/observe-tls.ts';
import { createListener, type Listener } from '../http/server/socket/listen.ts';
import { pause } from '../model/clock.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createEdgeMetrics } from '../telemetry/metrics.ts';
import { edgeAccess } from './access.ts';
import { createBackup } from './backup.ts';
import { createEdgeFlags, type EdgeFlags } from './flags.ts';
import { keepState } from './keep-state.ts';
import { ages, readinessOf } from './readiness.ts';
import type { EdgeSettings } from './settings.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { createEdgeTokens, type Tokens } from './tokens.ts';
import { createExchange } from './upstream/exchange.ts';
import { createUpstream, type Upstream } from './upstream/upstream.ts';
import { createUpstreams, type Upstreams } from './upstreams.ts';
import { createEdgeUsage } from './usage.ts';

export interface Edge {
  /** Resolves with the port when the edge listens; the flags may still be on their way. */
  start(): Promise<number>;
  /** Sends the usage that it has, ends the streams and the requests in progress, and resolves when nothing runs. */
  stop(): Promise<void>;
}

export interface EdgeRuntime {
  readonly version: string;
  readonly logger: Logger;
  /** The environment, for the names of proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with an error that is a bug. */
  readonly onFault: (error: unknown) => void;
}

const APP_NAME = 'vexil-edge';
/** The largest answer of an upstream. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 25_000;
const BACKOFF = { baseMs: 500, capMs: 30_000, random: Math.random };
/** How long the last report may take when the edge stops. */
const LAST_FLUSH_MS = 5_000;
/** How often planned changes are looked for. */
const LOOK_MS = 500;

export async function createEdge(settings: EdgeSettings, runtime: EdgeRuntime): Promise<Edge> {
  const { logger, onFault } = runtime;
  const ending = new AbortController();
  const metrics = createEdgeMetrics();
  const clock = systemClock;
  const flags = createEdgeFlags(Date.now);
  const instanceId = randomUUID();
  const { list, close } = await connectUpstreams(settings, { ...runtime, instanceId });
  const upstreams = createUpstreams(list, logger);
  const backup = settings.backupFolder === undefined ? undefined : createBackup(settings.backupFolder, logger);
  const loaded = await backup?.load();
  const state = keepState({ backup, flags, clock, onFault, tokens: () => tokens });
  const common = { flags, upstreams, clock, logger, onFault, random: Math.random, now: Date.now };

  const subscriptions: Subscriptions = createSubscriptions({
    ...common,
    tokens: () => tokens,
    pollMs: settings.refresh * 1000,
    backoff: exponentialBackoff(BACKOFF),
    restored: (source) => loaded?.scopes.get(source.key),
    onGood: state.scopeIsGood,
    onEnd: state.scopeHasEnded,
    observeFailure: (reason) => metrics.upstreamFailures.inc({ reason }),
    ending: ending.signal,
  });
  const tokens: Tokens = createEdgeTokens({
    ...common,
    given: [...settings.tokens, ...(await tokensIn(settings.tokensFile))],
    isStrict: settings.strict,
    trustMs: settings.trustTokensFor,
    validate: (values) => upstreams.present().upstream.validate(values, ending.signal),
    onChange() {
      subscriptions.settle();
      state.tokensHaveChanged();
    },
  });
  const usage = usageOf(settings, { ...common, instanceId, metrics, tokenFor: subscriptions.tokenFor });
  const clientApi = createClientApi({
    ...edgeAccess({ tokens, subscriptions, now: Date.now }),
    http: limitsOf(settings),
    streamKeepAliveMs: KEEP_ALIVE_MS,
    ...{ flags, clock, logger, reports: usage.reports, ending: ending.signal },
    evaluations: createEvaluations(flags, Math.random),
    observe: sdkObserver(metrics),
  });
  metrics.measureStaleness(() => ages(subscriptions.all()));
  const listener = listenerOf(settings, { logger, metrics, subscriptions, clientApi, knowsTags: flags.knowsTags });
  let work: Promise<unknown> = Promise.resolve();

  return {
    async start() {
      const port = await listener.start();
      if (loaded) tokens.restore(loaded.tokens);
      work = Promise.all([
        tokens.run(ending.signal),
        usage.run(ending.signal),
        state.run(ending.signal),
        followTime(flags, ending.signal),
      ]).catch(onFault);
      return port;
    },
    async stop() {
      ending.abort(new Error('The edge is stopping'));
      await listener.stop();
      await work;
      await usage.flush(AbortSignal.timeout(LAST_FLUSH_MS)).catch(onFault);
      await state.save();
      close();
    },
  };
}

interface UsageWiring extends Pick<Parameters<typeof createEdgeUsage>[0], 'clock' | 'logger' | 'now' | 'tokenFor'> {
  readonly upstreams: Upstreams;
  readonly instanceId: string;
  readonly metrics: ReturnType<typeof createEdgeMetrics>;
}

function usageOf({ metricsInterval }: EdgeSettings, { upstreams, instanceId, metrics, ...parts }: UsageWiring) {
  return createEdgeUsage({
    ...parts,
    identity: { appName: APP_NAME, instanceId },
    send: (token, body, signal) => upstreams.present().upstream.report(token, body, signal),
    flushMs: metricsInterval * 1000,
    onDropped: (evaluations) => metrics.usageDropped.inc(evaluations),
  });
}

/** Windows and ramps have whole seconds, and most flags have none. */
async function followTime(flags: EdgeFlags, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(systemClock, LOOK_MS, signal);
    flags.advance();
  }
}

interface Connecting extends EdgeRuntime {
  readonly instanceId: string;
}

async function connectUpstreams(settings: EdgeSettings, { version, environment, instanceId }: Connecting) {
  const [ca, cert, key] = await Promise.all(
    [settings.upstreamCa, settings.clientCert, settings.clientKey].map(
      async (path) => path && (await readFile(path, 'utf8')),
    ),
  );
  const exchange = createExchange({ ca, cert, key, proxies: environment, headers: settings.headers });
  const identity = {
    'User-Agent': `${APP_NAME}/${version}`,
    'Unleash-AppName': APP_NAME,
    'Unleash-InstanceId': instanceId,
    'Unleash-Connection-Id': instanceId,
    'Unleash-Sdk': `${APP_NAME}:${version}`,
  };
  const [first, ...others] = settings.upstreamUrl.map((url) =>
    createUpstream({ url, exchange, limitBytes: LIMIT_BYTES, identity }),
  );
  if (!first) throw new Error('there is no upstream');
  const list: readonly [Upstream, ...Upstream[]] = [first, ...others];
  return { list, close: exchange.close };
}

async function tokensIn(path: string | undefined): Promise<readonly string[]> {
  if (path === undefined) return [];
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
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
  readonly metrics: ReturnType<typeof createEdgeMetrics>;
  readonly subscriptions: Subscriptions;
  readonly clientApi: EdgeAppParts['clientApi'];
  readonly knowsTags: () => boolean;
}

function listenerOf(
  settings: EdgeSettings,
  { logger, metrics, subscriptions, clientApi, knowsTags }: Listening,
): Listener {
  const { host, port, tlsCert: certFile, tlsKey: keyFile, basePath, trustedProxies, maxStaleness } = settings;
  const answer = createEdgeApp({
    ...{ basePath, trustedProxies, logger, clientApi, knowsTags, metrics: metrics.page },
    observe: ({ method, route, status, seconds }) => metrics.httpRequests.observe({ method, route, status }, seconds),
    readiness: () => readinessOf(subscriptions.all(), { now: Date.now(), maxStalenessMs: maxStaleness }),
    // The oldest, because the caller is not known yet.
    goodAt: () => {
      const times = subscriptions.all().flatMap((one) => one.goodAt ?? []);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
  });
  const files = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const tls = files && { files, observe: tlsObserver(logger, metrics) };
  return createListener({ host, port, answer, tls });
}
