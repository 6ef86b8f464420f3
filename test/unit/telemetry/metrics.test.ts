/** The metrics of programs that share a process. */
import perfHooks from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { createEdgeMetrics, createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';

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

const seriesIn = async ({ page }: Pick<Metrics, 'page'>, pattern: RegExp) =>
  (await page()).body.split('\n').filter((line) => pattern.test(line));

test('a gauge that cannot be read is left out and reported once, and the page has all others', async () => {
  const mistake = new Error('mistake');
  const faults: unknown[] = [];
  const metrics = createMetrics((error, gauge) => faults.push([gauge, error]));
  let isBroken = false;
  const orFail = <V>(value: V): V => {
    if (isBroken) throw mistake;
    return value;
  };
  metrics.measure('test_bare', 'help', () => [{ labels: {}, value: orFail(1) }]);
  metrics.measureSinks('test_labelled', 'help', () => [{ labels: { sink: 'a' }, value: orFail(2) }]);
  metrics.queueOf('Thing').observe(() => ({ depth: orFail(3), runningMs: [] }));
  metrics.measure('test_whole', 'help', () => [{ labels: {}, value: 4 }]);
  const series = () => seriesIn(metrics, /^(test_|vexil_queue_depth)/);
  const all = ['vexil_queue_depth{kind="Thing"} 3', 'test_bare 1', 'test_labelled{sink="a"} 2', 'test_whole 4'];
  expect((await series()).toSorted()).toEqual(all.toSorted());
  isBroken = true;
  for (let scrapes = 0; scrapes < 2; scrapes += 1) expect(await series()).toEqual(['test_whole 4']);
  isBroken = false;
  expect(await series()).toHaveLength(4);
  isBroken = true;
  await series();
  const once = [
    ...['vexil_queue_depth', 'vexil_queue_unfinished_work_seconds', 'vexil_queue_longest_running_processor_seconds'],
    ...['test_bare', 'test_labelled'],
  ].map((gauge) => [gauge, mistake]);
  expect(faults).toEqual([...once, ...once]);
});

test('a gauge without samples has no value', async () => {
  const metrics = createMetrics();
  let isKnown = true;
  metrics.measure('test_bare', 'help', () => (isKnown ? [{ labels: {}, value: 1 }] : []));
  metrics.measure('test_unknown', 'help', () => []);
  expect(await seriesIn(metrics, /^test_/)).toEqual(['test_bare 1']);
  isKnown = false;
  expect(await seriesIn(metrics, /^test_/)).toEqual([]);
});
