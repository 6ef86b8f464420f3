/** Counts what SDKs report and read. */
import type { ObserveStreams } from '../delivery/streams.ts';
import type { SdkMetrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { ObserveSdks } from './route/client-route.ts';

export function sdkObserver(
  { sdkEvaluations, sdkReportsUnreadable, ...metrics }: SdkMetrics,
  { deliveries }: Pick<Tracing, 'deliveries'>,
): ObserveSdks {
  const { sdkStreams, sdkStreamsClosed, sdkHydrations, sdkRequests } = metrics;
  return {
    asked: (environment: string, endpoint: string): void => sdkRequests.inc({ environment, endpoint }),
    counted(environment: string, { yes, no }: { readonly yes: number; readonly no: number }): void {
      sdkEvaluations.inc({ environment, result: 'yes' }, yes);
      sdkEvaluations.inc({ environment, result: 'no' }, no);
    },
    unreadable: (route: string): void => sdkReportsUnreadable.inc({ route }),
    hydrated: (by: 'delta' | 'streaming'): void => sdkHydrations.inc({ by }),
    streams: streamObserver(sdkStreams, sdkStreamsClosed, deliveries('SDKs')),
  };
}

export function streamObserver(
  open: Pick<SdkMetrics['sdkStreams'], 'inc' | 'dec'>,
  closed: Pick<SdkMetrics['sdkStreamsClosed'], 'inc'>,
  delivered: ReturnType<Tracing['deliveries']>,
): ObserveStreams {
  let count = 0;
  let since = 0;
  return {
    opened() {
      open.inc();
      if (count === 0) since = Date.now();
      count += 1;
    },
    closed(reason) {
      open.dec();
      closed.inc({ reason });
      count -= 1;
    },
    advanced: (round) => delivered({ ...round, since }),
  };
}
