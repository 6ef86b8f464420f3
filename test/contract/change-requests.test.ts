/** Change requests over HTTP: comments on them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag, aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';

const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const strategies = { all: { name: 'default' } };
const users = ['member', 'approver'] as const;
type CallerName = (typeof users)[number] | 'admin-token' | 'eve';

let world: ApprovalsWorld;
const tokens = new Map<CallerName, string>();
const as = (name: CallerName) => adminClient(world.instance.url, { authorization: tokens.get(name) ?? '' });

beforeAll(async () => {
  world = await startApprovals('change-requests', {
    settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN },
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
  const direct = tokensDirectly(cluster.kubeconfig, home);
  for (const user of users) {
    await direct.create(user, { type: 'personal', user });
    tokens.set(user, await direct.untilReady(user));
  }
  direct.close();
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
  await world.instance.apply(aFlag(`${home}/${name}`, { environments: { production: { enabled: false, strategies } } }));
  const path = `/projects/shop/features/${name}`;
  await waitUntil({ what: `${name} is served` }, async () => (await as('member')(`GET ${path}`)).status === 200);
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
  const byNobody = await commentAs('admin-token', 'Who am I?');
  expect([byNobody.status, byNobody.body.message]).toEqual([403, expect.stringContaining('belongs to no user')]);
  const { decisions, approvedBy } = await untilState(one, 'In review');
  const said = decisions.map(({ createdBy, comment: text }: Stored) => `${createdBy}: ${text}`);
  const byEve = `${world.usernameOf('eve')}: With a token of Kubernetes`;
  expect(said.toSorted()).toEqual(['approver: Why now?', 'member: It is time', byEve].toSorted());
  expect(approvedBy).toEqual([]);

  await decideAs('approver', one, 'Approved');
  expect((await untilState(one, 'Applied')).approvedBy).toEqual(['approver']);
  expect((await commentAs('member', 'Thanks')).status).toBe(201);
});
