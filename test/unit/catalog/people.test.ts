/** The served users and roles, and their order. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { CREATED } from '../domain/objects.ts';
import { aWorld, type World } from './world.ts';

const LATER = { creationTimestamp: '2026-01-01T00:00:01Z' };

let world: World;
let catalog: Catalog;

beforeEach(() => {
  world = aWorld();
  catalog = createCatalog(world.caches, () => Date.parse(CREATED), { home: 'home' });
});

function user(name: string, id: number, spec: object = {}, facts: object = {}): void {
  world.user(`home/${name}`, spec, { ...facts, status: { id } });
}
function role(name: string, id: number, spec: object = {}): void {
  world.role(`home/${name}`, spec, { status: { id } });
}
const usernames = () => catalog.users().map(wireNameOf);

describe('a user', () => {
  test('is served by id and by username when it has an id', () => {
    world.user('home/ada', { username: 'ada@example.com' });
    expect([catalog.userNamed('ada@example.com'), usernames()]).toEqual([undefined, []]);
    world.number('FlagUser home/ada', 3);
    expect(catalog.user(3)).toBe(catalog.userNamed('ada@example.com'));
    expect([catalog.userNamed('ada'), usernames()]).toEqual([undefined, ['ada@example.com']]);
    world.remove('FlagUser home/ada');
    expect([catalog.user(3), catalog.userNamed('ada@example.com'), usernames()]).toEqual([undefined, undefined, []]);
  });

  test('is listed by its id, not by age or name', () => {
    user('c', 10);
    user('a', 9);
    user('b', 100);
    expect(usernames()).toEqual(['a', 'c', 'b']);
  });

  test('whose name or id another user owns is not served', () => {
    user('ada', 1);
    user('twin', 2, { username: 'ada' }, LATER);
    user('same', 1, {}, LATER);
    expect([usernames(), catalog.user(2)]).toEqual([['ada'], undefined]);
    expect(catalog.user(1)?.metadata.name).toBe('ada');
  });

  test('that wants an id without a name of its own does not prevent another one from having it', () => {
    user('ada', 1);
    world.user('home/nameless', { username: 'ada', id: 5 }, LATER);
    world.user('home/late', { id: 5 }, { creationTimestamp: '2026-01-01T00:00:02Z' });
    const late = world.caches.users.get({ namespace: 'home', name: 'late' });
    expect(late && catalog.userConflictsWith(late).idConflictWith).toBeUndefined();
  });

  test('is found by its Kubernetes identity; of two that claim it, the older one', () => {
    user('bot', 1, { subjects: [{ kind: 'ServiceAccount', namespace: 'ci', name: 'bot' }] });
    user('copy', 2, { subjects: [{ kind: 'User', name: 'system:serviceaccount:ci:bot' }] }, LATER);
    expect(catalog.userBySubject('system:serviceaccount:ci:bot')?.metadata.name).toBe('bot');
    expect(catalog.userBySubject('ada')).toBeUndefined();
  });

  test('has the root role in its spec, and is a Viewer without one', () => {
    role('auditor', 6, { type: 'root' });
    role('captain', 7, {});
    user('a', 1);
    user('b', 2, { rootRole: 'Admin' });
    user('c', 3, { rootRole: 'auditor' });
    user('d', 4, { rootRole: 'captain' });
    user('e', 5, { rootRole: 'nobody' });
    expect(catalog.users().map((one) => catalog.rootRoleOf(one)?.name)).toEqual([
      'Viewer',
      'Admin',
      'auditor',
      'Viewer',
      'Viewer',
    ]);
  });
});

describe('a role', () => {
  test('that is built in is served from the start, with the ids that clients know', () => {
    expect(catalog.rolesInOrder().map(({ id, name, type }) => `${id} ${name} ${type}`)).toEqual([
      '1 Admin root',
      '2 Editor root',
      '3 Viewer root',
      '4 Owner project',
      '5 Member project',
    ]);
    expect(catalog.rolesInOrder().every(({ description }) => description !== '')).toBe(true);
    expect([catalog.role(4)?.name, catalog.roleNamed('owner')?.id, catalog.role(0), catalog.role(6)]).toEqual([
      'Owner',
      4,
      undefined,
      undefined,
    ]);
  });

  test('that is custom comes after those, by its id', () => {
    role('b', 7, { name: 'Beta', description: 'second' });
    role('a', 6, { type: 'root' });
    expect(catalog.rolesInOrder().slice(5)).toMatchObject([
      { id: 6, name: 'a', type: 'root', description: '' },
      { id: 7, name: 'Beta', type: 'project', description: 'second' },
    ]);
    expect(catalog.role(7)).toMatchObject({ name: 'Beta' });
    expect(catalog.roleNamed('b')).toBeUndefined();
  });
});

describe('lists', () => {
  test('are the same objects until an object is created, deleted, changed or given an id', () => {
    user('ada', 1);
    const first = catalog.users();
    world.touch('FlagUser home/ada');
    expect(catalog.users()).toBe(first);
    world.user('home/lin');
    const second = catalog.users();
    world.number('FlagUser home/lin', 2);
    expect(catalog.users()).not.toBe(second);
  });

  test('the members of a project are those whose users exist, by id, and follow every change', () => {
    const project = () => catalog.project('shop');
    const members = () => {
      const found = project();
      return found && catalog.membersOf(found).map(({ user: one, role: its }) => `${wireNameOf(one)} ${its.name}`);
    };
    world.project('home/shop', { members: { zoe: 'owner', ada: 'member', lin: 'captain', moon: 'owner' } });
    user('zoe', 1);
    user('ada', 2);
    user('lin', 3);
    expect(members()).toEqual(['zoe Owner', 'ada Member']);
    role('captain', 6);
    expect(members()).toEqual(['zoe Owner', 'ada Member', 'lin captain']);
    const view = catalog.view('shop');
    const counts = view && catalog.countsOf(view);
    expect(counts?.members).toBe(3);
    expect(view && catalog.countsOf(view)).toBe(counts);
    world.remove('FlagUser home/zoe');
    expect(members()).toEqual(['ada Member', 'lin captain']);
  });

  test('strategy types: the built-in ones first, then the custom ones, by name', () => {
    world.strategy('home/z', { name: 'Zeta' });
    world.strategy('home/a', { parameters: [{ name: 'p', required: true }] });
    world.strategy('home/copy', { name: 'a' }, LATER);
    const names = [...catalog.strategyTypes().keys()];
    expect(names.slice(0, 2)).toEqual(['default', 'flexibleRollout']);
    expect(names.slice(8)).toEqual(['Zeta', 'a']);
    expect(catalog.strategyTypes().get('a')).toMatchObject({
      builtIn: false,
      parameters: [{ name: 'p', type: 'string', description: '', required: true }],
    });
  });
});

test('the highest id so far does not fall when its owner is deleted', () => {
  expect(catalog.highestIds()).toMatchObject({ flagusers: 0, flagroles: 5 });
  user('ada', 7);
  world.user('home/lin', { id: 40 });
  role('captain', 9);
  world.remove('FlagUser home/lin');
  expect(catalog.highestIds()).toMatchObject({ flagusers: 40, flagroles: 9 });
});
