/** What the watches live through, for people and for metrics. */
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { WatchNotice } from './watch.ts';

/** The API server has said something. */
const HEARD: ReadonlySet<WatchNotice['type']> = new Set(['opened', 'frame', 'synced']);

/** Says in the log and in the metrics what the watches live through. */
export function watchObserver(logger: Logger, { watchAge, watchLists, watchFailures, watchRewinds }: Metrics) {
  return (kind: string, namespace: string | undefined, notice: WatchNotice): void => {
    const facts = { kind, ...(namespace !== undefined && { namespace }) };
    const labels = { kind, namespace: namespace ?? '' };
    if (notice.type === 'requested') watchAge.begin(labels);
    if (HEARD.has(notice.type)) watchAge.hear(labels);
    switch (notice.type) {
      case 'frame':
        return;
      case 'synced':
        watchLists.inc(labels);
        return;
      case 'rewound':
        watchRewinds.inc(labels);
        logger.warn(facts, 'the cluster was set back to an earlier state: reading everything anew');
        return;
      case 'failed':
        watchFailures.inc({ ...labels, reason: 'failed' });
        logger.warn({ ...facts, error: notice.error }, 'watch failed, trying again');
        return;
      case 'silent':
        watchFailures.inc({ ...labels, reason: 'silent' });
        logger.warn(facts, 'watch fell silent, connecting anew');
        return;
      default:
        logger.debug({ ...facts, notice }, 'watch goes on');
    }
  };
}
