/** The name, version and build metrics of the program. */
import manifest from '../../package.json' with { type: 'json' };
import type { Logger } from '../telemetry/logger.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';

/** The commit that was passed to `npm run build`; undefined if the program runs from its sources. */
declare const BUILD_REVISION: string | undefined;

export const PROGRAM = {
  name: manifest.name,
  version: manifest.version,
  revision: typeof BUILD_REVISION === 'undefined' ? 'unknown' : BUILD_REVISION,
};

/** Metrics that name the program; `node` is the version of Node.js. */
export function programMetrics(node: string, logger: Logger): Metrics {
  const metrics = createMetrics((error, gauge) => logger.error({ error, gauge }, 'metrics: cannot read gauge'));
  const { version, revision } = PROGRAM;
  const help = '1, with the version and revision of the operator and the version of Node.js as labels.';
  metrics.measure('vexil_build_info', help, () => [{ labels: { version, revision, node }, value: 1 }]);
  return metrics;
}
