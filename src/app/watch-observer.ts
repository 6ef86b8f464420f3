/** Reports watches in metrics and in the log. */
import type { WatchNotice } from '../kube/cache/watch.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

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
