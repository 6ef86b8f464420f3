/** The ids of users and roles: each is assigned once, and never again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { namesOf, type UsersDirectly, usersDirectly } from '../support/users-directly.ts';

let instance: Instance;
let home: string;
let users: UsersDirectly;

beforeAll(async () => {
  instance = await startInstance('ids');
  home = instance.home;
  users = await usersDirectly(instance.cluster.kubeconfig, home);
});

afterAll(async () => {
  await users?.close();
  await instance?.stop();
});

async function object(what: string): Promise<Stored> {
  return instance.cluster.getObject(what, home);
}
async function idOf(what: string): Promise<number> {
  return (await object(what)).status.id;
}
async function marks(): Promise<Record<string, string>> {
  return (await object('configmap/vexil-ids')).data;
}
const reasons = ({ status }: Stored) => (status.problems ?? []).map(({ reason }: Stored) => reason);

async function wipe(what: string): Promise<void> {
  await instance.cluster.patchObject(`${what}/status`, home, [{ op: 'remove', path: '/status' }]);
}

test('fifty users that are created at once have the ids from 1 to 50', async () => {
  const names = namesOf('many', 50);
  await users.create(names);
  expect(await users.untilReady(50)).toEqual(names.map((_, index) => index + 1));
  expect((await marks())['flagusers']).toBe('50');
  users.expectNeverShared();
});

test('a role starts above the built-in ones', async () => {
  await instance.apply(aRole(`${home}/first`));
  expect(await idOf('frole/first')).toBe(6);
  expect((await marks())['flagroles']).toBe('6');
});

describe('an id', () => {
  test('of a deleted user is not assigned again', async () => {
    await instance.apply(aUser(`${home}/fleeting`));
    const id = await idOf('fuser/fleeting');
    await instance.cluster.deleteObject('fuser/fleeting', home);
    await instance.apply(aUser(`${home}/fleeting`));
    expect(await idOf('fuser/fleeting')).toBe(id + 1);
  });

  test('that is pinned stays, and raises the highest id', async () => {
    await instance.apply(aUser(`${home}/pinned`, { id: 5000 }), aUser(`${home}/after`));
    expect(await idOf('fuser/pinned')).toBe(5000);
    expect(await idOf('fuser/after')).toBe(5001);
    expect(Number((await marks())['flagusers'])).toBe(5001);
  });

  test('that an older user has is not assigned to one that pins it, until the older one is deleted', async () => {
    await instance.apply(aUser(`${home}/owner`, { id: 700 }));
    await instance.apply(aUser(`${home}/claimant`, { id: 700 }));
    const refused = await object('fuser/claimant');
    expect([refused.status.id, reasons(refused)]).toEqual([undefined, ['IdConflict']]);
    expectHealthyStatus(refused);
    expect(await idOf('fuser/owner')).toBe(700);
    await instance.cluster.deleteObject('fuser/owner', home);
    await waitUntil({ what: 'it has the id' }, async () => (await idOf('fuser/claimant')) === 700);
    expectHealthyStatus(await object('fuser/claimant'));
  });

  test('that two users pin belongs to the older one', async () => {
    const manifests = ['pin-b', 'pin-a'].map((name) => aUser(`${home}/${name}`, { id: 800 }));
    // Within one second the smaller name counts as the older one; the user that was judged first keeps the id in any
    // case.
    await instance.apply(...manifests);
    // Two users that are judged at the same time are judged again when the first status arrives.
    await waitUntil({ what: 'one of them has the id' }, async () => {
      const both = await Promise.all(manifests.map(({ metadata }) => object(`fuser/${metadata.name}`)));
      const withId = both.filter(({ status }) => status.id === 800);
      return withId.length === 1 && both.flatMap(reasons).join() === 'IdConflict';
    });
  });

  test('that was removed from a status, as by a restore, is replaced by a new one above the highest', async () => {
    await instance.apply(aUser(`${home}/wiped`), aUser(`${home}/untouched`));
    const [before, untouched] = [await idOf('fuser/wiped'), await idOf('fuser/untouched')];
    const mark = Number((await marks())['flagusers']);
    await wipe('fuser/wiped');
    const after = await waitUntil({ what: 'it has an id again' }, async () => (await object('fuser/wiped')).status?.id);
    expect(after).toBe(mark + 1);
    expect(after).not.toBe(before);
    expect(await idOf('fuser/untouched')).toBe(untouched);
  });

  test('that is pinned survives the loss of a status', async () => {
    await instance.apply(aUser(`${home}/pinned-again`, { id: 900 }));
    await wipe('fuser/pinned-again');
    await waitUntil(
      { what: 'it has its id again' },
      async () => (await object('fuser/pinned-again')).status?.id === 900,
    );
  });

  test('of a user without a name of its own is assigned when the name becomes free', async () => {
    await instance.apply(aUser(`${home}/name-a`, { username: 'wanted' }));
    await instance.apply(aUser(`${home}/name-b`, { username: 'wanted' }));
    const heir = await object('fuser/name-b');
    expect([heir.status.id, reasons(heir)]).toEqual([undefined, ['NameConflict']]);
    const takenId = await idOf('fuser/name-a');
    await instance.cluster.deleteObject('fuser/name-a', home);
    const id = await waitUntil({ what: 'it has an id' }, async () => (await object('fuser/name-b')).status?.id);
    expect(id).toBeGreaterThan(takenId);
  });
});

describe('a user who writes into statuses', () => {
  test('cannot change an id', async () => {
    await instance.apply(aUser(`${home}/settled`));
    const refused = instance.cluster.patchObject('fuser/settled/status', home, { status: { id: 1 } });
    await expect(refused).rejects.toThrow('status.id cannot change once it is given');
  });

  test('does not give two users one id for long: the one that has had it longer keeps it', async () => {
    await instance.apply(aUser(`${home}/robbed`, { id: 1000 }), aUser(`${home}/thief`));
    const patch = (change: object) => instance.cluster.patchObject('fuser/thief/status', home, [change]);
    await patch({ op: 'remove', path: '/status/id' });
    // The operator may have written an id meanwhile.
    await patch({ op: 'add', path: '/status/id', value: 1000 }).catch(() => undefined);
    const ids = await waitUntil({ what: 'both have an id' }, async () => {
      const found = [await idOf('fuser/robbed'), await idOf('fuser/thief')];
      return found.every((id) => id !== undefined) && new Set(found).size === 2 && found;
    });
    expect(ids[0]).toBe(1000);
  });
});

describe('the ConfigMap of the highest ids', () => {
  test('is created again from the objects when it is lost', async () => {
    await instance.apply(aUser(`${home}/highest`));
    const highest = await idOf('fuser/highest');
    await instance.cluster.deleteObject('configmap/vexil-ids', home);
    await instance.apply(aUser(`${home}/after-the-loss`));
    expect(await idOf('fuser/after-the-loss')).toBe(highest + 1);
    expect(Number((await marks())['flagusers'])).toBe(highest + 1);
  });

  test('keeps the labels that others have set, which backup tools select', async () => {
    await instance.cluster.patchObject('configmap/vexil-ids', home, { metadata: { labels: { backup: 'yes' } } });
    await instance.apply(aUser(`${home}/labelled`));
    expect((await object('configmap/vexil-ids')).metadata.labels).toEqual({ backup: 'yes' });
  });

  test('with an invalid number stops the assignment of ids, until it is corrected or deleted', async () => {
    await instance.cluster.patchObject('configmap/vexil-ids', home, { data: { flagusers: 'many' } });
    await users.create(['patient']);
    await waitUntil({ what: 'the log says so' }, () =>
      instance.log.some((line) =>
        JSON.stringify(line).includes('has a value for flagusers that is not a whole number'),
      ),
    );
    expect(await users.idOf('patient')).toBeUndefined();
    await instance.cluster.deleteObject('configmap/vexil-ids', home);
    await waitUntil({ what: 'it has an id' }, () => users.idOf('patient'));
  });
});
