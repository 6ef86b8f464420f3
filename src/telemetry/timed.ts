/** How long runs of the reconcilers take, and how they end. */
import type { Metrics } from './metrics.ts';

/** The same run, with its time in the metrics under the kind that it is about. */
export function timed<R>(metrics: Metrics, kind: string, run: (key: string) => Promise<R>) {
  return async (key: string): Promise<R> => {
    const done = metrics.reconciles.startTimer({ kind });
    try {
      const outcome = await run(key);
      done({ result: 'success' });
      return outcome;
    } catch (error) {
      done({ result: 'error' });
      throw error;
    }
  };
}
