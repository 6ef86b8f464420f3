/** Counts what SDKs report in the metrics. */
import type { Metrics } from '../../telemetry/metrics.ts';

export function sdkObserver({ sdkEvaluations, sdkReportsUnreadable }: Metrics) {
  return {
    counted(environment: string, { yes, no }: { readonly yes: number; readonly no: number }): void {
      sdkEvaluations.inc({ environment, result: 'yes' }, yes);
      sdkEvaluations.inc({ environment, result: 'no' }, no);
    },
    unreadable: (route: string): void => sdkReportsUnreadable.inc({ route }),
  };
}
