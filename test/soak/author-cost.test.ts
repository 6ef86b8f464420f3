/** The cost of the policies for a write: printed as a ratio, never asserted, because machines differ. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import type { Stored } from '../support/stored.ts';

const WRITES = 200;
/** Plain and guarded writes take turns, so that both run in the same conditions. */
const AT_A_TIME = 20;

const cluster = sharedCluster();
let transport: Transport;

beforeAll(() => {
  transport = connect(loadKubeConfig(cluster.kubeconfig));
});
afterAll(() => transport.close());

const pathOf = (namespace: string, name = '') =>
  `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags${name && `/${name}`}`;

/** Creates a flag of a usual size: three environments with three strategies each. */
async function createFlag(namespace: string): Promise<void> {
  const strategy = { name: 'flexibleRollout', parameters: { rollout: 25, stickiness: 'default', groupId: 'g' } };
  const strategies = { first: strategy, second: strategy, third: strategy };
  const environments = { development: { strategies }, staging: { strategies }, production: { strategies } };
  const body = aFlag(`${namespace}/written`, { environments });
  await transport.request({ method: 'POST', path: pathOf(namespace), body });
}

/** Returns the milliseconds for these writes, one after the other. Each changes one environment. */
async function timeWrites(namespace: string, from: number): Promise<number> {
  const start = performance.now();
  for (let index = from; index < from + AT_A_TIME; index += 1) {
    const body = { spec: { environments: { production: { strategies: { first: { title: `title ${index}` } } } } } };
    const contentType = 'application/merge-patch+json';
    await transport.request({ method: 'PATCH', path: pathOf(namespace, 'written'), contentType, body });
  }
  return performance.now() - start;
}

test.each([
  ['the author policy', (home: string) => installAuthorPolicy(cluster, [home])],
  [
    'the author policy with the permission for each environment',
    async (home: string) => {
      await installAuthorPolicy(cluster, [home]);
      await installPolicyIn(cluster, 'opt-in/environment-permission.yaml', [home]);
    },
  ],
])(`${WRITES} writes under %s are all stamped`, async (what, install) => {
  const [plain, guarded] = [await cluster.freshNamespace('cost-plain'), await cluster.freshNamespace('cost')];
  await install(guarded);
  for (const namespace of [plain, guarded]) await createFlag(namespace);

  const took = { plain: 0, guarded: 0 };
  for (let from = 0; from < WRITES; from += AT_A_TIME) {
    took.plain += await timeWrites(plain, from);
    took.guarded += await timeWrites(guarded, from);
    const flag = (await transport.request({ method: 'GET', path: pathOf(guarded, 'written') })) as Stored;
    expect(stampOf(flag)).toMatchObject({ 'changed-by': 'admin', 'changed-generation': `${flag.metadata.generation}` });
    expect(flag.metadata.generation).toBe(1 + from + AT_A_TIME);
  }
  const each = (ms: number) => `${(ms / WRITES).toFixed(2)} ms`;
  const ratio = (took.guarded / took.plain).toFixed(2);
  process.stdout.write(
    `  a write under ${what}: ${each(took.guarded)}, without: ${each(took.plain)}, ratio ${ratio}\n`,
  );
});
