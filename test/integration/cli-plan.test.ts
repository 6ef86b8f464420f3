/** Plans of objects that the API server cannot read, which need no operator. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { createAccount } from '../support/account.ts';
import { aFlag } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { vexil } from '../support/command-line.ts';
import { selfSigned } from '../support/control-plane/self-signed.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const cluster = sharedCluster();

test('plan rejects each object that does not fit the schema, and plans the rest', async () => {
  const home = await cluster.freshNamespace('plan-odd');
  const odd = {
    number: { lifetimeDays: '5' },
    boolean: { stale: 'perhaps' },
    twice: { tags: ['simple:a', 'simple:a'] },
    list: { environments: [] },
    map: { tags: {} },
    unknown: { colour: 'red' },
  };
  const manifests = [
    ...Object.entries(odd).map(([name, spec]) => ({
      ...aFlag(`${home}/odd-${name}`),
      spec: { project: 'shop', ...spec },
    })),
    // As `kubectl get -o yaml` leaves it.
    { ...aFlag(`${home}/old`), metadata: { ...aFlag(`${home}/old`).metadata, uid: '1', resourceVersion: '1' } },
    { ...aFlag(`${home}/version`), metadata: { ...aFlag(`${home}/version`).metadata, resourceVersion: 'abc' } },
    { ...aFlag(`${home}/place`), metadata: { name: 'place', namespace: 5 } },
    { ...aFlag(`${home}/fine`), metadata: { name: 'fine', namespace: '' } },
  ];
  const deep = `a: 1\nb: ${'['.repeat(3000)}${']'.repeat(3000)}\n`;
  const input = [...manifests.map((manifest) => stringify(manifest)), deep].join('---\n');
  const args = ['plan', '-f', '-', '--output', 'json'];
  const { code, stdout } = await vexil(args, { environment: { KUBECONFIG: cluster.kubeconfig }, input });
  const { plans } = JSON.parse(stdout);
  expect(plans.map(({ name, action }: { name: string; action: string }) => [name, action])).toEqual([
    ['', 'rejected'],
    ...Object.keys(odd).map((name) => [`odd-${name}`, 'rejected']),
    ['old', 'rejected'],
    ['version', 'rejected'],
    ['place', 'rejected'],
    ['fine', 'create'],
  ]);
  expect(plans[0]).toMatchObject({ place: { line: 93 }, message: expect.stringContaining('200 levels') });
  expect(plans[1].message).toContain('.spec.lifetimeDays: expected');
  expect(code).toBe(1);
});

test('plan rejects objects in a namespace where the user has no permission, and plans the rest', async () => {
  const [home, other] = [await cluster.freshNamespace('plan-own'), await cluster.freshNamespace('plan-other')];
  const rules = { [home]: [[['get', 'list', 'patch', 'create'], ['featureflags']] as const] };
  const account = await createAccount(cluster, { namespace: home, name: 'planner', rules });
  const plan = (...places: readonly string[]) =>
    vexil(['plan', '-f', '-', '--output', 'json'], {
      environment: { KUBECONFIG: account.kubeconfig },
      input: places.map((place) => stringify(aFlag(place))).join('---\n'),
    });
  const { code, stdout } = await plan(`${other}/theirs`, `${home}/ours`);
  const { plans } = JSON.parse(stdout);
  expect(plans.map(({ name, action }: { name: string; action: string }) => [name, action])).toEqual([
    ['theirs', 'rejected'],
    ['ours', 'create'],
  ]);
  expect(plans[0].message).toContain(`may not get featureflags.vexil.dev in the namespace "${other}"`);
  expect(code).toBe(1);
  expect((await plan(`${other}/theirs`)).code).toBe(77);
});

/** Refuses objects of the namespace named `teapot`; resolves when it is asked. */
async function refuseTeapots(namespace: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-webhook-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await selfSigned({ certFile, keyFile, names: ['IP:127.0.0.1'], days: 1 });
  const cert = await readFile(certFile);
  const server = createServer({ cert, key: await readFile(keyFile) }, async (request, response) => {
    const {
      apiVersion,
      kind,
      request: review,
    } = (await json(request)) as Record<string, unknown> & {
      request: { uid: string; name: string };
    };
    const status = { code: 418, message: 'no coffee here' };
    const answer = { uid: review.uid, allowed: review.name !== 'teapot', status };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ apiVersion, kind, response: answer }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const name = `${namespace}.example.com`;
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const webhook = {
    name,
    clientConfig: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      caBundle: cert.toString('base64'),
    },
    rules: [{ apiGroups: ['vexil.dev'], apiVersions: ['*'], operations: ['*'], resources: ['featureflags'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
  };
  await cluster.request({
    method: 'POST',
    path,
    body: { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name }, webhooks: [webhook] },
  });
  onTestFinished(async () => {
    await cluster.request({ method: 'DELETE', path: `${path}/${name}` });
    server.close();
    await rm(folder, { recursive: true });
  });
  const flags = `/apis/vexil.dev/v1alpha1/namespaces/${namespace}/featureflags`;
  await waitUntil({ what: 'the webhook refuses' }, async () => {
    const call = { method: 'POST', path: flags, query: { dryRun: 'All' }, body: aFlag(`${namespace}/teapot`) } as const;
    return cluster.request(call).then(
      () => false,
      (error: unknown) => `${error}`.includes('no coffee'),
    );
  });
}

test('plan rejects what a webhook refuses with a status of its own, and plans the rest', async () => {
  const home = await cluster.freshNamespace('plan-webhook');
  await refuseTeapots(home);
  const { code, stdout } = await vexil(['plan', '-f', '-', '--output', 'json'], {
    environment: { KUBECONFIG: cluster.kubeconfig },
    input: ['teapot', 'fine'].map((name) => stringify(aFlag(`${home}/${name}`))).join('---\n'),
  });
  const { plans } = JSON.parse(stdout);
  expect(plans.map(({ name, action }: { name: string; action: string }) => [name, action])).toEqual([
    ['teapot', 'rejected'],
    ['fine', 'create'],
  ]);
  expect(plans[0].message).toContain('no coffee here');
  expect(code).toBe(1);
});
