/** The ids of users and roles: each is given once, and never again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/transport.ts';
import { aRole, aUser, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, type Stored, startInstance } from '../support/instance.ts';

let instance: Instance;
let home: string;
let transport: Transport;

beforeAll(async () => {
  instance = await startInstance('ids');
  home = instance.home;
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
});

afterAll(async () => {
  transport?.close();
  await instance?.stop();
});

const usersPath = () => `/apis/vexil.dev/v1alpha1/namespaces/${home}/flagusers`;
const kubectl = (...args: string[]) => instance.cluster.kubectlOrThrow([...args, '-n', home]);

async function object(what: string): Promise<Stored> {
  return JSON.parse(await kubectl('get', what, '-o', 'json', '--show-managed-fields'));
}
async function everyUser(): Promise<Stored[]> {
  return ((await transport.request({ method: 'GET', path: usersPath() })) as Stored).items;
}
async function idOf(what: string): Promise<number> {
  return (await object(what)).status.id;
}
async function marks(): Promise<Record<string, string>> {
  return (await object('configmap/vexil-ids')).data;
}
const reasons = ({ status }: Stored) => (status.problems ?? []).map(({ reason }: Stored) => reason);

async function createUsers(names: readonly string[]): Promise<void> {
  const waiting = [...names];
  const create = async () => {
    for (let name = waiting.pop(); name; name = waiting.pop()) {
      const body: Manifest = aUser(`${home}/${name}`);
      await transport.request({ method: 'POST', path: usersPath(), body });
    }
  };
  await Promise.all(Array.from({ length: 16 }, create));
}

const isReady = ({ status }: Stored) => status?.conditions?.[0]?.status === 'True';

function untilReady(count: number): Promise<Stored[]> {
  return waitUntil({ what: `${count} users are ready`, timeoutMs: 60_000 }, async () => {
    const users = await everyUser();
    return users.length === count && users.every(isReady) && users;
  });
}

test('two hundred users that come at once have ids from 1 to 200, and share the writes of the mark', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
  await createUsers(names);
  const users = await untilReady(200);
  const ids = users.map(({ status }) => status.id).sort((a, b) => a - b);
  expect(ids).toEqual(names.map((_, index) => index + 1));
  expect((await marks())['flagusers']).toBe('200');
});

test('a role starts above the built-in ones', async () => {
  await instance.apply(aRole(`${home}/first`));
  expect(await idOf('frole/first')).toBe(6);
  expect((await marks())['flagroles']).toBe('6');
});

describe('an id', () => {
  test('that was deleted with its user does not come back', async () => {
    await instance.apply(aUser(`${home}/fleeting`));
    const id = await idOf('fuser/fleeting');
    await kubectl('delete', 'fuser', 'fleeting');
    await instance.apply(aUser(`${home}/fleeting`));
    expect(await idOf('fuser/fleeting')).toBe(id + 1);
  });

  test('that is pinned holds, and raises the mark', async () => {
    await instance.apply(aUser(`${home}/pinned`, { id: 5000 }), aUser(`${home}/after`));
    expect(await idOf('fuser/pinned')).toBe(5000);
    expect(await idOf('fuser/after')).toBe(5001);
    expect(Number((await marks())['flagusers'])).toBe(5001);
  });

  test('that an older user has is not given to one that pins it, until the older one goes', async () => {
    await instance.apply(aUser(`${home}/owner`, { id: 700 }));
    await instance.apply(aUser(`${home}/claimant`, { id: 700 }));
    const refused = await object('fuser/claimant');
    expect([refused.status.id, reasons(refused)]).toEqual([undefined, ['IdConflict']]);
    expectHealthyStatus(refused);
    expect(await idOf('fuser/owner')).toBe(700);
    await kubectl('delete', 'fuser', 'owner');
    await waitUntil({ what: 'it has the id' }, async () => (await idOf('fuser/claimant')) === 700);
    expectHealthyStatus(await object('fuser/claimant'));
  });

  test('that was wiped from a status is given up for a fresh one above the mark', async () => {
    await instance.apply(aUser(`${home}/wiped`));
    const [before, mark] = [await idOf('fuser/wiped'), Number((await marks())['flagusers'])];
    const patch = '[{"op":"remove","path":"/status"}]';
    await kubectl('patch', 'fuser', 'wiped', '--subresource=status', '--type=json', '-p', patch);
    const after = await waitUntil({ what: 'it has an id again' }, async () => await idOf('fuser/wiped'));
    expect(after).toBe(mark + 1);
    expect(after).not.toBe(before);
  });
});
