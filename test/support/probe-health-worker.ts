/** Measures the latency of `GET /health` in a thread of its own, so that the work of a test does not count. */
import { parentPort, workerData } from 'node:worker_threads';

const times: number[] = [];
let isOver = false;
parentPort?.once('message', () => {
  isOver = true;
});
// The first request loads what the others use.
await (await fetch(`${workerData}/health`)).text();
parentPort?.postMessage('ready');
while (!isOver) {
  const began = performance.now();
  await (await fetch(`${workerData}/health`)).text();
  times.push(performance.now() - began);
}
parentPort?.postMessage(times);
