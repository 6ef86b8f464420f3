/** An operator that stays calm: work for some callers delays no other, within its memory. */
import { expect } from 'vitest';
import { slownessOfProcessor } from './cpu-time.ts';
import { MAX_MEMORY_BYTES } from './limited-replica.ts';
import { healthDuring } from './probe-health.ts';
import type { Replica } from './replica.ts';

/** Of `GET /health`, on a quiet processor of the kind that the limits of the tests were set for. */
const MAX_P99_MS = 100;

/** Fails if `/health` is slow during the work, or if the replica then does not lead or has too much memory. */
export async function expectCalm(replica: Replica, work: () => Promise<unknown>): Promise<void> {
  const before = slownessOfProcessor();
  const times = await healthDuring(replica.url, work);
  const slowness = Math.max(before, slownessOfProcessor());
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(MAX_P99_MS * slowness);
  expect(await replica.leads()).toBe(true);
  expect(await replica.metric('process_resident_memory_bytes')).toBeLessThan(MAX_MEMORY_BYTES);
}
