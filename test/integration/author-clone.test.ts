/** The leader writes the clone of an environment in the name of the user who requested it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { aFlag, anEnvironment, aProject, aRole, type Manifest } from '../support/builders.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let alice: Account;
let bob: Account;

const on = { enabled: true, strategies: { all: { name: 'default' } } };

beforeAll(async () => {
  instance = await startInstance('author-clone', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  await installAuthorPolicy(instance.cluster, [instance.home, instance.other]);
  const rules = { [home]: [[['*'], ['*']]] } as const;
  alice = await createAccount(cluster, { namespace: home, name: 'alice', rules });
  bob = await createAccount(cluster, { namespace: home, name: 'bob', rules });
  await instance.apply(
    aProject(`${home}/listing`, { environments: ['development', 'production'] }),
    aFlag(`${home}/copied`, { project: 'listing', environments: { production: on } }),
    aRole(`${home}/releaser`, { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' }] }),
  );
});
afterAll(() => instance.stop());

const create = ({ kubeconfig }: Account, body: Manifest) =>
  instance.cluster.request({ method: 'POST', path: objectPath(body.kind, instance.home), body }, kubeconfig);
const patch = ({ kubeconfig }: Account, what: string, body: object) => {
  const path = objectPath(what, instance.home);
  const contentType = 'application/merge-patch+json';
  return instance.cluster.request({ method: 'PATCH', path, contentType, body }, kubeconfig);
};
const read = (kind: string, name: string): Promise<Stored> =>
  instance.cluster.getObject(`${kind}/${name}`, instance.home);
const phase = async (name: string) => (await read('fenv', name)).status?.clone?.phase;
const reaches = (name: string, wanted: string) =>
  waitUntil({ what: `${name} is ${wanted}` }, async () => (await phase(name)) === wanted);

/**
 * Checks everything that a clone writes: the flag, the project that lists its environments, the role that is bound to
 * the source.
 */
async function expectWrittenBy({ username }: Account): Promise<void> {
  for (const [kind, name] of [
    ['ff', 'copied'],
    ['fp', 'listing'],
    ['frole', 'releaser'],
  ] as const) {
    const object = await waitUntil({ what: `${name} is judged` }, async () => {
      const found = await read(kind, name);
      return found.status?.observedGeneration === found.metadata.generation && found;
    });
    const { metadata, status } = object;
    expect(stampOf(object), `${kind} ${name}`).toMatchObject({
      'changed-by': username,
      'changed-via': 'environment-clone',
      'changed-from': '',
      'changed-generation': `${metadata.generation}`,
      'created-by': 'admin',
    });
    expect(status.changedBy).toBe(username);
  }
}

const clone = (name: string, from: string) =>
  anEnvironment(`${instance.home}/${name}`, { clone: { from, projects: ['listing'] } });

test('through the API: the author is its caller', async () => {
  const call = adminClient(instance.url, { authorization: `Bearer ${alice.token}` });
  const body = { name: 'by-alice', type: 'test', projects: ['listing'] };
  expect((await call('POST /environments/production/clone', { body })).status).toBe(200);
  await expectWrittenBy(alice);
});

test('by its manifest: the author is the creator of the Environment', async () => {
  await create(bob, clone('by-bob', 'production'));
  await reaches('by-bob', 'Done');
  await expectWrittenBy(bob);
});

test('a user who only changes the waiting Environment or its status is not the author', async () => {
  await create(alice, clone('patient', 'later'));
  await reaches('patient', 'Waiting');
  await patch(bob, 'fenv/patient', { spec: { displayName: 'Patient' } });
  await patch(bob, 'fenv/patient', { metadata: { annotations: { 'vexil.dev/created-by': 'bob' } } });
  await patch(bob, 'fenv/patient/status', { status: { changedBy: 'bob' } });
  await instance.apply(
    aFlag(`${instance.home}/copied`, { project: 'listing', environments: { later: on, production: on } }),
    aRole(`${instance.home}/releaser`, { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'later' }] }),
    anEnvironment(`${instance.home}/later`),
  );
  await reaches('patient', 'Done');
  await expectWrittenBy(alice);
});
