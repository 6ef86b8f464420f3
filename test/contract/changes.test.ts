/** GET /changes: what callers receive of changes, and when their streams end. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MAX_STREAMS_OF_CALLER } from '../../src/delivery/change-streams.ts';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aSegment, aStrategyType, aUser, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OpenedStream, openStream, type ReceivedEvent } from '../support/event-stream.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';

const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const settings = {
  VEXIL_AUTH: 'token',
  VEXIL_ADMIN_TOKEN: ADMIN_TOKEN,
  VEXIL_SDK_STREAM_KEEP_ALIVE: '400ms',
  VEXIL_ACCESS_CACHE: '200ms',
};
let instance: Instance;
let reader: Account;
const opened: OpenedStream[] = [];

beforeAll(async () => {
  instance = await startInstance('changes', { settings });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  reader = await createAccount(cluster, {
    namespace: home,
    name: 'reader',
    rules: { [home]: [[['get'], ['projects'], ['shop']]] },
  });
});
afterAll(() => instance.stop());
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

async function stream(token = ADMIN_TOKEN, lastEventId?: string, url = instance.url): Promise<OpenedStream> {
  const one = await openStream(url, { token, lastEventId, path: '/api/admin/changes' });
  opened.push(one);
  return one;
}

const named = ({ events }: OpenedStream, name: string) => events.filter((event) => event.name === name);
const changeIn = ({ data = '' }: ReceivedEvent) => JSON.parse(data);
const changesIn = (one: OpenedStream) => named(one, 'change').map(changeIn);
const untilSaid = (one: OpenedStream, name: string, isDeleted = false) =>
  waitUntil(
    { what: `the change of ${name} is said`, everyMs: 5 },
    async () => changesIn(one).find((change) => change.name === name && change.deleted === isDeleted) ?? false,
  );

describe('a caller who may read everything', () => {
  test('gets each change by kubectl and by the API, with the version that the object has, and its deletion', async () => {
    const one = await stream();
    expect([one.status, one.headers['content-type'], one.headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    expect((await one.nth(1)).name).toBe('connected');
    await instance.apply(aFlag(`${instance.home}/switched`));
    expect(await untilSaid(one, 'switched')).toMatchObject({ kind: 'FeatureFlag', project: 'shop' });
    const admin = adminClient(instance.url, { authorization: ADMIN_TOKEN });
    await admin('PUT /projects/shop/features/switched', { body: { description: 'new' } });
    // The status of the flag may change once more.
    await waitUntil({ what: 'the last version is sent' }, async () => {
      const { metadata } = await instance.flag(`${instance.home}/switched`);
      return changesIn(one).some(({ resourceVersion }) => resourceVersion === metadata.resourceVersion);
    });
    await instance.cluster.deleteObject('featureflag/switched', instance.home);
    await untilSaid(one, 'switched', true);
  });

  test.each<[Manifest['kind'], string | null, (place: string) => Manifest]>([
    ['Project', 'new-project', (place) => aProject(place)],
    ['Environment', null, (place) => anEnvironment(place, { enabled: false })],
    ['StrategyDefinition', null, (place) => aStrategyType(place)],
    ['Segment', 'shop', (place) => aSegment(place, { project: 'shop' })],
  ])('of a %s', async (kind, project, manifest) => {
    const one = await stream();
    await one.nth(1);
    const name = `new-${kind.toLowerCase()}`;
    await instance.apply(manifest(`${instance.home}/${name}`));
    expect(await untilSaid(one, name)).toMatchObject({ kind, project, deleted: false });
  });

  test('resumes where the caller was, and an unknown id is answered with resync', async () => {
    const first = await stream();
    const { id } = await first.nth(1);
    await instance.apply(aFlag(`${instance.home}/meanwhile`));
    await untilSaid(first, 'meanwhile');
    const again = await stream(ADMIN_TOKEN, id);
    expect((await again.nth(1)).name).toBe('connected');
    await untilSaid(again, 'meanwhile');
    const odd = ['', '-1', '__proto__', '\u00e9', `-${id}`, `${id}.5`, `${id}e9`, '9'.repeat(400), 'x'.repeat(5000)];
    for (const unknown of ['another-1', `${id}0000`, ...odd]) {
      expect((await (await stream(ADMIN_TOKEN, unknown)).nth(1)).name, unknown).toBe('resync');
    }
  });

  test('gets comments while nothing changes', async () => {
    const one = await stream();
    await one.nth(1);
    await waitUntil({ what: 'a comment arrives', everyMs: 10 }, async () => one.events.some(({ name }) => !name));
  });
});

describe('a Kubernetes user who may read one project', () => {
  test('gets its changes and those of its flags, and no others', async () => {
    const [one, all] = [await stream(reader.token), await stream()];
    await Promise.all([one.nth(1), all.nth(1)]);
    await instance.apply(
      aProject(`${instance.other}/secret`),
      aFlag(`${instance.other}/hidden`, { project: 'pay' }),
      aProject(`${instance.home}/other-project`),
      anEnvironment(`${instance.home}/hidden-place`, { enabled: false }),
      aFlag(`${instance.home}/seen`),
    );
    for (const name of ['secret', 'hidden', 'other-project', 'hidden-place', 'seen']) await untilSaid(all, name);
    await untilSaid(one, 'seen');
    const names = new Set(changesIn(one).map(({ name }) => name));
    expect([...names].filter((name) => !['seen', 'shop'].includes(name))).toEqual([]);
  });

  test('gets none after the permission is revoked', async () => {
    const [one, all] = [await stream(reader.token), await stream()];
    await Promise.all([one.nth(1), all.nth(1)]);
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${instance.home}/rolebindings`;
    await instance.cluster.request({ method: 'DELETE', path: `${bindings}/${instance.home}-reader` });
    const as = adminClient(instance.url, { authorization: `Bearer ${reader.token}` });
    await waitUntil(
      { what: 'the right is taken', everyMs: 20 },
      async () => (await as('GET /projects/shop')).status === 403,
    );
    await instance.apply(aFlag(`${instance.home}/after-loss`));
    await untilSaid(all, 'after-loss');
    await all.nth(named(all, 'change').length + 1);
    expect(changesIn(one).map(({ name }) => name)).not.toContain('after-loss');
  });
});

describe('a stream ends', () => {
  test('when its token is deleted', async () => {
    const tokens = tokensDirectly(instance.cluster.kubeconfig, instance.home);
    await instance.apply(aUser(`${instance.home}/ada`));
    await tokens.create('ada', { type: 'personal', user: 'ada' });
    const value = await tokens.untilReady('ada');
    const one = await waitUntil({ what: 'the token is known', everyMs: 20 }, async () => {
      const tried = await stream(value);
      return tried.status === 200 && tried;
    });
    await one.nth(1);
    await tokens.delete('apitokens', 'ada');
    tokens.close();
    expect(await one.untilEnded()).toBe('cleanly');
  });

  test('when the replica stops', async () => {
    const other = await startOperator(instance.cluster, instance.home, { settings, watched: [instance.other] });
    await waitUntil({ what: 'it is ready', everyMs: 20 }, async () => (await fetch(`${other.opsUrl}/readyz`)).ok);
    const one = await stream(ADMIN_TOKEN, undefined, other.url);
    await one.nth(1);
    await other.stop();
    expect(await one.untilEnded()).toBe('cleanly');
  });
});

test('the number of streams per caller is limited, independent of other callers', async () => {
  const streams = await Promise.all(Array.from({ length: MAX_STREAMS_OF_CALLER }, () => stream()));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const beyond = await stream();
  expect([beyond.status, beyond.headers['retry-after']]).toEqual([429, '60']);
  expect((await stream(reader.token)).status).toBe(200);
  expect(await readMetric(instance.opsUrl, 'vexil_change_streams')).toBe(MAX_STREAMS_OF_CALLER + 1);
  streams[0]?.close();
  await waitUntil({ what: 'a stream may be opened again', everyMs: 10 }, async () => (await stream()).status === 200);
});
