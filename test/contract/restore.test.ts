/** POST …/restore: flags get the state of a past time, by the rules of every write. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inNextSecond, untilVersionsAreKept } from '../support/in-next-second.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import type { Stored } from '../support/stored.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { writersOf } from '../support/written-as.ts';

const BOOTSTRAP = `*:*.${'3e'.repeat(28)}`;
const GIT = 'kustomize-controller';
const WHEN = { at: '' };
let instance: RecordingInstance;
let ask: Call;
let asMember: Call;
let asChanger: Call;

const strategies = { all: { name: 'default' } };
const on = { project: 'shop', environments: { production: { enabled: true, strategies } } };
const ramped = {
  ...on,
  description: 'ramped',
  tags: ['simple:old'],
  environments: { production: { ...on.environments.production, activeUntil: '2040-01-01T00:00:00Z' } },
};
/** Flags as they were, and changes after that. */
const changed = ['one', 'described', 'frozen', 'approved', 'brought-back', 'together-1', 'together-2'] as const;

const restore = (name: string, call: { readonly query?: string; readonly body?: object; readonly as?: Call } = {}) =>
  (call.as ?? ask)(`POST /projects/shop/features/${name}/restore?${call.query ?? ''}`, {
    body: { ...WHEN, ...call.body },
  });
const specOf = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec;
const last = async (name: string): Promise<Stored> => {
  const { body } = await ask(`GET /search/events?feature=IS:${name}&limit=1`);
  return body.events[0];
};

beforeAll(async () => {
  instance = await startRecordingInstance('restore', { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP });
  ask = adminClient(instance.url, { authorization: BOOTSTRAP });
  const { home, cluster, apply } = instance;
  await apply(
    aUser(`${home}/member`),
    aUser(`${home}/changer`),
    aRole(`${home}/changer`, {
      permissions: ['UPDATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY'].map((name) => ({
        name,
      })),
    }),
    aRole(`${home}/describer`, { permissions: [{ name: 'UPDATE_FEATURE' }] }),
    aProject(`${home}/shop`, { members: { member: 'describer', changer: 'changer' } }),
    anEnvironment(`${home}/staging`),
    anEnvironment(`${home}/live`),
  );
  const direct = tokensDirectly(cluster.kubeconfig, home);
  const personal = async (user: string) => {
    await direct.create(user, { type: 'personal', user });
    return adminClient(instance.url, { authorization: await direct.untilReady(user) });
  };
  asMember = await personal('member');
  asChanger = await personal('changer');
  direct.close();
  await untilVersionsAreKept(ask, 'shop');
  const there = (environment: string) => ({
    project: 'shop',
    environments: { [environment]: { enabled: true, strategies } },
  });
  await apply(
    ...changed.map((name) => aFlag(`${home}/${name}`, name.startsWith('together') ? on : ramped)),
    ...['gone', 'again'].map((name) => aFlag(`${home}/${name}`, { ...ramped, name: `The-${name}` })),
    aFlag(`${home}/frozen`, there('staging')),
    aFlag(`${home}/approved`, there('live')),
    aFlag(`${home}/brought-back`, { ...ramped, archived: true }),
  );
  const writers = writersOf(cluster);
  await writers.apply(GIT, aFlag(`${home}/from-git`, { ...on, description: 'first' }));
  await instance.judged(aFlag(`${home}/from-git`));
  WHEN.at = await inNextSecond();
  await inNextSecond();
  await apply(
    ...changed.map((name) => aFlag(`${home}/${name}`, { project: 'shop', description: 'changed' })),
    aFlag(`${home}/described`, { ...ramped, description: 'changed' }),
    aFlag(`${home}/brought-back`, { ...ramped, archived: false }),
    aFlag(`${home}/new`, on),
    anEnvironment(`${home}/staging`, {
      freezes: [{ name: 'summit', from: '2020-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z' }],
    }),
    anEnvironment(`${home}/live`, { approvals: { required: 1 } }),
  );
  await writers.apply(GIT, aFlag(`${home}/from-git`, { ...on, description: 'second' }));
  for (const name of ['The-gone', 'The-again']) {
    await ask(`DELETE /projects/shop/features/${name}`);
    await ask(`DELETE /archive/${name}`);
  }
  await apply(aFlag(`${home}/other`, { ...on, name: 'The-again', description: 'another object' }));
  await inNextSecond();
});
afterAll(() => instance?.stop());

describe('a flag', () => {
  test('a dry run answers what would change, as fields and as a manifest, and writes nothing', async () => {
    const before = await instance.everything();
    const plan = await restore('one', { query: 'dryRun=true' });
    expect(plan).toMatchObject({
      status: 200,
      body: {
        ...{ name: 'one', action: 'change', moreChanges: 0 },
        changes: expect.arrayContaining([
          { path: 'spec.description', before: '"changed"', after: '"ramped"' },
          { path: 'spec.environments.production.enabled', after: 'true' },
        ]),
      },
    });
    const headers = { accept: 'application/yaml' };
    const yaml = await ask('POST /projects/shop/features/one/restore?dryRun=true', { body: WHEN, headers });
    const then = await ask(`GET /projects/shop/features/one?at=${encodeURIComponent(WHEN.at)}`, { headers });
    expect(yaml.text).toBe(then.text);
    expect(await instance.everything()).toEqual(before);
  });

  test('gets the spec that it had, and the history says why', async () => {
    expect(await restore('one', { query: 'reason=An%20incident' })).toMatchObject({ status: 200 });
    expect(await specOf('one')).toEqual(ramped);
    expect(await restore('one')).toMatchObject({ status: 200, body: { action: 'none', changes: [] } });
    const entry = await waitUntil({ what: 'the restore is recorded' }, async () => {
      const found = await last('one');
      return found.reason ? found : undefined;
    });
    expect(entry).toMatchObject({ channel: 'api', reason: `Restored to ${WHEN.at}: An incident` });
  });

  test('that is gone is made again, under the name that its object had', async () => {
    const headers = { 'if-match': '"of-then"' };
    expect((await ask('POST /projects/shop/features/The-gone/restore', { body: WHEN, headers })).status).toBe(412);
    expect(await restore('The-gone')).toMatchObject({ status: 200, body: { name: 'The-gone', action: 'create' } });
    expect(await specOf('gone')).toEqual({ ...ramped, name: 'The-gone' });
  });

  test('whose name has another object now is named, and restored by uid only', async () => {
    const refused = await restore('The-again');
    expect(refused).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
    const [, uid = ''] = /send "uid": "([\w-]+)"/.exec(refused.body.message) ?? [];
    expect(await specOf('other')).toMatchObject({ description: 'another object' });
    expect(await restore('The-again', { body: { uid: 'unknown' } })).toMatchObject({ status: 400 });
    expect(await restore('The-again', { body: { uid } })).toMatchObject({ status: 200, body: { action: 'change' } });
    expect(await specOf('other')).toEqual({ ...ramped, name: 'The-again' });
  });

  test('that did not exist then is not found', async () => {
    const { status, body } = await restore('new');
    expect([status, body.message]).toEqual([404, `There was no flag named "new" in project "shop" at ${WHEN.at}.`]);
  });

  test('goes to the archive again, and its version can be stated', async () => {
    const stale = await ask('POST /projects/shop/features/brought-back/restore', {
      body: WHEN,
      headers: { 'if-match': '"another"' },
    });
    expect(stale.status).toBe(412);
    expect(await restore('brought-back')).toMatchObject({ status: 200 });
    expect(await specOf('brought-back')).toEqual({ ...ramped, archived: true });
  });
});

describe('the rules of every write', () => {
  test('a permission for each part that changes', async () => {
    const refused = await restore('frozen', { as: asMember });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('UPDATE_FEATURE_ENVIRONMENT'),
    ]);
    expect(await restore('described', { as: asMember })).toMatchObject({ status: 200 });
    expect(await restore('The-gone', { as: asMember, query: 'dryRun=true' })).toMatchObject({ status: 200 });
  });

  test('owners of fields, freezes and approvals', async () => {
    expect(await restore('from-git')).toMatchObject({ status: 409, body: { name: 'FieldManagedError' } });
    const frozen = await restore('frozen', { as: asChanger });
    expect(frozen).toMatchObject({ status: 409, body: { name: 'EnvironmentFrozenError' } });
    const needing = await restore('approved', { as: asChanger });
    expect(needing).toMatchObject({ status: 409, body: { name: 'ApprovalRequiredError' } });
    const request = await restore('approved', { as: asChanger, query: 'changeRequest=true&reason=Please' });
    expect(request).toMatchObject({ status: 202, body: { reason: `Restored to ${WHEN.at}: Please` } });
    expect(await specOf('approved')).toMatchObject({ description: 'changed' });
  });
});

test('a project: what stays and other objects are named, and all flags are tried first', async () => {
  const project = (query: string, body: object = {}) =>
    ask(`POST /projects/shop/restore?${query}`, { body: { ...WHEN, ...body } });
  const features = ['together-1', 'together-2'];
  const plan = await project('dryRun=true', { features });
  expect(plan).toMatchObject({ status: 200, body: { flags: features.map((name) => ({ name, action: 'change' })) } });
  expect(await project('', { features: ['together-1', 'from-git'] })).toMatchObject({ status: 409 });
  expect(await specOf('together-1')).toMatchObject({ description: 'changed' });
  expect(await project('', { features })).toMatchObject({ status: 200 });
  for (const name of features) expect(await specOf(name)).toEqual(on);
  await instance.apply(aFlag(`${instance.home}/other`, { ...on, name: 'The-again', description: 'another one' }));
  const rest = await project('', { features: ['new', 'The-again', ...features] });
  expect(rest.body).toEqual({ flags: [], stay: ['new'], otherObjects: ['The-again'] });
  expect(await project('', { features: ['never'] })).toMatchObject({ status: 404 });
});

test.each([
  ['2125-03-01T00:00:00Z', 'is in the future'],
  ['2020-02-29T00:00:00Z', 'The history has complete versions since'],
  ['2026-02-29T00:00:00Z', 'the month has no such day'],
  ['2026-03-01T00:00:00', 'must be a time with a zone'],
])('the time %s is refused', async (at, complaint) => {
  for (const path of ['features/one/restore', 'restore']) {
    const { status, body } = await ask(`POST /projects/shop/${path}`, { body: { at } });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(complaint)]);
  }
});
