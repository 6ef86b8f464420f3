/** The metrics of programs that share a process. */
import perfHooks from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { createEdgeMetrics, createMetrics } from '../../../src/telemetry/metrics.ts';

afterEach(() => vi.restoreAllMocks());

test('the process is observed once, because nothing ends an observer, and it keeps what its registry reads', async () => {
  const first = createMetrics();
  const observer = vi.spyOn(perfHooks, 'PerformanceObserver');
  const others = [createMetrics(), createEdgeMetrics()];
  expect(observer).not.toHaveBeenCalled();
  for (const { page } of [first, ...others]) {
    const { body } = await page();
    expect(body.match(/^# TYPE (process_cpu_seconds_total|vexil_http_request_duration_seconds) /gm)).toHaveLength(2);
  }
});
