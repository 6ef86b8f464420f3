/** The admission policy that guards protected environments. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { createAccount } from '../support/account.ts';
import { anEnvironment, type Manifest } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { untilRefused } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
let home: string;
let transport: Transport;

const collection = () => `/apis/vexil.dev/v1beta1/namespaces/${home}/environments`;
const kubectl = (...args: string[]) => cluster.kubectl([...args, '-n', home]);
const remove = (name: string, ...args: string[]) => kubectl('delete', 'fenv', name, ...args);
const apply = (...manifests: Manifest[]) => cluster.apply(manifests);
const names = async () => {
  const { items } = await cluster.getObject('fenv', home);
  return items.map(({ metadata }: Stored) => metadata.name);
};

const refusal = (name: string) => `environment ${name} is protected; set spec.protected to false first`;

/** Checks that a call is refused in the words of the operator. */
async function expectRefused(call: Promise<unknown>): Promise<void> {
  const error = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ClusterError)) throw new Error('the call was not refused');
  expect([error.code, error.message]).toEqual(['forbidden', expect.stringContaining(refusal('guarded'))]);
}

beforeAll(async () => {
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  home = await cluster.freshNamespace('protected');
  await apply(anEnvironment(`${home}/probe`, { protected: true }));
  await untilRefused(cluster, { method: 'DELETE', path: `${collection()}/probe`, query: { dryRun: 'All' } });
});
afterAll(() => transport.close());

beforeEach(async () => {
  home = await cluster.freshNamespace('protected');
  await apply(
    anEnvironment(`${home}/a-free`),
    anEnvironment(`${home}/guarded`, { protected: true }),
    anEnvironment(`${home}/said-free`, { protected: false }),
  );
});

describe('a protected environment', () => {
  test('is not deleted, and kubectl shows what to do', async () => {
    const { code, stderr } = await remove('guarded');
    expect(code).toBe(1);
    expect(stderr).toContain('Error from server (Forbidden)');
    expect(stderr).toContain(refusal('guarded'));
    expect(await names()).toContain('guarded');
  });

  test.each(['--force', '--cascade=orphan'])('is not deleted with %s', async (how) => {
    expect((await remove('guarded', how)).stderr).toContain(refusal('guarded'));
    expect(await names()).toContain('guarded');
  });

  test('is deleted when it is not protected any more', async () => {
    await cluster.patchObject('fenv/guarded', home, { spec: { protected: false } });
    expect((await remove('guarded')).code).toBe(0);
    expect(await names()).not.toContain('guarded');
  });

  test('is not deleted by the operator either, which reports the refusal with its text', async () => {
    const rules = { [home]: [[['delete'], ['environments']]] } as const;
    const { kubeconfig } = await createAccount(cluster, { namespace: home, name: 'vexil', rules });
    const ours = connect(loadKubeConfig(kubeconfig));
    await expectRefused(ours.request({ method: 'DELETE', path: `${collection()}/guarded` }));
    ours.close();
    expect(await names()).toContain('guarded');
  });
});

test.each<[string, object | null]>([
  ['that is not protected', { protected: false }],
  ['that does not say', {}],
  ['whose spec is null', null],
  ['that says null', { protected: null }],
])('an environment %s is deleted', async (_, spec) => {
  const manifest = { ...anEnvironment(`${home}/plain`), spec };
  await transport.request({ method: 'POST', path: collection(), body: manifest });
  await cluster.deleteObject('fenv/plain', home);
  expect(await names()).not.toContain('plain');
});

describe('several at once', () => {
  test('kubectl delete --all deletes the others, and fails with the refusal', async () => {
    const { code, stderr } = await kubectl('delete', 'fenv', '--all');
    expect([code, stderr]).toEqual([1, expect.stringContaining(refusal('guarded'))]);
    expect(await names()).toEqual(['guarded']);
  });

  test('deletecollection stops at the protected one: it stays, and so do the ones after it by name', async () => {
    await expectRefused(transport.request({ method: 'DELETE', path: collection() }));
    expect(await names()).toEqual(['guarded', 'said-free']);
  });

  test('deletecollection of a selection without a protected one succeeds', async () => {
    await cluster.kubectlOrThrow(['label', 'fenv', 'a-free', 'said-free', 'go=away', '-n', home]);
    await transport.request({ method: 'DELETE', path: collection(), query: { labelSelector: 'go=away' } });
    expect(await names()).toEqual(['guarded']);
  });
});

describe('the namespace as a whole', () => {
  const phase = () => cluster.kubectlOrThrow(['get', 'namespace', home, '-o', 'jsonpath={.status.phase}']);

  /** The test control plane has no controller that empties a namespace, so its calls are made here. */
  const empty = () =>
    waitUntil({ what: 'the API server knows that the namespace is terminating' }, () =>
      transport.request({ method: 'DELETE', path: collection() }).then(
        () => true,
        () => false,
      ),
    );

  test('is deleted with the protected one in it', async () => {
    await cluster.kubectlOrThrow(['delete', 'namespace', home, '--wait=false']);
    expect([await phase(), await names()]).toEqual(['Terminating', ['a-free', 'guarded', 'said-free']]);
    await empty();
    expect(await names()).toEqual([]);
    const namespace = JSON.parse(await cluster.kubectlOrThrow(['get', 'namespace', home, '-o', 'json']));
    const input = JSON.stringify({ ...namespace, spec: { finalizers: [] } });
    await cluster.kubectlOrThrow(['replace', '--raw', `/api/v1/namespaces/${home}/finalize`, '-f', '-'], { input });
    await waitUntil(
      { what: 'the namespace is gone' },
      async () => (await kubectl('get', 'namespace', home)).code !== 0,
    );
  });

  test('in a terminating namespace even a single delete is accepted', async () => {
    await cluster.kubectlOrThrow(['delete', 'namespace', home, '--wait=false']);
    await waitUntil({ what: 'it is deleted' }, async () => (await remove('guarded')).code === 0);
    expect(await names()).toEqual(['a-free', 'said-free']);
  });
});

test('the policy refuses requests that it cannot judge', async () => {
  const get = [
    'get',
    'validatingadmissionpolicy',
    'vexil-protected-environment',
    '-o',
    'jsonpath={.spec.failurePolicy}',
  ];
  expect(await cluster.kubectlOrThrow(get)).toBe('Fail');
});
