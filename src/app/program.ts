/** The name, version and build metrics of the program. */
import manifest from '../../package.json' with { type: 'json' };
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';

export const PROGRAM = { name: manifest.name, version: manifest.version };

/** Metrics that name the program; `node` is the version of Node.js. */
export function programMetrics(node: string): Metrics {
  const metrics = createMetrics();
  metrics.measure('vexil_build_info', '1, with the versions of the operator and of Node.js as labels.', () => [
    { labels: { version: PROGRAM.version, node }, value: 1 },
  ]);
  return metrics;
}
