/** Measures duration and result of reconciles. */
import type { Metrics } from './metrics.ts';

/** Wraps the reconcile of a kind with a duration metric. */
export function timed<A extends readonly unknown[], R>(
  metrics: Metrics,
  kind: string,
  run: (...given: A) => Promise<R>,
) {
  return async (...given: A): Promise<R> => {
    const done = metrics.reconciles.startTimer({ kind });
    try {
      const outcome = await run(...given);
      done({ result: 'success' });
      return outcome;
    } catch (error) {
      done({ result: 'error' });
      throw error;
    }
  };
}
