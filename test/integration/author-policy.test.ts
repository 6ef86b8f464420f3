/** The user who wrote an object last, through each API: kubectl, the admin API, and the operator itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let alice: Account;

const asAlice = (args: readonly string[], input?: Manifest) =>
  instance.cluster.kubectlOrThrow([...args, '-n', instance.home], {
    kubeconfig: alice.kubeconfig,
    ...(input && { input: JSON.stringify(input) }),
  });

/** Creates the object as Alice, without the cost of kubectl. */
const create = (body: Manifest) => {
  const path = objectPath(body.kind, instance.home);
  return instance.cluster.request({ method: 'POST', path, body }, alice.kubeconfig);
};

const stored = (name: string): Promise<Stored> => instance.flag(`${instance.home}/${name}`);

beforeAll(async () => {
  instance = await startInstance('author');
  const { cluster, home } = instance;
  await installAuthorPolicy(instance.cluster, [instance.home, instance.other]);
  alice = await createAccount(cluster, { namespace: home, name: 'alice', rules: { [home]: [[['*'], ['*']]] } });
});
afterAll(() => instance.stop());

const describeBy = (name: string, value: string) =>
  instance.call(`PATCH /projects/shop/features/${name}`, { body: [{ op: 'replace', path: '/description', value }] });

const describeInConsole = (name: string, reason: string) =>
  instance.call(`PATCH /projects/shop/features/${name}?reason=${reason}`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    body: [{ op: 'replace', path: '/description', value: reason }],
  });

const byApi = { 'changed-by': 'unknown', 'changed-via': 'anonymous', 'changed-from': '127.0.0.1' };

test('kubectl, then the API, then kubectl: each is the author of what it wrote, and the creator stays', async () => {
  await asAlice(['create', '-f', '-'], aFlag(`${instance.home}/both`));
  const created = await stored('both');
  const byAlice = { 'created-by': alice.username, 'changed-by': alice.username };
  expect(stampOf(created)).toEqual({ ...byAlice, 'changed-generation': '1' });
  expect(created.status.changedBy).toBe(alice.username);

  await instance.served('GET /projects/shop/features/both');
  expect((await describeBy('both', 'by the API')).status).toBe(200);
  const described = await stored('both');
  expect(stampOf(described)).toEqual({ 'created-by': alice.username, ...byApi, 'changed-generation': '2' });
  expect(described.status.changedBy).toBe('unknown');

  expect((await describeInConsole('both', 'Sale')).status).toBe(200);
  const reasoned = { ...byApi, 'changed-channel': 'console', 'changed-reason': 'Sale' };
  expect(stampOf(await stored('both'))).toEqual({
    ...{ 'created-by': alice.username, 'changed-generation': '3' },
    ...reasoned,
  });

  await asAlice(['patch', 'ff', 'both', '--type=merge', '-p', '{"spec":{"description":"by kubectl"}}']);
  const patched = await stored('both');
  expect(stampOf(patched)).toEqual({ ...byAlice, 'changed-generation': '4' });
  expect(patched.status.changedBy).toBe(alice.username);
});

test('an object that the API creates has its caller as creator', async () => {
  await instance.call('POST /projects/shop/features', { body: { name: 'by-api' } });
  const object = await stored('by-api');
  expect(stampOf(object)).toEqual({ 'created-by': 'unknown', ...byApi, 'changed-generation': '1' });
});

test('a call that changes nothing writes nothing, and keeps the author', async () => {
  await create(aFlag(`${instance.home}/same`, { description: 'by Alice' }));
  await instance.served('GET /projects/shop/features/same');
  const before = await stored('same');
  for (const [request, body] of [
    ['PATCH /projects/shop/features/same', [{ op: 'replace', path: '/description', value: 'by Alice' }]],
    ['PUT /projects/shop/features/same', { description: 'by Alice' }],
    ['POST /projects/shop/features/same/environments/production/off', undefined],
  ] as const) {
    const { status, text } = await instance.untouched(request, { body });
    expect(status, text).toBe(200);
  }
  expect(stampOf(await stored('same'))).toEqual(stampOf(before));
});

test('a dry run of a change keeps the author', async () => {
  await create(aFlag(`${instance.home}/dry`));
  await instance.served('GET /projects/shop/features/dry');
  const body = [{ op: 'replace', path: '/description', value: 'as if' }];
  expect((await instance.untouched('PATCH /projects/shop/features/dry?dryRun=true', { body })).status).toBe(200);
});

describe('a write of the operator itself', () => {
  const get = async (kind: string, name: string): Promise<Stored> =>
    instance.cluster.getObject(`${kind}/${name}`, instance.home);

  test.each([
    ['FlagUser', 'fuser'],
    ['FlagRole', 'frole'],
  ])('the id of a %s keeps its author', async (kind, short) => {
    const name = `numbered-${short}`;
    const metadata = { namespace: instance.home, name };
    await create({ apiVersion: 'vexil.dev/v1beta1', kind, metadata, spec: {} });
    const object = await waitUntil({ what: 'it has an id' }, async () => {
      const found = await get(short, name);
      return found.status?.id !== undefined && found;
    });
    expect(stampOf(object)).toMatchObject({ 'changed-by': alice.username, 'changed-generation': '1' });
    expect(object.status.changedBy).toBe(alice.username);
  });

  test('a changed status of an object keeps its author', async () => {
    const lonely = aFlag(`${instance.home}/lonely`, { project: 'not-there-yet' });
    await create(lonely);
    const before = await stored('lonely');
    expect(before.status.problems).toHaveLength(1);
    await instance.cluster.apply([aProject(`${instance.home}/not-there-yet`)]);
    const after = await waitUntil({ what: 'the flag is well' }, async () => {
      const found = await stored('lonely');
      return found.status.problems === undefined && found;
    });
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect([stampOf(after), after.status.changedBy]).toEqual([stampOf(before), alice.username]);
  });
});

test('kubectl get ff -o wide shows the author', async () => {
  await create(aFlag(`${instance.home}/wide`));
  await stored('wide');
  const [head = '', row = ''] = (await asAlice(['get', 'ff', 'wide', '-o', 'wide'])).split('\n');
  expect(head).toMatch(/ CHANGED BY$/);
  expect(row.slice(head.indexOf('CHANGED BY')).trim()).toBe(alice.username);
  expect(await asAlice(['get', 'ff', 'wide'])).not.toContain(alice.username);
});
