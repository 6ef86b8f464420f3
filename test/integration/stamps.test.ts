/** The admission policy that keeps users from writing under another name, where no policy stamps the author. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { sharedCluster } from '../support/cluster.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const cluster = sharedCluster();
const ADA = 'ada@example.com';
let home: string;

type Stamp = Readonly<Record<string, string | null>>;

const asAda = ['--as', ADA, '--as-group', 'system:masters'];
const asOperator = () => ['--as', `system:serviceaccount:${home}:vexil`, '--as-group', 'system:masters'];
const annotationsOf = (stamp: Stamp) =>
  Object.fromEntries(Object.entries(stamp).map(([key, value]) => [`vexil.dev/${key}`, value]));

function create(stamp: Stamp, { as = asAda, name = 'e' } = {}) {
  const metadata = { name, namespace: home, annotations: annotationsOf(stamp) };
  const object = { apiVersion: 'vexil.dev/v1alpha1', kind: 'Environment', metadata, spec: { type: 'test' } };
  return cluster.kubectl(['create', '-f', '-', ...as], { input: JSON.stringify(object) });
}

/** Changes the spec, too. */
function change(stamp: Stamp, as: readonly string[] = asAda) {
  const patch = { metadata: { annotations: annotationsOf(stamp) }, spec: { displayName: 'Other' } };
  return cluster.kubectl(['patch', 'fenv', 'e', '-n', home, '--type=merge', '-p', JSON.stringify(patch), ...as]);
}

async function stampNow() {
  return stampOf(await cluster.getObject('fenv/e', home));
}

beforeAll(async () => {
  home = await cluster.freshNamespace('stamps');
  await installPolicyIn(cluster, 'older/stamps.yaml', [home]);
  await waitUntil({ what: 'the policy is in effect', timeoutMs: 60_000 }, async () => {
    const { stderr } = await create({ 'changed-by': 'nobody' }, { name: 'probe', as: [...asAda, '--dry-run=server'] });
    return stderr.includes('only Vexil writes');
  });
});

beforeEach(async () => {
  await cluster.kubectlOrThrow(['delete', 'fenv', '--all', '-n', home, ...asOperator()]);
});

describe('a new object', () => {
  test.each<[string, Stamp]>([
    ['that says nothing', {}],
    ['that names who creates it', { 'created-by': ADA, 'changed-by': ADA, 'changed-generation': '1' }],
  ])('%s is let in', async (_, stamp) => {
    expect(await create(stamp)).toMatchObject({ code: 0 });
  });

  test.each<[string, Stamp]>([
    ['created-by', { 'created-by': 'grace@example.com' }],
    ['changed-by', { 'changed-by': 'grace@example.com', 'changed-generation': '1' }],
    ['changed-generation', { 'changed-by': ADA, 'changed-generation': '2' }],
    ['changed-via', { 'changed-via': 'api-token' }],
    ['changed-from', { 'changed-from': '192.0.2.1' }],
    ['deleted-by', { 'deleted-by': ADA }],
    ['deleted-at', { 'deleted-at': '2026-01-01T00:00:00Z' }],
  ])('is refused for what it says in %s', async (key, stamp) => {
    const { code, stderr } = await create(stamp);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`only Vexil writes the annotation vexil.dev/${key}: leave it out`),
    ]);
  });

  test('is let in with anything from the operator', async () => {
    const stamp = { 'created-by': 'grace@example.com', 'changed-via': 'api-token' };
    expect(await create(stamp, { as: asOperator() })).toMatchObject({ code: 0 });
    expect(await stampNow()).toEqual(stamp);
  });
});

describe('a change', () => {
  const before = {
    'created-by': 'grace',
    'changed-by': 'grace',
    'changed-generation': '1',
    'changed-via': 'api-token',
  };
  beforeEach(async () => {
    await create(before, { as: asOperator() });
  });

  test.each<[string, Stamp, Stamp]>([
    ['that leaves the stamp as it was, of another generation now', {}, before],
    [
      'that takes it away',
      { 'created-by': null, 'changed-by': null, 'changed-generation': null, 'changed-via': null },
      {},
    ],
    [
      'that names who makes it',
      { 'changed-by': ADA, 'changed-generation': '2' },
      { ...before, 'changed-by': ADA, 'changed-generation': '2' },
    ],
  ])('%s is let in', async (_, stamp, want) => {
    expect(await change(stamp)).toMatchObject({ code: 0 });
    expect(await stampNow()).toEqual(want);
  });

  test.each<[string, Stamp]>([
    ['names another user', { 'changed-by': 'alan' }],
    ['makes an old stamp one of now', { 'changed-generation': '3' }],
    ['takes the creation for itself', { 'created-by': ADA }],
    ['says that it came through the API', { 'changed-via': 'kubernetes-token' }],
    ['foretells a deletion', { 'deleted-by': 'grace', 'deleted-at': '2026-01-01T00:00:00Z' }],
  ])('is refused that %s', async (_, stamp) => {
    const { code, stderr } = await change(stamp);
    expect([code, stderr]).toEqual([1, expect.stringContaining('only Vexil writes the annotation vexil.dev/')]);
    expect(await stampNow()).toEqual(before);
  });

  test('is refused that names who makes it without being one, as it would stand for the next', async () => {
    const stamp = { 'vexil.dev/changed-by': ADA, 'vexil.dev/changed-generation': '2' };
    const patch = JSON.stringify({ metadata: { annotations: stamp } });
    const { code } = await cluster.kubectl(['patch', 'fenv', 'e', '-n', home, '--type=merge', '-p', patch, ...asAda]);
    expect([code, await stampNow()]).toEqual([1, before]);
  });

  test('may say anything if it is of the operator', async () => {
    expect(await change({ 'changed-by': 'alan', 'changed-generation': '2' }, asOperator())).toMatchObject({ code: 0 });
  });

  test('with the author policy beside it, as while one takes the place of the other, is let in and noted', async () => {
    await installAuthorPolicy(cluster, [home]);
    expect(await change({ 'changed-by': 'alan' })).toMatchObject({ code: 0 });
    expect(await stampNow()).toMatchObject({ 'created-by': 'grace', 'changed-by': ADA, 'changed-generation': '2' });
  });
});
