/** Counts what SDKs report and read in the metrics. */
import type { CloseReason } from '../../delivery/open-stream.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export function sdkObserver({ sdkEvaluations, sdkReportsUnreadable, ...metrics }: Metrics) {
  const { sdkStreams, sdkStreamsClosed, sdkHydrations } = metrics;
  return {
    counted(environment: string, { yes, no }: { readonly yes: number; readonly no: number }): void {
      sdkEvaluations.inc({ environment, result: 'yes' }, yes);
      sdkEvaluations.inc({ environment, result: 'no' }, no);
    },
    unreadable: (route: string): void => sdkReportsUnreadable.inc({ route }),
    hydrated: (): void => sdkHydrations.inc({ by: 'delta' }),
    streams: {
      opened: (): void => sdkStreams.inc(),
      closed(reason: CloseReason): void {
        sdkStreams.dec();
        sdkStreamsClosed.inc({ reason });
      },
      hydrated: (): void => sdkHydrations.inc({ by: 'streaming' }),
    },
  };
}
