/** A control plane of its own with an operator in its own process, for the duration of the fuzzing. */
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OperatorProgram, startOperatorProgram } from '../support/operator-program.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';
import type { FuzzParts } from './fuzz.ts';

export interface FuzzedOperator extends FuzzParts {
  /** A problem that the operator itself reports; undefined if there is none. */
  complaint(): Promise<string | undefined>;
  /** The bytes in the heap; 0 if the operator does not answer any more. */
  heapBytes(): Promise<number>;
  stop(): Promise<void>;
}

const [HOME, OTHER] = ['fuzz', 'fuzz-other'];

/**
 * The number of rounds that are compared with each other. The lowest heap among them is the memory that is really
 * retained.
 */
const FEW_ROUNDS = 20;
const MAX_GROWTH_BYTES = 150 * 2 ** 20;

export async function startFuzzedOperator(): Promise<FuzzedOperator> {
  const cluster = await startControlPlane();
  let program: OperatorProgram | undefined;
  const stop = async () => {
    await program?.stop();
    await cluster.stop();
  };
  try {
    await installDefinitions(cluster);
    for (const namespace of [HOME, OTHER]) await cluster.kubectlOrThrow(['create', 'namespace', namespace]);
    const kubeconfig = await grantOperatorRoles(cluster, HOME, [OTHER]);
    const failures: string[] = [];
    program = startOperatorProgram({
      settings: {
        NODE_ENV: 'production',
        KUBECONFIG: kubeconfig,
        VEXIL_NAMESPACE: HOME,
        VEXIL_WATCH_NAMESPACES: [HOME, OTHER].join(','),
        VEXIL_HTTP_PORT: '0',
        VEXIL_OPS_PORT: '0',
        VEXIL_AUTH: 'none',
        // The operator reads applications from the database.
        VEXIL_USAGE_FLUSH_INTERVAL: '1s',
      },
      onLine: (line) => {
        if (!/^\{"level":"(info|debug|warn)"/.test(line)) failures.push(line);
      },
    });
    const { httpPort, opsPort } = await program.listening;
    const opsUrl = `http://127.0.0.1:${opsPort}`;
    const isReady = () => fetch(`${opsUrl}/readyz`).then(...okOrNot);
    await waitUntil({ what: 'the operator is ready' }, isReady);
    const heapBytes = () => readMetric(opsUrl, 'nodejs_heap_size_used_bytes').catch(() => 0);
    const growth = watchGrowth();
    return {
      ground: { cluster, home: HOME, other: OTHER },
      url: `http://127.0.0.1:${httpPort}`,
      heapBytes,
      async complaint() {
        if (failures.length > 0) return `the operator says: ${failures.slice(0, 10).join('\n')}`;
        if (!(await isReady())) return 'the operator is not ready any more';
        return growth.complaint(await heapBytes());
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const okOrNot = [({ ok }: Response) => ok, () => false] as const;

function watchGrowth() {
  const heaps: number[] = [];
  return {
    complaint(bytes: number): string | undefined {
      heaps.push(bytes);
      if (heaps.length < 2 * FEW_ROUNDS) return undefined;
      const [first, last] = [Math.min(...heaps.slice(0, FEW_ROUNDS)), Math.min(...heaps.slice(-FEW_ROUNDS))];
      return last - first > MAX_GROWTH_BYTES ? `the heap has grown from ${first} to ${last} bytes` : undefined;
    },
  };
}
