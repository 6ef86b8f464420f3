/** Members of one project through two replicas at once: a project keeps an owner, and no change is lost. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectSpec } from '../../src/schema/project.ts';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aProject, aUser } from '../support/builders.ts';
import { environmentOfChart } from '../support/chart/environment-of-chart.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Replica, startReplica } from '../support/replica.ts';

let instance: Instance;
let replicas: Replica[];

const [ADA, LIN, EVA, KIM] = [1, 2, 3, 4];
const [OWNER, MEMBER] = [4, 5];
const ROUNDS = Array.from({ length: 10 }, (_, number) => number);
const LAST = [{ msg: 'A project must have at least one owner.' }];

beforeAll(async () => {
  instance = await startInstance('member-races');
  const { home, other, kubeconfig } = instance;
  const settings = await environmentOfChart(home, { watched: [other] });
  const replica = { kubeconfig, home, settings };
  replicas = await Promise.all([startReplica(replica), startReplica(replica)]);
  await instance.apply(
    ...['ada', 'lin', 'eva', 'kim'].map((name, index) => aUser(`${home}/${name}`, { id: index + 1 })),
  );
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await instance.stop();
});

type Asking = readonly [method: string, user: number, role: number];

/** Creates a project with its members, and waits until both replicas know them. */
async function project(id: string, members: NonNullable<ProjectSpec['members']>): Promise<void> {
  await instance.apply(aProject(`${instance.home}/${id}`, { members }));
  for (const { url } of replicas) {
    await waitUntil({ what: `a replica shows the members of ${id}` }, async () => {
      const response = await fetch(`${url}/api/admin/projects/${id}`);
      return response.ok && ((await response.json()) as { members: number }).members === Object.keys(members).length;
    });
  }
}

/** Sends all calls at the same moment, alternately to the two replicas. */
function atOnce(id: string, ...all: readonly Asking[]): Promise<Answer[]> {
  const clients = replicas.map(({ url }) => adminClient(url));
  const calls = all.map(([method, user, role], index) =>
    clients[index % 2]?.(`${method} /projects/${id}/users/${user}/roles/${role}`),
  );
  return Promise.all(calls.flatMap((call) => call ?? []));
}

async function membersOf(id: string): Promise<Record<string, string>> {
  return (await instance.specOf('project', `${instance.home}/${id}`)).members;
}

function expectOneRefusal(answers: readonly Answer[], body: unknown): void {
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(answers.find(({ status }) => status === 400)?.body).toEqual(body);
}

test('two owners who remove each other at the same moment on two replicas: exactly one succeeds', async () => {
  for (const round of ROUNDS) {
    const id = `removing-${round}`;
    await project(id, { ada: 'owner', lin: 'owner' });
    const answers = await atOnce(id, ['DELETE', LIN, OWNER], ['DELETE', ADA, OWNER]);
    expectOneRefusal(answers, LAST);
    expect(await membersOf(id)).toEqual(answers[0]?.status === 200 ? { ada: 'owner' } : { lin: 'owner' });
  }
});

test('two owners who make each other a member: exactly one succeeds', async () => {
  for (const round of ROUNDS) {
    const id = `changing-${round}`;
    await project(id, { ada: 'owner', lin: 'owner', eva: 'member' });
    const answers = await atOnce(id, ['PUT', LIN, MEMBER], ['PUT', ADA, MEMBER]);
    expectOneRefusal(answers, LAST);
    const [ada, lin] = answers[0]?.status === 200 ? ['owner', 'member'] : ['member', 'owner'];
    expect(await membersOf(id)).toEqual({ ada, lin, eva: 'member' });
  }
});

test('one owner is removed while the other becomes a member: exactly one succeeds', async () => {
  for (const round of ROUNDS) {
    const id = `leaving-${round}`;
    await project(id, { ada: 'owner', lin: 'owner' });
    const answers = await atOnce(id, ['DELETE', ADA, OWNER], ['PUT', LIN, MEMBER]);
    expectOneRefusal(answers, LAST);
    const members = await membersOf(id);
    expect(Object.values(members).filter((role) => role === 'owner')).toHaveLength(1);
    expect(members).toEqual(answers[0]?.status === 200 ? { lin: 'owner' } : { ada: 'owner', lin: 'member' });
  }
});

test('a user who is added twice with two roles: exactly one succeeds, and its role is there', async () => {
  for (const round of ROUNDS) {
    const id = `adding-${round}`;
    await project(id, { ada: 'owner' });
    const answers = await atOnce(id, ['POST', EVA, MEMBER], ['POST', EVA, OWNER]);
    expectOneRefusal(answers, [{ msg: `User already has access to project=${id}` }]);
    expect(await membersOf(id)).toEqual({ ada: 'owner', eva: answers[0]?.status === 200 ? 'member' : 'owner' });
  }
});

test('changes of different members are all stored', async () => {
  for (const round of ROUNDS) {
    const id = `beside-${round}`;
    await project(id, { ada: 'owner', lin: 'member' });
    const answers = await atOnce(id, ['POST', EVA, MEMBER], ['POST', KIM, OWNER], ['DELETE', LIN, MEMBER]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await membersOf(id)).toEqual({ ada: 'owner', eva: 'member', kim: 'owner' });
  }
});
