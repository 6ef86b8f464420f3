/** The metrics and the logger of queues and workers in tests: real ones, whose output can be read. */
import { Registry } from 'prom-client';
import { throwUncaught } from '../../../src/model/listeners.ts';
import { gaugesIn } from '../../../src/telemetry/gauges.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { queueMetrics } from '../../../src/telemetry/queue-metrics.ts';
import { captureLog } from '../../support/capture-log.ts';

/** The observer of a new queue of the kind `Thing`, with the values that Prometheus would scrape. */
export function observedQueue() {
  const registry = new Registry();
  const observer = queueMetrics(registry, gaugesIn(registry, throwUncaught))('Thing');
  /** The values by name without the prefix; for a histogram its sum and its count. */
  async function values(): Promise<Readonly<Record<string, number>>> {
    const metrics = await registry.getMetricsAsJSON();
    const series = metrics.flatMap(({ name, values }) =>
      values.map(({ value, labels, ...of }) => {
        const whole = 'metricName' in of ? String(of.metricName) : name;
        const priority = 'priority' in labels ? `{${labels.priority}}` : '';
        return [`${whole.replace('vexil_queue_', '')}${priority}`, value] as const;
      }),
    );
    return Object.fromEntries(series.filter(([name]) => !name.includes('_bucket')));
  }
  return { observer, values };
}

export function observedLogger() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  return { lines, logger: createLogger({ level: 'debug', destination: captureLog(lines) }) };
}
