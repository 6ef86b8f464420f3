/** Every way to change what is in effect in an environment needs the permission for it, with kubectl and over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { Account } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aUser, type Manifest } from '../support/builders.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  type CallerName,
  callers,
  callersOf,
  createCallers,
  objectName,
  type Way,
  ways,
} from '../support/environment-ways.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const ADMIN = 'a-token-of-the-first-steps';
const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN, VEXIL_ENVIRONMENT_PERMISSIONS: 'true' };

let instance: Instance;
let accounts: Readonly<Record<CallerName, Account>>;
let admin: Transport;
const transports = new Map<CallerName, Transport>();

beforeAll(async () => {
  instance = await startInstance('env-ways', { settings });
  const { cluster, home, other } = instance;
  await grantReviews(cluster, home);
  admin = connect(loadKubeConfig(cluster.kubeconfig));
  accounts = await createCallers(instance);
  for (const caller of callers) transports.set(caller, connect(loadKubeConfig(accounts[caller].kubeconfig)));
  await instance.apply(aUser(`${home}/way-user`, { id: 1 }));
  await installPolicyIn(cluster, 'opt-in/environment-permission.yaml', [home, other]);
  const probe = { ...aFlag(`${other}/probe`, { environments: { production: {} } }) };
  const query = { dryRun: 'All' };
  await waitUntil({ what: 'the policy is in effect' }, async () => {
    const call = { method: 'POST', path: collectionOf(probe), query, body: probe } as const;
    return (await refusalOf(send('allButProduction', call))) !== undefined;
  });
  // The operator has seen each when its turn comes.
  for (const way of ways.filter(({ write }) => write !== 'create')) {
    const body = startOf(way);
    await admin.request({ method: 'POST', path: collectionOf(body), body });
  }
});
afterAll(async () => {
  for (const transport of [admin, ...transports.values()]) transport.close();
  await instance.stop();
});

function collectionOf({ kind, metadata: { namespace } }: Manifest): string {
  return `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${kind.toLowerCase()}s`;
}
const pathOf = (manifest: Manifest) => `${collectionOf(manifest)}/${manifest.metadata.name}`;

function send(caller: CallerName, call: Parameters<Transport['request']>[0]): Promise<unknown> {
  const transport = transports.get(caller);
  if (!transport) throw new Error(`${caller} is not connected`);
  return transport.request(call);
}

async function refusalOf(sent: Promise<unknown>): Promise<string | undefined> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    if (isClusterError(error, 'forbidden')) return error.message;
    throw error;
  }
}

/** The generation of the object; undefined if it does not exist. */
async function stateOf(manifest: Manifest): Promise<number | undefined> {
  try {
    const { metadata } = (await admin.request({ method: 'GET', path: pathOf(manifest) })) as Stored;
    return metadata.generation;
  } catch (error) {
    if (isClusterError(error, 'not-found')) return undefined;
    throw error;
  }
}

async function served(manifest: Manifest): Promise<void> {
  const { name } = manifest.metadata;
  const reads: Readonly<Record<string, string>> = {
    FeatureFlag: `/projects/pay/features/${name}`,
    Project: `/projects/${name}`,
    Environment: `/environments/${name}`,
    StrategyDefinition: `/strategies/${name}`,
  };
  const call = adminClient(instance.url, { authorization: ADMIN });
  const isArchived = (manifest.spec as Stored)['archived'] === true;
  await waitUntil({ what: `${name} is served`, everyMs: 10 }, async () => {
    if (!isArchived) return (await call(`GET ${reads[manifest.kind]}`)).status === 200;
    return (await call('GET /archive/features/pay')).text.includes(`"${name}"`);
  });
}

function writeOf(manifest: Manifest, write: NonNullable<Way['write']>): Parameters<Transport['request']>[0] {
  const path = pathOf(manifest);
  if (write === 'create') return { method: 'POST', path: collectionOf(manifest), body: manifest };
  if (write === 'delete') return { method: 'DELETE', path };
  if (write === 'delete collection') {
    const query = { fieldSelector: `metadata.name=${manifest.metadata.name}` };
    return { method: 'DELETE', path: collectionOf(manifest), query };
  }
  return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body: write.patch };
}

const httpAs = (caller: CallerName) => adminClient(instance.url, { authorization: accounts[caller].token });

async function expectRefused(caller: CallerName, way: Way, manifest: Manifest): Promise<void> {
  const before = await stateOf(manifest);
  if (way.write) {
    const refusal = await refusalOf(send(caller, writeOf(manifest, way.write)));
    expect(refusal).toMatch(/needs the verb change-flags on (all )?environments\.vexil\.dev/);
  }
  if (way.call) {
    const { request, ...options } = way.call(manifest.metadata.name);
    const { status, text, body } = await httpAs(caller)(request, options);
    expect([status, body.name], text).toEqual([403, 'PermissionError']);
    expect(body.message).toContain('cannot change-flags resource "environments"');
  }
  expect(await stateOf(manifest)).toBe(before);
}

/** The call over HTTP is a dry run if a write with kubectl follows: both begin with the same object. */
async function expectAllowed(caller: CallerName, way: Way, manifest: Manifest): Promise<void> {
  const before = await stateOf(manifest);
  if (way.call) {
    const { request, ...options } = way.call(manifest.metadata.name);
    const { status, text } = await httpAs(caller)(way.write ? `${request}?dryRun=true` : request, options);
    expect(status, text).toBeLessThan(300);
  }
  if (way.write) expect(await refusalOf(send(caller, writeOf(manifest, way.write)))).toBeUndefined();
  expect(await stateOf(manifest)).not.toBe(before);
}

const startOf = (way: Way) => way.start(`${way.home ? instance.home : instance.other}/${objectName(way)}`);

test.each(ways)('$name', async (way) => {
  const manifest = startOf(way);
  const { refused, allowed } = callersOf(way);
  if (way.call) await served(manifest);
  if (refused) await expectRefused(refused, way, manifest);
  await expectAllowed(allowed, way, manifest);
});

test('cloning an environment, which the operator writes, needs the permission of its caller', async () => {
  const clone = (caller: CallerName) =>
    httpAs(caller)('POST /environments/development/clone', {
      body: { name: `clone-by-${caller.toLowerCase()}`, type: 'test' },
    });
  const refused = await clone('named');
  expect([refused.status, refused.body.name], refused.text).toEqual([403, 'PermissionError']);
  const { status, text } = await clone('everything');
  expect(status, text).toBeLessThan(300);
});

test('creating a project and owning it needs the permission that a new owner has', async () => {
  const { home } = instance;
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):(.+)$/.exec(accounts.named.username) ?? [];
  await instance.apply(aUser(`${home}/named`, { subjects: [{ kind: 'ServiceAccount', namespace, name }] }));
  const create = (caller: CallerName, id: string) => httpAs(caller)('POST /projects', { body: { id, name: id } });
  await waitUntil({ what: 'the user is known' }, async () => (await create('named', 'by-an-owner')).status === 403);
  expect((await create('allButProduction', 'by-nobody')).status).toBe(201);
});

test('a namespace that is deleted is emptied', async () => {
  const { cluster } = instance;
  const doomed = await cluster.freshNamespace('env-ways-doomed');
  await installPolicyIn(cluster, 'opt-in/environment-permission.yaml', [doomed]);
  const manifests = [
    aFlag(`${doomed}/doomed`, { environments: { production: { enabled: true } } }),
    aProject(`${doomed}/shop`),
  ];
  for (const body of manifests) await admin.request({ method: 'POST', path: collectionOf(body), body });
  await cluster.kubectlOrThrow(['delete', 'namespace', doomed, '--wait=false']);
  const as = ['--as=system:serviceaccount:kube-system:namespace-controller', '-n', doomed];
  await waitUntil({ what: 'the API server knows that the namespace is terminating' }, async () => {
    const { code } = await cluster.kubectl(['delete', 'featureflags,projects.vexil.dev', '--all', ...as]);
    return code === 0;
  });
  expect(await Promise.all(manifests.map(stateOf))).toEqual([undefined, undefined]);
});

test('the garbage collector needs the permission too: nobody can have a flag deleted by inventing an owner of it', async () => {
  const { cluster, other } = instance;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '00000000-0000-0000-0000-000000000000' };
  const { metadata, ...rest } = aFlag(`${other}/owned`, { environments: { production: { enabled: true } } });
  const manifest = { ...rest, metadata: { ...metadata, ownerReferences: [owner] } };
  await admin.request({ method: 'POST', path: collectionOf(manifest), body: manifest });
  const collector = '--as=system:serviceaccount:kube-system:generic-garbage-collector';
  const { stderr } = await cluster.kubectl(['delete', 'ff', 'owned', '-n', other, collector]);
  expect(stderr).toContain('changing the environment production needs the verb change-flags');
  expect(await stateOf(manifest)).toBe(1);
});

test('a project with the maximum of members and environments stays within the cost limit of the policy', async () => {
  const members = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`member-${index}`, 'member']));
  const environments = Array.from({ length: 30 }, (_, index) => `stage-${index}`);
  const manifest = aProject(`${instance.other}/large`, { members, environments });
  const create = { method: 'POST', path: collectionOf(manifest), body: manifest } as const;
  expect(await refusalOf(send('named', create))).toContain('change-flags on all environments.vexil.dev');
  expect(await refusalOf(send('everything', create))).toBeUndefined();
  const patch = (spec: object) => writeOf(manifest, { patch: { spec } });
  expect(await refusalOf(send('named', patch({ members: { 'member-7': null } })))).toBeUndefined();
  const others = [...environments.slice(0, 17), ...environments.slice(17).map((name) => `other-${name}`)];
  expect(await refusalOf(send('named', patch({ environments: others })))).toContain('change at most 24 environments');
  expect(await refusalOf(send('everything', patch({ environments: others })))).toBeUndefined();
});
