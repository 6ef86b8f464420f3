/** The latency of `GET /health` while an operator works. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Returns the latencies in ms, in ascending order. */
export async function healthDuring(url: string, work: () => Promise<unknown>): Promise<readonly number[]> {
  const worker = new Worker(new URL('./probe-health-worker.ts', import.meta.url), { workerData: url });
  try {
    await once(worker, 'message');
    await work();
    worker.postMessage('end');
    const [times]: [number[]] = (await once(worker, 'message')) as [number[]];
    return times.sort((a, b) => a - b);
  } finally {
    await worker.terminate();
  }
}
