/**
 * Export and import by Kubernetes users: an export contains what they may read, and each write is authorised before the
 * first one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, type Rule } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const READ = ['get', 'list'];
const KINDS = ['featureflags', 'projects', 'environments', 'strategydefinitions', 'segments'];

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('state-may', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, other, apply } = instance;
  await grantReviews(cluster, home);
  await apply(
    aProject(`${home}/hidden`),
    aFlag(`${home}/seen`, { tags: ['team:seen'] }),
    aFlag(`${home}/unseen`, { project: 'hidden', tags: ['secret:unseen'] }),
    aFlag(`${other}/far`, { project: 'pay' }),
  );
});
afterAll(() => instance.stop());

async function caller(name: string, rules: readonly Rule[]): Promise<Call> {
  const { cluster, home, url } = instance;
  const { token } = await createAccount(cluster, { namespace: home, name, rules: { [home]: rules } });
  return adminClient(url, { authorization: `Bearer ${token}` });
}

test('an export has the projects that the caller may read, and their flags', async () => {
  const call = await caller('reader', [
    [READ, ['featureflags', 'environments', 'strategydefinitions', 'segments']],
    [['get'], ['projects'], ['shop']],
  ]);
  const { status, body } = await call('GET /state/export');
  const names = [body.features, body.projects].map((list) => list.map(({ name }: Stored) => name));
  expect([status, ...names]).toEqual([200, ['seen'], ['shop']]);
});

test('the tags and their types are those of the projects that the caller may read', async () => {
  const call = await caller('tag-reader', [[['get'], ['projects'], ['shop']]]);
  expect((await call('GET /tags')).body.tags).toEqual([{ type: 'team', value: 'seen' }]);
  const { tagTypes } = (await call('GET /tag-types')).body;
  expect(tagTypes.map(({ name }: Stored) => name)).toEqual(['simple', 'team']);
  expect((await call('GET /tag-types/secret')).status).toBe(404);
});

test.each(['featureflags', 'segments'])(
  'a caller who may not list %s gets an export without them',
  async (resource) => {
    const others = KINDS.filter((kind) => kind !== resource);
    const { status, body } = await (await caller(`not-${resource}`, [[READ, others]]))('GET /state/export');
    expect([status, body.name]).toEqual([403, 'PermissionError']);
    expect(body.message).toContain(`cannot list resource "${resource}"`);
  },
);

test('an import is refused as a whole if one of its writes is not allowed', async () => {
  const document = {
    strategies: [{ name: 'mine', parameters: [] }],
    features: [
      { name: 'one', project: 'shop' },
      { name: 'seen', project: 'shop', description: 'other' },
    ],
  };
  const rows: readonly (readonly [string, readonly Rule[], string, string])[] = [
    ['no-creating', [[['patch'], ['featureflags']]], '', 'cannot create resource "featureflags"'],
    ['no-types', [[['create', 'patch'], ['featureflags']]], '', 'cannot create resource "strategydefinitions"'],
    ['no-changing', [[['create'], KINDS]], '?keep=false', 'cannot patch resource "featureflags"'],
    ['no-deleting', [[['create', 'patch'], KINDS]], '?drop=true', 'cannot delete resource "featureflags"'],
  ];
  const before = await instance.everything();
  for (const [name, rules, query, why] of rows) {
    const { status, body } = await (await caller(name, rules))(`POST /state/import${query}`, { body: document });
    expect([status, body.name], name).toEqual([403, 'PermissionError']);
    expect(body.message).toContain(why);
  }
  expect(await instance.everything()).toEqual(before);
  const call = await caller('creating', [[['create'], KINDS]]);
  expect((await call('POST /state/import', { body: document })).status).toBe(202);
  const { metadata } = await instance.flagNamed('one');
  expect(metadata.annotations['vexil.dev/created-by']).toContain(':creating');
});
