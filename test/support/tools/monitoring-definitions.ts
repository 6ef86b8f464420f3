/** The resource definitions of the Prometheus operator, from its pinned module. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../../scripts/tools/run-program.ts';

const MODULE = 'github.com/prometheus-operator/prometheus-operator';
const FOLDER = fileURLToPath(new URL('../../tools/monitoring', import.meta.url));

/** Returns the paths of the definitions whose kinds the chart uses. */
export async function monitoringDefinitions(): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runProgram('go', ['mod', 'download', '-json', MODULE], { cwd: FOLDER });
  if (code !== 0) throw new Error(`${MODULE} cannot be had: ${stderr}${stdout}`);
  const { Dir: folder }: { Dir: string } = JSON.parse(stdout);
  return ['servicemonitors', 'prometheusrules'].map((plural) =>
    join(folder, 'example/prometheus-operator-crd', `monitoring.coreos.com_${plural}.yaml`),
  );
}
