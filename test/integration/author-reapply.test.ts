/** An identical apply with the author policy in effect changes nothing, for every user and after every other writer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { type Account, createAccount } from '../support/account.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { kubectlForcedApply, writersOn } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let git: Account;
/** Connects as the account `git`. */
let transport: Transport;

beforeAll(async () => {
  instance = await startInstance('author-reapply');
  const { cluster, home } = instance;
  await installAuthorPolicy(instance.cluster, [instance.home, instance.other]);
  const verbs = ['get', 'list', 'create', 'patch', 'update'];
  git = await createAccount(cluster, { namespace: home, name: 'git', rules: { [home]: [[verbs, ['featureflags']]] } });
  transport = connect(loadKubeConfig(git.kubeconfig));
});
afterAll(async () => {
  transport.close();
  await instance.stop();
});

const ofTeam = { 'example.com/team': 'payments' };
/**
 * The ways in which the writers apply, and the annotations of the manifest. A client-side and a server-side one each
 * have some.
 */
const ways: readonly (readonly [way: string, annotations: Readonly<Record<string, string>> | undefined])[] = [
  ['kubectl apply', ofTeam],
  ['kubectl apply --server-side, forced', undefined],
  ['Flux', ofTeam],
  ['Argo CD', undefined],
  ['Argo CD, ServerSideApply', undefined],
];

const stored = ({ metadata }: Manifest): Promise<Stored> => instance.flag(`${instance.home}/${metadata.name}`);
async function apply(way: string, manifest: Manifest): Promise<void> {
  const writer = [...writersOn(transport), kubectlForcedApply(transport)].find(({ name }) => name === way);
  expect(await writer?.apply(manifest)).toMatch(/^(written|nothing to do)$/);
}
const byApi = async ({ metadata: { name } }: Manifest) => {
  await instance.served(`GET /projects/shop/features/${name}`);
  const body = [{ op: 'replace', path: '/stale', value: true }];
  expect((await instance.call(`PATCH /projects/shop/features/${name}`, { body })).status).toBe(200);
};

/** Compares the whole object, so that a re-apply that moved an author, a time or an owner of a field would fail. */
async function expectUnmoved(before: Stored, act: () => Promise<unknown>): Promise<void> {
  await act();
  expect(await stored(before)).toEqual(before);
}

const withoutOwners = ({ metadata, ...rest }: Stored): Stored => {
  const { managedFields: _, resourceVersion: __, ...kept } = metadata;
  return { ...rest, metadata: kept };
};

const fromGit = (name: string, annotations?: Readonly<Record<string, string>>): Manifest => {
  const manifest = aFlag(`${instance.home}/${name}`, { description: 'from Git' });
  return annotations ? { ...manifest, metadata: { ...manifest.metadata, annotations } } : manifest;
};

describe.each(ways)('by %s', (way, annotations) => {
  const name = (what: string) => `${way.toLowerCase().replace(/[^a-z]+/g, '-')}-${what}`;

  test('of a manifest with annotations of its own, or without any, also after a write of the API', async () => {
    const manifest = fromGit(name('again'), annotations);
    await apply(way, manifest);
    const applied = await stored(manifest);
    expect(stampOf(applied)).toMatchObject({ 'changed-by': git.username, 'changed-generation': '1' });
    await expectUnmoved(applied, () => apply(way, manifest));

    await byApi(manifest);
    const changed = await stored(manifest);
    expect(stampOf(changed)).toMatchObject({ 'changed-by': 'unknown', 'changed-generation': '2' });
    await expectUnmoved(changed, () => apply(way, manifest));
    await expectUnmoved(changed, () => apply(way, manifest));
  });

  /**
   * The policy always changes the annotations that this manifest contains, so the applier keeps owning them, and the
   * time of its entry moves. The API server makes a new version only if the entry moves past the entry of another
   * manager.
   */
  test('of a manifest with an old stamp: the stamp has no effect', async () => {
    const old = { 'vexil.dev/changed-by': 'someone-before', 'vexil.dev/changed-generation': '1' };
    const manifest = fromGit(name('stamped'), old);
    const settles = async (wanted: object) => {
      await waitUntil({ what: 'an apply moves nothing' }, async () => {
        const before = await stored(manifest);
        await apply(way, manifest);
        const after = await stored(manifest);
        expect(stampOf(after)).toMatchObject(wanted);
        expect(withoutOwners(after)).toEqual(withoutOwners(before));
        return after.metadata.resourceVersion === before.metadata.resourceVersion;
      });
    };
    await apply(way, manifest);
    await settles({ 'changed-by': git.username, 'changed-generation': '1' });
    await byApi(manifest);
    await settles({ 'changed-by': 'unknown', 'changed-generation': '2' });
  });
});

test.each(['kubectl apply', 'Flux'])('of a change by %s: its author is the user who applied it', async (way) => {
  const manifest = fromGit(`changed-${way.replace(' ', '-').toLowerCase()}`);
  await apply(way, manifest);
  await byApi(manifest);
  await apply(way, { ...manifest, spec: { ...manifest.spec, description: 'from Git again' } });
  const changed = await stored(manifest);
  expect(stampOf(changed)).toEqual({
    'created-by': git.username,
    'changed-by': git.username,
    'changed-generation': '3',
  });
  expect(changed.status.changedBy).toBe(git.username);
});

test.each([
  ['the creator was kubectl', async (manifest: Manifest) => apply('kubectl apply', manifest)],
  [
    'the last author was the API',
    async (manifest: Manifest) => {
      await apply('kubectl apply', manifest);
      await byApi(manifest);
    },
  ],
])('kubectl get -o yaml | kubectl apply -f - keeps the stamp if %s', async (what, prepare) => {
  const manifest = fromGit(`piped-${what.replaceAll(' ', '-').toLowerCase()}`);
  await prepare(manifest);
  const before = await stored(manifest);
  const get = ['get', 'ff', manifest.metadata.name, '-n', instance.home, '-o', 'yaml'];
  const pipe = async () => {
    const input = await instance.cluster.kubectlOrThrow(get, { kubeconfig: git.kubeconfig });
    await instance.cluster.kubectlOrThrow(['apply', '-f', '-'], { kubeconfig: git.kubeconfig, input });
    return stored(manifest);
  };
  for (const after of [await pipe(), await pipe()]) {
    expect(stampOf(after)).toEqual(stampOf(before));
    expect([after.spec, after.status, after.metadata.generation]).toEqual([
      before.spec,
      before.status,
      before.metadata.generation,
    ]);
  }
});
