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
import { aFlag, type Manifest } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { vexil } from '../support/command-line.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { selfSigned } from '../support/control-plane/self-signed.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inVersion } from '../support/in-version.ts';

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

test('a file in the older version of the API is planned as one in the newer: nothing changes', async () => {
  const home = await cluster.freshNamespace('plan-version');
  const older = inVersion('v1alpha1', aFlag(`${home}/moved`, { description: 'x' }));
  await cluster.apply([older]);
  const plan = async (manifest: Manifest) => {
    const options = { environment: { KUBECONFIG: cluster.kubeconfig }, input: stringify(manifest) };
    const { plans } = JSON.parse((await vexil(['plan', '-f', '-', '--output', 'json'], options)).stdout);
    return plans.map(({ action }: Planned) => action);
  };
  expect(await plan(older)).toEqual(['none']);
  expect(await plan(inVersion('v1beta1', older))).toEqual(['none']);
});

interface Planned {
  readonly action: string;
  readonly message?: string;
}

test('plan and kubectl refuse the same values in the fields that the API server writes', async () => {
  const home = await cluster.freshNamespace('plan-written');
  const flag = aFlag(`${home}/odd`);
  const withMetadata = (fields: object) => ({ ...flag, metadata: { ...flag.metadata, ...fields } });
  const rows: readonly (readonly [string, Manifest & { readonly status?: unknown }, string | undefined])[] = [
    ['status as a text', { ...flag, status: 'x' }, '.status: expected map'],
    ['an unknown field of the status', { ...flag, status: { bogus: 1 } }, '.status.bogus: field not declared'],
    ['a list as a text', { ...flag, status: { conditions: 'x' } }, '.status.conditions: expected list'],
    ['a status', { ...flag, status: { conditions: [] } }, undefined],
    ['a status without content', { ...flag, status: null }, undefined],
    ['no time', withMetadata({ creationTimestamp: 'yesterday' }), 'metadata.creationTimestamp'],
    ['a time with a space', withMetadata({ creationTimestamp: '2026-12-01 00:00:00Z' }), 'metadata.creationTimestamp'],
    ['a day', withMetadata({ creationTimestamp: '2026-12-01' }), 'metadata.creationTimestamp'],
    ['a time as a number', withMetadata({ creationTimestamp: 5 }), 'metadata.creationTimestamp must be string'],
    ['a time', withMetadata({ creationTimestamp: '2026-12-01T00:00:00.5+01:00' }), undefined],
    ['null', withMetadata({ creationTimestamp: null, generation: null, uid: null, ownerReferences: null }), undefined],
    ['the time of a deletion', withMetadata({ deletionTimestamp: 'x' }), 'metadata.deletionTimestamp'],
    ['a text as a generation', withMetadata({ generation: 'x' }), 'metadata.generation must be integer'],
    ['a part of a generation', withMetadata({ generation: 1.5 }), 'metadata.generation must be integer'],
    ['a part of a second', withMetadata({ deletionGracePeriodSeconds: 1.5 }), 'deletionGracePeriodSeconds must be'],
    ['owners as a text', withMetadata({ ownerReferences: 'x' }), 'metadata.ownerReferences must be array'],
    ['an owner as a text', withMetadata({ ownerReferences: ['x'] }), 'metadata.ownerReferences[0] must be object'],
    ['a number as a uid', withMetadata({ uid: 5 }), 'metadata.uid must be string'],
  ];
  const named = rows.map(([, { metadata, ...rest }], index) => {
    return { ...rest, metadata: { ...metadata, name: `odd-${index}` } };
  });
  const planned = await vexil(['plan', '-f', '-', '--output', 'json'], {
    environment: { KUBECONFIG: cluster.kubeconfig },
    input: named.map((manifest) => stringify(manifest)).join('---\n'),
  });
  const plans: readonly Planned[] = JSON.parse(planned.stdout).plans;
  // kubectl goes on after an object that is refused, and prints the name of each one that is accepted.
  const applied = await cluster.kubectl(['apply', '--server-side', '--dry-run=server', '-f', '-'], {
    input: named.map((manifest) => JSON.stringify(manifest)).join('\n---\n'),
  });
  const complaints = rows.flatMap(([title, , message], index) => {
    const { action, message: said = '' } = plans[index] as Planned;
    const isAccepted = applied.stdout.includes(`/odd-${index} serverside-applied`);
    const isAsWanted = isAccepted === (message === undefined) && action === (isAccepted ? 'create' : 'rejected');
    return isAsWanted && said.includes(message ?? '') ? [] : [`${title}: ${isAccepted}, ${action} ${said}`];
  });
  expect(complaints, applied.stdout + applied.stderr).toEqual([]);
});

test('plan and lint say where the evaluation of a flag takes too long', async () => {
  const home = await cluster.freshNamespace('plan-costly');
  const pattern = { contextName: 'userId', operator: 'REGEX', value: '(a{30}){30}' } as const;
  const strategies = { one: { name: 'default', constraints: [pattern] } };
  const input = JSON.stringify(
    aFlag(`${home}/costly`, { environments: { production: { enabled: true, strategies } } }),
  );
  const environment = { KUBECONFIG: cluster.kubeconfig };
  const message = 'an evaluation takes 768040 units of work, and 500000 are allowed';
  const { code, stdout } = await vexil(['plan', '-f', '-'], { environment, input });
  expect([code, stdout]).toEqual([2, expect.stringContaining(`! the flag would be off in production: ${message}`)]);
  const linted = await vexil(['lint', '-'], { environment, input });
  expect([linted.code, linted.stdout]).toEqual([1, expect.stringContaining(message)]);
});

test('the status of a file, as kubectl writes it, is no change', async () => {
  const home = await cluster.freshNamespace('plan-status');
  const flag = aFlag(`${home}/stored`);
  await cluster.apply([flag]);
  const path = `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags/stored/status`;
  const body = { ...flag, spec: undefined, status: { enabledIn: 'production' } };
  const query = { fieldManager: 'vexil-status', force: true };
  await cluster.request({ method: 'PATCH', path, query, contentType: 'application/apply-patch+yaml', body });
  const { code, stdout } = await vexil(['plan', '-f', '-', '--output', 'json'], {
    environment: { KUBECONFIG: cluster.kubeconfig },
    input: JSON.stringify({ ...flag, status: { enabledIn: 'development' } }),
  });
  expect([code, JSON.parse(stdout).plans[0].action]).toEqual([0, 'none']);
});

test('plan rejects exactly the objects that etcd does not take', async () => {
  const home = await cluster.freshNamespace('plan-size');
  const environment = { KUBECONFIG: cluster.kubeconfig };
  const flagWith = (name: string, characters: number, character = 'x') => {
    const strategies = { all: { name: 'flexibleRollout', parameters: { zz: character.repeat(characters) } } };
    return aFlag(`${home}/${name}`, { environments: { production: { strategies } } });
  };
  const plan = async (manifest: object) => {
    const { stdout } = await vexil(['plan', '-f', '-', '--output', 'json'], {
      environment,
      input: JSON.stringify(manifest),
    });
    return JSON.parse(stdout).plans[0] as Planned;
  };
  const bytesOf = (message = '') => Number(/has (\d+) bytes/.exec(message)?.[1]);
  for (const [name, character, length] of [
    ['escaped', '<', 6],
    ['a-name-that-is-quite-long-and-so-takes-room-in-each-key', 'ö', 2],
  ] as const) {
    const beyond = await plan(flagWith(name, Math.ceil(1_600_000 / length), character));
    expect(beyond).toMatchObject({ action: 'rejected', message: expect.stringContaining('etcd accepts 1572864') });
    const most = Math.floor((1_572_864 - (bytesOf(beyond.message) - Math.ceil(1_600_000 / length) * length)) / length);
    // A few bytes around the limit differ with the lengths of numbers.
    const [fits, over] = [flagWith(name, most - 10, character), flagWith(name, most + 10, character)];
    expect([(await plan(fits)).action, (await plan(over)).action]).toEqual(['create', 'rejected']);
    const apply = (body: Manifest) => {
      const query = { fieldManager: 'kubectl' };
      const path = objectPath(`ff/${name}`, home);
      return cluster.request({ method: 'PATCH', path, query, contentType: 'application/apply-patch+yaml', body });
    };
    await expect(apply(over)).rejects.toThrow('request is too large');
    expect(await apply(fits)).toMatchObject({ kind: 'FeatureFlag' });
  }
});

test('plan says why a large object is refused whose refusal quotes all of it', async () => {
  const home = await cluster.freshNamespace('plan-quoted');
  const flag = { ...aFlag(`${home}/quoted`), spec: { project: 'shop', environments: ['x'.repeat(1_400_000)] } };
  const { code, stdout } = await vexil(['plan', '-f', '-', '--output', 'json'], {
    environment: { KUBECONFIG: cluster.kubeconfig },
    input: JSON.stringify(flag),
  });
  expect(JSON.parse(stdout).plans[0]).toMatchObject({
    action: 'rejected',
    message: expect.stringContaining('.spec.environments: expected map'),
  });
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
  const flags = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
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
