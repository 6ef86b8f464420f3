/** Reports what SDKs do, and the certificate of the admin API, in metrics and in the log. */
import type { ObserveStreams } from '../delivery/streams.ts';
import type { TlsNotice } from '../http/server/socket/tls.ts';
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
