/** Waits until an operator with many objects has judged all of them. */
import { waitUntil } from './control-plane/wait-until.ts';
import type { Replica } from './replica.ts';

const SERIES = ['vexil_queue_depth', 'vexil_queue_unfinished_work_seconds'];

/** The replica leads. Resolves when nothing is left in the queues of these kinds. */
export function untilJudged(replica: Replica, kinds: readonly string[]): Promise<boolean> {
  const series = SERIES.flatMap((name) => kinds.map((kind) => `${name}{kind="${kind}"}`));
  // Seldom, because each page of metrics takes the processor that the replica needs.
  return waitUntil({ what: 'every object is judged', everyMs: 500 }, async () => {
    const page = await replica.metricsPage();
    return series.every((one) => page.includes(`\n${one} 0\n`));
  });
}
