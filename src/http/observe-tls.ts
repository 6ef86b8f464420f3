/** Reports the certificate that is served in metrics and in the log. */
import type { Logger } from '../telemetry/logger.ts';
import type { SdkMetrics } from '../telemetry/metrics.ts';
import type { TlsNotice } from './server/socket/tls.ts';

/** Without a certificate the metrics have no values. */
export function tlsObserver(logger: Logger, metrics: Pick<SdkMetrics, 'measure'>): (notice: TlsNotice) => void {
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
