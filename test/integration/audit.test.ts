/** The history as users read it: each change by any client is recorded once, with its author. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { installAuthorPolicy } from '../support/author-policy.ts';
import { aFlag, aProject, aRole, aSegment, aStrategyType, aToken, aUser, type Manifest } from '../support/builders.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import { objectPath, objectsWith } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { kubectlApply } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';

const ADMIN_TOKEN = '*:*.the-first-token-of-this-test';
const EVERYONE = { everyone: { name: 'default' } };

let instance: Instance;
let alice: Account;
let asAlice: Transport;
let bob: Account;
let admin: Call;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN };
  instance = await startInstance('audit', { settings });
  const { cluster, home, other, url } = instance;
  admin = adminClient(url, { authorization: ADMIN_TOKEN });
  await grantReviews(cluster, home);
  await installAuthorPolicy(instance.cluster, [instance.home, instance.other]);
  await installPolicyIn(cluster, 'audit-events.yaml', [home, other]);
  const rules = { [home]: [[['*'], ['*']]], [other]: [[['*'], ['*']]] } as const;
  alice = await createAccount(cluster, { namespace: home, name: 'alice', rules });
  asAlice = connect(loadKubeConfig(alice.kubeconfig));
  bob = await createAccount(cluster, { namespace: home, name: 'bob', rules });
  const subjects = [{ kind: 'ServiceAccount' as const, name: 'bob', namespace: home }];
  await instance.apply(
    aUser(`${home}/bob`, { email: 'bob@example.com', subjects }),
    aUser(`${home}/carol`, { email: 'carol@example.com' }),
    aFlag(`${home}/first`),
  );
  await untilRecording(cluster, admin, { flag: '/projects/shop/features/first', namespace: home });
});
afterAll(async () => {
  asAlice?.close();
  await instance.stop();
});

const by = (account: Account) => (args: readonly string[], input?: Manifest) =>
  instance.cluster.kubectlOrThrow([...args, '-n', instance.home], {
    kubeconfig: account.kubeconfig,
    ...(input && { input: JSON.stringify(input) }),
  });

const ofAlice = objectsWith((call) => asAlice.request(call));
const applyAsAlice = (manifest: Manifest) => kubectlApply(asAlice).apply(manifest);

const asAdmin = (args: readonly string[]) => instance.cluster.kubectlOrThrow([...args, '-n', instance.home]);

const authors = (events: readonly Stored[]) =>
  events.map(({ type, environment, createdBy, createdByUserId, ip }) => ({
    type,
    environment,
    by: `${createdBy} ${createdByUserId}`,
    ip,
  }));

test('kubectl creates, the API switches on, kubectl deletes: each is recorded once, with its author', async () => {
  const environments = { production: { strategies: EVERYONE } };
  await by(alice)(['create', '-f', '-'], aFlag(`${instance.home}/recorded`, { project: 'shop', environments }));
  await waitUntil({ what: 'it is served' }, async () => {
    return (await admin('GET /projects/shop/features/recorded')).status === 200;
  });
  expect((await admin('POST /projects/shop/features/recorded/environments/production/on')).status).toBe(200);
  await by(alice)(['delete', 'ff', 'recorded']);
  const events = await untilRecorded(admin, 'feature=IS:recorded', 4);
  const byAlice = `${alice.username} -1`;
  expect(authors(events)).toEqual([
    { type: 'feature-created', environment: null, by: byAlice, ip: null },
    { type: 'feature-strategy-add', environment: 'production', by: byAlice, ip: null },
    { type: 'feature-environment-enabled', environment: 'production', by: 'bootstrap-token -42', ip: '127.0.0.1' },
    { type: 'feature-deleted', environment: null, by: 'unknown -1', ip: null },
  ]);
  expect(events[3].preData).toMatchObject({ name: 'recorded', project: 'shop' });
});

test('a caller who deletes through the API is the author of the deletion', async () => {
  expect((await admin('POST /projects/shop/features', { body: { name: 'short' } })).status).toBe(201);
  expect((await admin('DELETE /projects/shop/features/short')).status).toBe(202);
  expect((await admin('DELETE /archive/short')).status).toBe(200);
  const events = await untilRecorded(admin, 'feature=IS:short', 3);
  const byAdmin = { environment: null, by: 'bootstrap-token -42', ip: '127.0.0.1' };
  expect(authors(events)).toEqual([
    { type: 'feature-created', ...byAdmin },
    { type: 'feature-archived', ...byAdmin },
    { type: 'feature-deleted', ...byAdmin },
  ]);
});

test('the author of a Vexil user has their address and id, through kubectl and through the API', async () => {
  await by(bob)(['create', '-f', '-'], aFlag(`${instance.home}/of-bob`, { project: 'shop' }));
  const asBob = adminClient(instance.url, { authorization: `Bearer ${bob.token}` });
  await waitUntil({ what: 'it is served' }, async () => {
    return (await asBob('GET /projects/shop/features/of-bob')).status === 200;
  });
  const body = [{ op: 'replace', path: '/description', value: 'by Bob' }];
  expect((await asBob('PATCH /projects/shop/features/of-bob', { body })).status).toBe(200);
  const events = await untilRecorded(admin, 'feature=IS:of-bob', 2);
  const { status } = JSON.parse(await by(alice)(['get', 'fuser', 'bob', '-o', 'json']));
  expect(authors(events).map((one) => [one.type, one.by, one.ip])).toEqual([
    ['feature-created', `bob@example.com ${status.id}`, null],
    ['feature-metadata-updated', `bob@example.com ${status.id}`, '127.0.0.1'],
  ]);
});

test('a write that changes no spec is not recorded: a status, an annotation, an apply of the same', async () => {
  const flag = aFlag(`${instance.home}/quiet`, { project: 'nowhere-yet' });
  await applyAsAlice(flag);
  await applyAsAlice(flag);
  await ofAlice.patchObject('ff/quiet', instance.home, { metadata: { annotations: { note: 'changed' } } });
  // The status of the flag changes with its project.
  await instance.apply(aProject(`${instance.home}/nowhere-yet`));
  await waitUntil({ what: 'it is well' }, async () => {
    const { status } = await instance.flag(`${instance.home}/quiet`);
    return status.problems === undefined;
  });
  await ofAlice.patchObject('ff/quiet', instance.home, { spec: { description: 'recorded' } });
  const events = await untilRecorded(admin, 'feature=IS:quiet', 2);
  expect(events.map(({ type }) => type)).toEqual(['feature-created', 'feature-metadata-updated']);
});

test('one apply with several changes is recorded as one event for each, with before and after', async () => {
  const first = { project: 'shop', tags: ['simple:old'], environments: { development: { strategies: EVERYONE } } };
  await applyAsAlice(aFlag(`${instance.home}/busy`, first));
  const second = {
    ...first,
    stale: true,
    tags: ['simple:new'],
    environments: { development: { enabled: true, strategies: { everyone: { name: 'default', title: 'All' } } } },
  };
  await applyAsAlice(aFlag(`${instance.home}/busy`, second));
  const events = (await untilRecorded(admin, 'feature=IS:busy', 8)).slice(2);
  expect(
    events.map(({ type, data, preData }) => [type, data?.title ?? data?.stale, preData?.title ?? preData?.stale]),
  ).toEqual([
    ['feature-metadata-updated', true, false],
    ['feature-stale-on', undefined, undefined],
    ['feature-tagged', undefined, undefined],
    ['feature-untagged', undefined, undefined],
    ['feature-strategy-update', 'All', undefined],
    ['feature-environment-enabled', undefined, undefined],
  ]);
  expect(events.every(({ tags }) => tags.length === 1 && tags[0].value === 'new')).toBe(true);
});

describe('kinds other than flags', () => {
  test.each<[string, (home: string) => Manifest, object, readonly string[]]>([
    [
      'role',
      (home) => aRole(`${home}/one-role`, { type: 'project' }),
      { description: 'new' },
      ['role-created', 'role-updated', 'role-deleted'],
    ],
    [
      'user',
      (home) => aUser(`${home}/one-user`),
      { displayName: 'New' },
      ['user-created', 'user-updated', 'user-deleted'],
    ],
    [
      'strategydefinition',
      (home) => aStrategyType(`${home}/one-type`),
      { deprecated: true },
      ['strategy-created', 'strategy-deprecated', 'strategy-deleted'],
    ],
    [
      'segment',
      (home) => aSegment(`${home}/one-segment`),
      { description: 'new' },
      ['segment-created', 'segment-updated', 'segment-deleted'],
    ],
    [
      'apitoken',
      (home) => aToken(`${home}/one-token`, { type: 'client' }),
      { description: 'new' },
      ['api-token-created', 'api-token-updated', 'api-token-deleted'],
    ],
    [
      'project',
      (home) => aProject(`${home}/one-project`, { members: { bob: 'owner' } }),
      { description: 'new' },
      ['project-created', 'project-user-added', 'project-updated', 'project-deleted'],
    ],
  ])('a %s is created, changed and deleted', async (_, manifest, change, types) => {
    const object = manifest(instance.home);
    const { kind, metadata } = object;
    const place = `${kind.toLowerCase()}/${metadata.name}`;
    const path = objectPath(kind, instance.home);
    await asAlice.request({ method: 'POST', path, body: object });
    await ofAlice.patchObject(place, instance.home, { spec: change });
    await ofAlice.deleteObject(place, instance.home);
    const mine = () => recorded(admin, `type=IS_ANY_OF:${types.join(',')}`);
    const events = await waitUntil({ what: 'all is recorded' }, async () => {
      const found = (await mine()).filter(({ createdBy }) => createdBy === alice.username || createdBy === 'unknown');
      return found.length >= types.length && found;
    });
    expect(events.map(({ type }) => type)).toEqual(types);
    expect(events.map(({ createdBy }) => createdBy)).toEqual([...types.slice(1).map(() => alice.username), 'unknown']);
  });
});

describe('the Events', () => {
  test('are readable in kubectl get events and kubectl describe', async () => {
    await by(bob)(
      ['create', '-f', '-'],
      aFlag(`${instance.home}/shown`, {
        project: 'shop',
        environments: { production: { enabled: true, strategies: EVERYONE } },
      }),
    );
    const off = '{"spec":{"environments":{"production":{"enabled":false}}}}';
    await by(bob)(['patch', 'ff', 'shown', '--type=merge', '-p', off]);
    const listed = await waitUntil({ what: 'the Events are there' }, async () => {
      const text = await asAdmin(['get', 'events.events.k8s.io', '--field-selector', 'regarding.name=shown']);
      return text.split('\n').filter(Boolean).length >= 3 && text;
    });
    // The Event of the creation contains everything that the flag began with.
    expect(listed.match(/Normal +FeatureCreated +featureflag\/shown .*/gi)).toEqual([
      expect.stringMatching(/shop by .*\. A default strategy was added .*\. Flag shown was enabled for the production/),
    ]);
    const described = await asAdmin(['describe', 'ff', 'shown']);
    expect(described).toMatch(/FeatureEnvironmentDisabled .*production/);
    expect(described + listed).not.toContain('bob@example.com');
  });

  test('of an object in a namespace that is being deleted are in the operator namespace', async () => {
    const { cluster, other, home } = instance;
    await instance.apply(aFlag(`${other}/last`, { project: 'pay' }));
    await cluster.kubectlOrThrow(['delete', 'namespace', other, '--wait=false']);
    await cluster.deleteObject('ff/last', other);
    const event = await waitUntil({ what: 'the deletion is in the operator namespace' }, async () => {
      const { items } = await cluster.getObject('events', home);
      return items.find(({ reason, regarding }: Stored) => reason === 'FeatureDeleted' && regarding.name === 'last');
    });
    expect(event.note).toContain('last');
    expect((await recorded(admin, 'feature=IS:last')).map(({ type }) => type)).toEqual([
      'feature-created',
      'feature-deleted',
    ]);
  });

  test('can be written by no other user, and cannot be forged', async () => {
    const { cluster, home } = instance;
    const metadata = { name: 'forged', namespace: home, labels: { 'vexil.dev/audit': '1' } };
    const involvedObject = { kind: 'FeatureFlag', apiVersion: 'vexil.dev/v1beta1', name: 'shown', namespace: home };
    const forged = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject,
      reason: 'FeatureDeleted',
      message: 'forged',
    };
    const refused = (kubectl: Promise<{ readonly stderr: string; readonly code: number | null }>) =>
      expect(kubectl).resolves.toMatchObject({ stderr: expect.stringContaining('only Vexil writes Events') });
    await refused(cluster.kubectl(['create', '-f', '-'], { input: JSON.stringify(forged) }));
    const events = JSON.parse(
      await cluster.kubectlOrThrow(['get', 'events', '-n', home, '-l', 'vexil.dev/audit', '-o', 'json']),
    );
    const [one] = events.items;
    await refused(cluster.kubectl(['label', 'event', one.metadata.name, '-n', home, 'vexil.dev/audit-']));
    await refused(
      cluster.kubectl(['annotate', 'event', one.metadata.name, '-n', home, '--overwrite', 'vexil.dev/audit-entry={}']),
    );
  });
});
