/** Reports watches, SDKs and the certificate of the admin API in metrics and in the log. */
import type { ObserveStreams } from '../delivery/streams.ts';
import type { TlsNotice } from '../http/server/socket/tls.ts';
import type { WatchNotice } from '../kube/cache/watch.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Counts what SDKs report and read. */
export function sdkObserver({ sdkEvaluations, sdkReportsUnreadable, ...metrics }: Metrics) {
  const { sdkStreams, sdkStreamsClosed, sdkHydrations, sdkRequests } = metrics;
  return {
    asked: (environment: string, endpoint: string): void => sdkRequests.inc({ environment, endpoint }),
    counted(environment: string, { yes, no }: { readonly yes: number; readonly no: number }): void {
      sdkEvaluations.inc({ environment, result: 'yes' }, yes);
      sdkEvaluations.inc({ environment, result: 'no' }, no);
    },
    unreadable: (route: string): void => sdkReportsUnreadable.inc({ route }),
    hydrated: (by: 'delta' | 'streaming'): void => sdkHydrations.inc({ by }),
    streams: streamObserver(sdkStreams, sdkStreamsClosed),
  };
}

export function streamObserver(
  open: Metrics['sdkStreams' | 'changeStreams'],
  closed: Metrics['sdkStreamsClosed' | 'changeStreamsClosed'],
): ObserveStreams {
  return {
    opened: () => open.inc(),
    closed(reason) {
      open.dec();
      closed.inc({ reason });
    },
  };
}

/** Reports changes of the certificate. Without a certificate the metrics have no values. */
export function tlsObserver(logger: Logger, metrics: Metrics): (notice: TlsNotice) => void {
  let last: TlsNotice | undefined;
  let expiresAt: number | undefined;
  const sample = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
  metrics.measure(
    'vexil_tls_certificate_expiry_timestamp_seconds',
    'Expiry of the certificate that the admin API serves, in seconds since 1970.',
    () => sample(expiresAt && expiresAt / 1000),
  );
  metrics.measure(
    'vexil_tls_files_usable',
    '1 if the certificate files are usable, 0 if they are not and the previous certificate is still served.',
    () => sample(last && Number(last.type === 'taken')),
  );
  return (notice) => {
    last = notice;
    if (notice.type === 'refused') {
      logger.error({ error: notice.error }, 'tls: new certificate rejected, the previous one is still served');
      return;
    }
    expiresAt = notice.expiresAt;
    logger.info({ expires: new Date(expiresAt).toISOString() }, 'tls: certificate loaded');
  };
}

/** Notices of data from the API server. */
const RECEIVED: ReadonlySet<WatchNotice['type']> = new Set(['opened', 'frame', 'synced']);

/** Returns the observer of all watches. */
export function watchObserver(logger: Logger, { watchAge, watchLists, watchFailures, watchRewinds }: Metrics) {
  return (kind: string, namespace: string | undefined, notice: WatchNotice): void => {
    const facts = { kind, ...(namespace !== undefined && { namespace }) };
    const labels = { kind, namespace: namespace ?? '' };
    if (notice.type === 'requested') watchAge.begin(labels);
    if (RECEIVED.has(notice.type)) watchAge.receive(labels);
    switch (notice.type) {
      case 'frame':
        return;
      case 'synced':
        watchLists.inc(labels);
        return;
      case 'restored':
        watchRewinds.inc(labels);
        logger.warn(facts, 'watch: cluster was restored from a backup, listing again');
        return;
      case 'failed':
        watchFailures.inc({ ...labels, reason: 'failed' });
        logger.warn({ ...facts, error: notice.error }, 'watch: failed, retrying');
        return;
      case 'silent':
        watchFailures.inc({ ...labels, reason: 'silent' });
        logger.warn(facts, 'watch: no data, reconnecting');
        return;
      case 'unstreamable':
        logger.info(facts, 'watch: API server does not stream lists, listing pages');
        return;
      default:
        logger.debug({ ...facts, notice }, 'watch: progress');
    }
  };
}
