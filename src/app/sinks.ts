/** The wiring of notification sinks: the leader delivers, and reports how far it is. */

import { sinkStoreIn } from '../audit/archive/sinks/sink-store.ts';
import { createSinkDelivery, type OpenedSink } from '../audit/deliver/delivery.ts';
import { createLookups } from '../audit/deliver/lookups.ts';
import type { SinkNotice } from '../audit/deliver/sink-loop.ts';
import type { History } from '../audit/history.ts';
import { networkOf, refusalOf } from '../domain/sink/addresses.ts';
import { isDeliverable } from '../domain/sink/judge-sink.ts';
import { servedSinks } from '../domain/sink/served-sinks.ts';
import type { SinkProgress } from '../domain/sink/sink-progress.ts';
import { type SinkSecret, sinkSecretOf } from '../domain/sink/sink-secret.ts';
import { isClusterError } from '../errors.ts';
import type { SinkJudgeParts } from '../kinds/definition.ts';
import { createSecrets, type SecretsClient } from '../kube/api/secrets.ts';
import { keyOf } from '../model/object.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import type { Term } from '../runtime/election.ts';
import { type NotificationSink, SINK_SECRET_KEY } from '../schema/notification-sink.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Platform } from './platform.ts';
import { type OpenedSender, openSender, type SenderParts } from './sink-senders.ts';

export interface WiredSinks {
  /** The work of the leader. */
  readonly lead: (term: Term) => Promise<void>;
  readonly judgeParts: SinkJudgeParts;
}

const STORE_BACKOFF = { baseMs: 200, capMs: 5_000 };
const RECEIVER_BACKOFF_MS = 500;
/** Changes of Secrets send no events. */
const SECRET_FOR_MS = 60_000;
const MISSING_SECRET_FOR_MS = 10_000;

export function wireSinks(platform: Platform, history: Pick<History, 'onRecorded'>): WiredSinks {
  const { config, cluster, database, machine, logger } = platform;
  const { clock, random, wallTime: now } = machine;
  const { sinks } = cluster.caches;
  const home = config.namespace;
  const lookups = createLookups();
  const networks = { allowed: config.sinks.allowedNetworks.map(networkOf) };
  const judgeParts: SinkJudgeParts = {
    secretOf: rememberSecrets(platform),
    progressOf: (sink) => delivery.progressOf(sink),
    home,
    statusMs: config.timings.sinkStatusMs,
    refusalOf: (address, url) => refusalOf(address, url, networks),
    isServed: ({ metadata: { uid } }) => servedSinks(sinks.all(), home).has(uid),
  };
  const delivery = createSinkDelivery({
    ...{ sinks, home, clock, now },
    store: sinkStoreIn(database),
    backoff: exponentialBackoff({ ...STORE_BACKOFF, random }),
    retryIn: exponentialBackoff({ baseMs: RECEIVER_BACKOFF_MS, capMs: config.timings.sinkRetryMaxMs, random }),
    open: (sink) => openSink(sink, { platform, lookups, judging: judgeParts }),
    onNotice: ({ metadata: { namespace, name } }, notice) => report(logger.child({ namespace, name }), notice),
  });
  history.onRecorded(delivery.wake);
  measureSinks(platform, judgeParts);
  return { lead: (term) => delivery.run(term), judgeParts };
}

interface Opening extends Omit<SenderParts, 'keys'> {
  readonly judging: SinkJudgeParts;
}

/** The Secret may hold the URL, so a sender is made for each of its values. */
function openSink(sink: NotificationSink, parts: Opening): OpenedSink {
  let current: (OpenedSender & { readonly value: string }) | undefined;
  return {
    async sender() {
      const secret = await parts.judging.secretOf(sink);
      if (!isDeliverable({ ...parts.judging, sink, secret, isServed: true })) return undefined;
      const keys = secret.state === 'keys' ? secret.keys : [];
      const value = keys.join(' ');
      if (current?.value === value) return current.sender;
      await current?.close();
      current = { value, ...(await openSender(sink, { ...parts, keys })) };
      return current.sender;
    },
    close: async () => current?.close(),
  };
}

/** The verdict and the delivery both need the Secret; it is read again after a time. */
function rememberSecrets({ transport, machine: { clock } }: Platform): SinkJudgeParts['secretOf'] {
  const secrets = createSecrets(transport, SINK_SECRET_KEY);
  const known = new WeakMap<NotificationSink, { readonly secret: SinkSecret; readonly until: number }>();
  return async (sink) => {
    const kept = known.get(sink);
    if (kept && kept.until > clock.now()) return kept.secret;
    const secret = await readSecret(sink, secrets);
    const isKept = secret.state === 'keys' || secret.state === 'none';
    known.set(sink, { secret, until: clock.now() + (isKept ? SECRET_FOR_MS : MISSING_SECRET_FOR_MS) });
    return secret;
  };
}

async function readSecret(sink: NotificationSink, secrets: SecretsClient): Promise<SinkSecret> {
  const { secretRef } = sink.spec;
  if (secretRef === undefined) return { state: 'none' };
  try {
    return sinkSecretOf(sink, await secrets.read({ namespace: sink.metadata.namespace, name: secretRef.name }));
  } catch (error) {
    if (isClusterError(error, 'missing-permission')) return { state: 'forbidden' };
    throw error;
  }
}

function report(logger: Logger, notice: SinkNotice): void {
  const texts = {
    'store-failed': 'notification sinks: delivery failed, trying again',
    'close-failed': 'notification sinks: the connection could not be closed',
    failing: 'notification sinks: the receiver takes nothing',
    gone: 'notification sinks: the receiver is gone, nothing is sent any more',
    recovered: 'notification sinks: the receiver takes entries again',
    'set-aside': 'notification sinks: entry set aside',
  } as const;
  const { type, ...facts } = notice;
  logger[type === 'recovered' ? 'info' : 'warn'](facts, texts[type]);
}

/** Of the leader alone: nobody else knows. */
function measureSinks({ cluster, metrics, machine }: Platform, { progressOf }: SinkJudgeParts): void {
  const gauge = (name: string, help: string, read: (progress: SinkProgress) => number) =>
    metrics.measureSinks(`vexil_sink_${name}`, help, () =>
      [...cluster.caches.sinks.all()].flatMap((sink) => {
        const progress = progressOf(sink);
        return progress ? [{ labels: { sink: keyOf(sink.metadata) }, value: read(progress) }] : [];
      }),
    );
  const secondsSince = (time: number | undefined) => (time === undefined ? 0 : (machine.wallTime() - time) / 1000);
  gauge('lag_entries', 'Entries that a notification sink does not have yet, up to 10000.', ({ lag }) => lag.entries);
  gauge('lag_seconds', 'Age of the oldest entry that a notification sink does not have yet.', ({ lag }) =>
    secondsSince(lag.oldestAt),
  );
  gauge('failing_seconds', 'How long the receiver of a notification sink has taken nothing.', ({ failingSince }) =>
    secondsSince(failingSince),
  );
  gauge('set_aside_entries', 'Entries that a notification sink has given up, since it exists.', (one) => one.setAside);
}
