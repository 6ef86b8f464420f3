/** What the certificate of the admin API lives through, for people and for metrics. */
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { TlsNotice } from './tls.ts';

/** Says in the log and in the metrics what becomes of the certificate. Without one the metrics have no values. */
export function tlsObserver(logger: Logger, metrics: Metrics): (notice: TlsNotice) => void {
  let last: TlsNotice | undefined;
  let expiresAt: number | undefined;
  const sample = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
  metrics.measure(
    'vexil_tls_certificate_expiry_timestamp_seconds',
    'When the certificate that the admin API serves expires, in seconds since 1970.',
    () => sample(expiresAt && expiresAt / 1000),
  );
  metrics.measure(
    'vexil_tls_files_usable',
    '0 while the files hold no certificate that can be served, so that the one before is served still; else 1.',
    () => sample(last && Number(last.type === 'taken')),
  );
  return (notice) => {
    last = notice;
    if (notice.type === 'refused') {
      logger.error({ error: notice.error }, 'the new certificate cannot be used: the one before is served still');
      return;
    }
    expiresAt = notice.expiresAt;
    logger.info({ expires: new Date(expiresAt).toISOString() }, 'a certificate is served');
  };
}
