/** Measures the store for the reports of SDKs under load: `node test/perf/usage/main.ts --seconds 600`. */
import { parseArgs } from 'node:util';
import { installDefinitions } from '../../support/control-plane/install-definitions.ts';
import { startControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { grantOperatorRoles } from '../../support/operator-roles.ts';
import { describeMachine } from '../report.ts';
import { runBench } from '../run-bench.ts';
import { tortureUsage } from './torture.ts';

const HOME = 'vexil-usage';

const USAGE = `Usage: node test/perf/usage/main.ts [--seconds 600] [--instances 1000] [--flags 50] [--away 60]
`;

function numberOf(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is no whole number above 0`);
  return value;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '600' },
      instances: { type: 'string', default: '1000' },
      flags: { type: 'string', default: '50' },
      away: { type: 'string', default: '60' },
    },
  });
  return {
    ...{ seconds: numberOf(values.seconds), instances: numberOf(values.instances) },
    ...{ flags: numberOf(values.flags), awaySeconds: numberOf(values.away) },
  };
}

await runBench({
  usage: USAGE,
  readOptions,
  async run(options, undoLater) {
    const say = (line: string) => void process.stderr.write(`bench: ${line}\n`);
    const cluster = await startControlPlane();
    undoLater(cluster.stop);
    await installDefinitions(cluster);
    await cluster.kubectlOrThrow(['create', 'namespace', HOME]);
    const kubeconfig = await grantOperatorRoles(cluster, HOME, []);
    const setup = { cluster, kubeconfig, home: HOME, everySeconds: 60, flushInterval: '10s', say };
    const outcome = await tortureUsage({ ...setup, ...options });
    process.stdout.write(`${describeMachine()}\n${JSON.stringify({ ...options, ...outcome }, undefined, 2)}\n`);
  },
});
