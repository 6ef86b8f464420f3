/** Many generated objects in each version of the API: they differ in `apiVersion` only. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { GROUP, VERSIONS } from '../../src/model/kind.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { withoutVersion } from '../support/in-version.ts';
import { oddFlags } from '../support/odd-flags.ts';
import type { Stored } from '../support/stored.ts';

const OBJECTS = Number(process.env['SOAK_OBJECTS'] ?? 4_000);
const ROUND = 1000;
const WRITERS = 16;

let plane: ControlPlane;
let transport: Transport;

beforeAll(async () => {
  plane = await startControlPlane();
  transport = connect(loadKubeConfig(plane.kubeconfig));
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', 'home']);
}, 120_000);
afterAll(async () => {
  transport?.close();
  await plane?.stop();
});

const pathIn = (version: string) => `/apis/${GROUP}/${version}/namespaces/home/featureflags`;

/** Creates flags, each in the next version. */
async function createAll(specs: readonly unknown[]): Promise<void> {
  const queue = [...specs.entries()];
  const writer = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const [index, spec] = next;
      const version = VERSIONS[index % VERSIONS.length]?.name ?? '';
      const body = { apiVersion: `${GROUP}/${version}`, kind: 'FeatureFlag', metadata: { name: `f-${index}` }, spec };
      await transport.request({ method: 'POST', path: pathIn(version), body });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

async function itemsIn(version: string): Promise<readonly Stored[]> {
  const { items }: Stored = await transport.request({ method: 'GET', path: pathIn(version) });
  expect(items.every(({ apiVersion }: Stored) => apiVersion === `${GROUP}/${version}`)).toBe(true);
  return items.map(withoutVersion);
}

test(`${OBJECTS} generated flags are the same in all versions`, { timeout: 1_800_000 }, async () => {
  for (let round = 0; round < OBJECTS / ROUND; round += 1) {
    const specs = [...oddFlags(ROUND, round).flags.values()];
    await createAll(specs);
    const [first, ...others] = await Promise.all(VERSIONS.map(({ name }) => itemsIn(name)));
    expect(first).toHaveLength(ROUND);
    for (const other of others) expect(other).toEqual(first);
    await transport.request({ method: 'DELETE', path: pathIn(VERSIONS[0]?.name ?? '') });
  }
});
