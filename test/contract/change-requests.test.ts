/** Change requests over HTTP: comments on them, and their removal. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { adminClient } from '../support/admin-client.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag, aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { personalTokens } from '../support/personal-tokens.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';

const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const CONSOLE = 'https://flags.example.com';
const strategies = { all: { name: 'default' } };
const users = ['member', 'approver'] as const;
type CallerName = (typeof users)[number] | 'admin-token' | 'eve';

let world: ApprovalsWorld;
const tokens = new Map<CallerName, string>();
const as = (name: CallerName) => adminClient(world.instance.url, { authorization: tokens.get(name) ?? '' });

beforeAll(async () => {
  world = await startApprovals('change-requests', {
    settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, VEXIL_PUBLIC_URL: CONSOLE },
  });
  const { instance } = world;
  const { home, cluster } = instance;
  const change = ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY', 'UPDATE_SEGMENT'];
  const permissions = change.map((name) => ({ name }));
  const approve = { name: 'APPROVE_CHANGE_REQUEST', environment: 'production' };
  await instance.apply(
    aRole(`${home}/changer`, { permissions }),
    aRole(`${home}/approving`, { permissions: [...permissions, approve] }),
    ...users.map((name) => aUser(`${home}/${name}`)),
  );
  await instance.apply(aProject(`${home}/shop`, { members: { member: 'changer', approver: 'approving' } }));
  for (const [user, token] of await personalTokens({ cluster, home }, users)) tokens.set(user, token);
  tokens.set('admin-token', ADMIN_TOKEN);
  tokens.set('eve', world.tokenOf('eve'));
  for (const name of tokens.keys()) {
    const read = async () => (await as(name)('GET /projects/shop/features')).status === 200;
    await waitUntil({ what: `${name} is signed in` }, read);
  }
});
afterAll(() => world.stop());

/** The member asks to switch on a flag of this name. */
async function ask(name: string): Promise<Stored> {
  const { home } = world.instance;
  await world.instance.apply(
    aFlag(`${home}/${name}`, { environments: { production: { enabled: false, strategies } } }),
  );
  const path = `/projects/shop/features/${name}`;
  await waitUntil({ what: `${name} is served` }, async () => (await as('member')(`GET ${path}`)).status === 200);
  const refused = await as('member')(`POST ${path}/environments/production/on`);
  expect([refused.status, refused.body.message]).toEqual([
    409,
    expect.stringContaining(`vexil request -f FILE", or make the change on the page of the flag (${CONSOLE}${path})`),
  ]);
  const { status, body, text } = await as('member')(`POST ${path}/environments/production/on?changeRequest=true`);
  expect(status, text).toBe(202);
  return body;
}

const pathOf = ({ id }: Stored) => `/projects/shop/change-requests/${id}`;
const decideAs = (caller: CallerName, one: Stored, state: string) =>
  as(caller)(`PUT ${pathOf(one)}/state`, { body: { state } });
const untilState = (one: Stored, state: string): Promise<Stored> =>
  waitUntil({ what: `${one.id} is ${state}` }, async () => {
    const { body } = await as('member')(`GET ${pathOf(one)}`);
    return body.state === state && body;
  });

test('everybody who may read a request may comment on it, and no comment decides', async () => {
  const one = await ask('discussed');
  const commentAs = (caller: CallerName, text: string, query = '') =>
    as(caller)(`POST ${pathOf(one)}/comments${query}`, { body: { text } });
  expect((await commentAs('approver', 'A dry run', '?dryRun=true')).status).toBe(201);
  const answer = await commentAs('approver', 'Why now?');
  const comment = { createdBy: 'approver', decision: 'Comment', comment: 'Why now?', counts: false, message: null };
  expect([answer.status, answer.body]).toMatchObject([201, comment]);
  expect((await commentAs('member', 'It is time')).status).toBe(201);
  expect((await commentAs('eve', 'With a token of Kubernetes')).status).toBe(201);
  const withoutUser = await commentAs('admin-token', 'Who am I?');
  expect([withoutUser.status, withoutUser.body.message]).toEqual([403, expect.stringContaining('belongs to no user')]);
  const { decisions, approvedBy } = await untilState(one, 'In review');
  const said = decisions.map(({ createdBy, comment: text }: Stored) => `${createdBy}: ${text}`);
  const byEve = `${world.usernameOf('eve')}: With a token of Kubernetes`;
  expect(said).toEqual(['approver: Why now?', 'member: It is time', byEve]);
  expect(approvedBy).toEqual([]);

  await decideAs('approver', one, 'Approved');
  expect((await untilState(one, 'Applied')).approvedBy).toEqual(['approver']);
  expect((await commentAs('member', 'Thanks')).status).toBe(201);
});

test('people find their own requests, and those that wait for them', async () => {
  // Also before Vexil has judged it.
  const one = await ask('waiting');
  const seenBy = async (caller: CallerName, whose: string) => {
    const { body } = await as(caller)(`GET /projects/shop/change-requests?open=true&feature=waiting&for=${whose}`);
    expect(body.total).toBe(body.changeRequests.length);
    return body.changeRequests.map(({ id }: Stored) => id);
  };
  const seen = async () => ({
    member: [await seenBy('member', 'mine'), await seenBy('member', 'to-approve')],
    approver: [await seenBy('approver', 'mine'), await seenBy('approver', 'to-approve')],
    withoutUser: [await seenBy('admin-token', 'mine'), await seenBy('admin-token', 'to-approve')],
  });
  expect(await seen()).toEqual({ member: [[one.id], []], approver: [[], [one.id]], withoutUser: [[], []] });
  await decideAs('approver', one, 'Rejected');
  await untilState(one, 'Rejected');
  expect(await seen()).toEqual({ member: [[], []], approver: [[], []], withoutUser: [[], []] });
});

test('the newest request comes first, also of those of one second', async () => {
  const ids = [(await ask('often')).id];
  for (let count = 1; count < 4; count += 1) {
    const { body } = await as('member')(
      'POST /projects/shop/features/often/environments/production/on?changeRequest=true',
    );
    ids.unshift(body.id);
  }
  const { body: list } = await as('member')('GET /projects/shop/change-requests?feature=often');
  expect(list.changeRequests.map(({ id }: Stored) => id)).toEqual(ids);
});

test('the history says that a request was overtaken by another change, or has expired', async () => {
  const overtaken = await ask('overtaken');
  await untilState(overtaken, 'In review');
  const path = world.pathOf('featureflags', 'overtaken');
  await world.patch('boss', path, { environments: { production: { strategies: { other: { name: 'default' } } } } });
  await world.instance.apply(aFlag(`${world.instance.home}/expiring`, {}));
  const end = Date.now() + 3_000;
  const expiring = await world.request('ada', 'expiring', { expiresAt: new Date(end).toISOString() });
  await waitUntil({ what: 'the request has expired' }, () => Date.now() > end);
  // Vexil looks again within half a minute, and at once when the request changes.
  const { cluster, home } = world.instance;
  const annotations = { 'example.com/look': 'again' };
  await cluster.patchObject(`changerequests/${expiring.metadata.name}`, home, { metadata: { annotations } });

  const ends = [
    ['overtaken', 'change-request-outdated', overtaken.id],
    ['expiring', 'change-request-expired', expiring.metadata.name],
  ] as const;
  for (const [feature, type, subject] of ends) {
    const call = as('admin-token');
    const [entry] = await untilRecorded(call, `feature=IS:${feature}&type=IS:${type}`, 1);
    const place = { project: 'shop', featureName: feature, environment: 'production' };
    expect(entry).toMatchObject({ ...place, createdBy: 'unleash_system_user', data: { name: subject } });
  }
});

test('a request that ended 91 days ago is removed by Vexil, one that ended 89 days ago is kept', async () => {
  const asOperator = connect(loadKubeConfig(world.instance.kubeconfig));
  const endedDaysAgo = async (name: string, days: number): Promise<Stored> => {
    const one = await ask(name);
    await decideAs('member', one, 'Cancelled');
    await untilState(one, 'Cancelled');
    const status = { endedAt: new Date(Date.now() - days * 24 * 3_600_000).toISOString() };
    const path = `${world.pathOf('changerequests', one.id)}/status`;
    const contentType = 'application/merge-patch+json';
    await asOperator.request({ method: 'PATCH', path, contentType, body: { status } });
    return one;
  };
  const kept = await endedDaysAgo('ended-later', 89);
  const removed = await endedDaysAgo('ended-long-ago', 91);
  await waitUntil({ what: 'it is removed' }, async () => {
    return (await as('member')(`GET ${pathOf(removed)}`)).status === 404;
  });
  expect((await as('member')(`GET ${pathOf(kept)}`)).body.state).toBe('Cancelled');
  asOperator.close();

  const call = as('admin-token');
  const [entry] = await untilRecorded(call, 'type=IS:change-request-deleted', 1);
  expect(entry).toMatchObject({ createdBy: 'unleash_system_user', featureName: null, project: null });
  expect(entry.preData).toMatchObject({ name: removed.id, cancelled: true });
  const ofFlag = await recorded(call, 'feature=IS:ended-long-ago');
  expect(ofFlag.map(({ type }) => type)).not.toContain('change-request-deleted');
});
