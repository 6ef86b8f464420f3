/** Wires the flags, tokens and usage of an edge that has upstreams. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Clock } from '../model/clock.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import type { EdgeMetrics } from '../telemetry/metrics.ts';
import { countFailures, edgeAccess } from './access.ts';
import { createBackup } from './backup.ts';
import type { EdgeFlags } from './flags.ts';
import { keepState } from './keep-state.ts';
import type { EdgeRuntime, Served } from './served.ts';
import type { EdgeSettings } from './settings.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { createEdgeTokens, type Tokens } from './tokens.ts';
import { isUpstreamError } from './upstream/errors.ts';
import { createExchange } from './upstream/exchange.ts';
import { createUpstream, type Upstream } from './upstream/upstream.ts';
import { createUpstreams, type Upstreams } from './upstreams.ts';
import { createEdgeUsage, type EdgeUsageParts } from './usage.ts';

interface FromUpstreamParts extends EdgeRuntime {
  readonly flags: EdgeFlags;
  readonly metrics: EdgeMetrics;
  readonly clock: Clock;
  /** The tokens that were given. */
  readonly given: readonly string[];
  /** Aborts when the edge stops. */
  readonly ending: AbortSignal;
}

const APP_NAME = 'vexil-edge';
/** The largest answer of an upstream. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const BACKOFF = { baseMs: 500, capMs: 30_000, random: Math.random };

export async function fromUpstream(settings: EdgeSettings, parts: FromUpstreamParts): Promise<Served> {
  const { flags, metrics, clock, given, ending, logger, onFault } = parts;
  const { instanceId = hostname() } = settings;
  const { list, close } = await connectUpstreams(settings, { ...parts, instanceId });
  const upstreams = createUpstreams(list, logger);
  const backup = settings.backupFolder === undefined ? undefined : createBackup(settings.backupFolder, logger);
  const loaded = await backup?.load();
  const before = new Map(loaded?.scopes);
  const state = keepState({ backup, flags, clock, logger, onFault, tokens: () => tokens });
  const common = { flags, upstreams, clock, logger, onFault, random: Math.random, now: Date.now };

  const subscriptions: Subscriptions = createSubscriptions({
    ...common,
    tokens: () => tokens,
    pollMs: settings.refresh * 1000,
    backoff: exponentialBackoff(BACKOFF),
    restored(source) {
      const found = before.get(source.key);
      before.delete(source.key);
      return found;
    },
    onGood: state.scopeIsGood,
    onEnd: state.scopeHasEnded,
    observeFailure: (reason) => metrics.upstreamFailures.inc({ reason }),
    ending,
  });
  const tokens: Tokens = createEdgeTokens({
    ...common,
    given,
    isStrict: settings.strict,
    trustMs: settings.trustTokensFor,
    validate: (values) => validateAtAny(upstreams, values, ending),
    onChange() {
      subscriptions.settle();
      state.tokensHaveChanged();
    },
  });
  const usage = usageOf(settings, { ...common, instanceId, metrics, tokenFor: subscriptions.tokenFor });

  return {
    access: edgeAccess({
      ...{ tokens, subscriptions, countFailure: countFailures(logger), now: Date.now },
      whyUnknown: 'The upstream has not sent them yet.',
    }),
    states: subscriptions.all,
    missing: () => (tokens.areGivenAnswered() ? [] : ['the upstream has not confirmed the given tokens yet']),
    reports: usage.reports,
    run() {
      if (loaded) tokens.restore(loaded.tokens);
      return Promise.all([tokens.run(ending), usage.run(ending), state.run(ending)]);
    },
    async stop() {
      await usage.flush().catch(onFault);
      await state.save();
      close();
    },
  };
}

/** Without a confirmed token, no subscription would find out that the present upstream is away. */
async function validateAtAny(upstreams: Upstreams, values: readonly string[], signal: AbortSignal) {
  for (let tried = 1; ; tried += 1) {
    const { upstream } = upstreams.present();
    try {
      return await upstream.validate(values, signal);
    } catch (error) {
      if (!isUpstreamError(error, 'away', 'unusable') || tried >= upstreams.count) throw error;
      upstreams.leave(upstream);
    }
  }
}

interface UsageWiring extends Pick<EdgeUsageParts, 'clock' | 'logger' | 'now' | 'tokenFor'> {
  readonly upstreams: Upstreams;
  readonly instanceId: string;
  readonly metrics: EdgeMetrics;
}

function usageOf({ metricsInterval }: EdgeSettings, { upstreams, instanceId, metrics, ...parts }: UsageWiring) {
  return createEdgeUsage({
    ...parts,
    identity: { appName: APP_NAME, instanceId },
    send: (token, body) => upstreams.present().upstream.report(token, body),
    flushMs: metricsInterval * 1000,
    onDropped: (evaluations) => metrics.usageDropped.inc(evaluations),
  });
}

interface Connecting extends Pick<EdgeRuntime, 'version' | 'environment'> {
  readonly instanceId: string;
}

export async function connectUpstreams(settings: EdgeSettings, { version, environment, instanceId }: Connecting) {
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
    'Unleash-Connection-Id': randomUUID(),
    'Unleash-Sdk': `${APP_NAME}:${version}`,
  };
  const [first, ...others] = settings.upstreamUrl.map((url) =>
    createUpstream({ url, exchange, limitBytes: LIMIT_BYTES, identity }),
  );
  if (!first) throw new Error('there is no upstream');
  const list: readonly [Upstream, ...Upstream[]] = [first, ...others];
  return { list, close: exchange.close };
}
