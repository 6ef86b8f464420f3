/**
 * Sends requests to a server again and again with short pauses, to see how long its event loop delays other requests.
 */
import http from 'node:http';
import { percentile } from '../statistics.ts';

export interface Latency {
  readonly asked: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const EVERY_MS = 5;

/** Sends requests, one at a time, until the work ends. Only answers with status 200 count. */
export async function whileAsking(url: string, work: () => Promise<void>): Promise<Latency> {
  const agent = new http.Agent({ keepAlive: true });
  const took: number[] = [];
  let asked: Promise<void> | undefined;
  const ask = async () => {
    const startedAt = performance.now();
    if (await isOk(url, agent)) took.push(performance.now() - startedAt);
    asked = undefined;
  };
  const beat = setInterval(() => {
    asked ??= ask();
  }, EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    await asked;
    agent.destroy();
  }
  return latencyOf(took);
}

export function latencyOf(tookMs: readonly number[]): Latency {
  return {
    asked: tookMs.length,
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    maxMs: percentile(tookMs, 1),
  };
}

function isOk(url: string, agent: http.Agent): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200));
    });
    request.once('error', reject);
  });
}
