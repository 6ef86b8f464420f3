/** The members of a project: additions, changes and removals; an owner always remains. */
import { describe, expect, test } from 'vitest';
import { wireNameOf } from '../../../../src/domain/identity/names.ts';
import { builtInRoleNamed, type Role, roleOf } from '../../../../src/domain/people/roles.ts';
import {
  addMember,
  changeMember,
  type EditMembers,
  removeMember,
} from '../../../../src/domain/project/edit-members.ts';
import type { People } from '../../../../src/domain/project/members.ts';
import { isRefusal } from '../../../../src/errors.ts';
import type { FlagUser } from '../../../../src/schema/flag-user.ts';
import { projectObject, roleObject, userObject } from '../objects.ts';

const usernames = ['ada', 'lin', 'eva', 'constructor', '__proto__', 'a/b~c@example.com'];
const users = new Map(
  usernames.map((username, index) => [
    username,
    userObject(`home/user-${index}`, { username }, { status: { id: index + 1 } }),
  ]),
);
const custom = ['Releaser', 'captain'].flatMap(
  (name, index) => roleOf(roleObject(`home/role-${index}`, { name }, { status: { id: 6 + index } })) ?? [],
);
const auditor = roleOf(roleObject('home/auditor', { type: 'root' }, { status: { id: 9 } }));
const people: People = {
  userNamed: (name) => users.get(name),
  roleNamed: (name) => builtInRoleNamed(name) ?? [...custom, auditor].find((role) => role?.name === name),
};

type Members = Readonly<Record<string, unknown>> | null | undefined;

const project = (members: Members) =>
  projectObject('home/shop', { description: 'd', ...(members !== undefined && { members }) });

const user = (name: string) => users.get(name) as FlagUser;
const role = (name: string) => people.roleNamed(name) as Role;

function edited(edit: EditMembers, members: Members, [username, roleName]: readonly [string, string]): unknown {
  const { members: next, ...rest } = edit(project(members), { user: user(username), role: role(roleName), people });
  expect(rest).toEqual({ description: 'd' });
  return Object.entries(next ?? {});
}

function refusal(edit: EditMembers, members: Members, choice: readonly [string, string]): string {
  try {
    edited(edit, members, choice);
  } catch (error) {
    if (isRefusal(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
}

const LAST = 'last-owner: A project must have at least one owner.';

describe('add', () => {
  test.each<[string, Members, readonly [string, string], unknown]>([
    ['the first one', undefined, ['ada', 'Owner'], { ada: 'owner' }],
    ['the first one where the map is null', null, ['ada', 'Member'], { ada: 'member' }],
    ['one more, at the end', { lin: 'owner' }, ['ada', 'Member'], { lin: 'owner', ada: 'member' }],
    ['a role of its own, as it is written', { lin: 'owner' }, ['ada', 'Releaser'], { lin: 'owner', ada: 'Releaser' }],
    ['a member to a project without owner', {}, ['ada', 'Member'], { ada: 'member' }],
    ['a member with a role that does not exist', { ada: 'gone' }, ['ada', 'Member'], { ada: 'member' }],
    ['a member with a root role', { ada: 'auditor' }, ['ada', 'Member'], { ada: 'member' }],
    [
      'beside a member whose user does not exist',
      { moon: 'owner' },
      ['ada', 'Member'],
      { moon: 'owner', ada: 'member' },
    ],
    [
      'a name that every object has',
      { lin: 'owner' },
      ['constructor', 'Member'],
      { lin: 'owner', constructor: 'member' },
    ],
  ])('%s', (_, members, choice, want) => {
    expect(edited(addMember, members, choice)).toEqual(Object.entries(want as object));
  });

  test('accepts the name __proto__ as an ordinary one', () => {
    expect(edited(addMember, { lin: 'owner' }, ['__proto__', 'Member'])).toEqual([
      ['lin', 'owner'],
      ['__proto__', 'member'],
    ]);
  });

  test.each([
    ['with the same role', 'Owner'],
    ['with another role', 'Member'],
  ])('refuses a member of the project, %s', (_, roleName) => {
    const want = 'already-member: User already has access to project=shop';
    expect(refusal(addMember, { ada: 'owner' }, ['ada', roleName])).toBe(want);
  });
});

describe('change', () => {
  test.each<[string, Members, readonly [string, string], unknown]>([
    ['a member', { ada: 'owner', lin: 'member' }, ['lin', 'Owner'], { ada: 'owner', lin: 'owner' }],
    ['one of two owners', { ada: 'owner', lin: 'Owner' }, ['ada', 'Member'], { ada: 'member', lin: 'Owner' }],
    ['a member in a project without an owner', { ada: 'member' }, ['ada', 'captain'], { ada: 'captain' }],
  ])('%s', (_, members, choice, want) => {
    expect(edited(changeMember, members, choice)).toEqual(Object.entries(want as object));
  });

  test.each<[string, Members, readonly [string, string]]>([
    ['a user who is not in the project', { ada: 'owner' }, ['lin', 'Member']],
    ['a user who is not in a project without members', undefined, ['lin', 'Owner']],
    ['a member with a role that does not exist', { lin: 'gone' }, ['lin', 'Member']],
    ['a member with that role', { ada: 'owner', lin: 'member' }, ['lin', 'Member']],
    ['a member with that role, in other case', { ada: 'owner', lin: 'MEMBER' }, ['lin', 'Member']],
    ['the only owner, to owner', { ada: 'owner' }, ['ada', 'Owner']],
  ])('nothing for %s', (_, members, [username, roleName]) => {
    const before = project(members);
    expect(changeMember(before, { user: user(username), role: role(roleName), people })).toBe(before.spec);
  });

  test.each<[string, Members]>([
    ['alone', { ada: 'owner' }],
    ['with members', { ada: 'Owner', lin: 'member', eva: 'captain' }],
    ['with an owner whose user does not exist', { ada: 'owner', moon: 'owner' }],
  ])('refuses to take the role from the only owner, %s', (_, members) => {
    expect(refusal(changeMember, members, ['ada', 'Member'])).toBe(LAST);
  });
});

describe('remove', () => {
  test.each<[string, Members, readonly [string, string], unknown]>([
    ['a member', { ada: 'owner', lin: 'member' }, ['lin', 'Member'], { ada: 'owner' }],
    ['one with a role of its own', { lin: 'captain', ada: 'owner' }, ['lin', 'captain'], { ada: 'owner' }],
    ['one of two owners', { ada: 'owner', lin: 'owner' }, ['ada', 'Owner'], { lin: 'owner' }],
    ['the last member of a project without an owner', { lin: 'member' }, ['lin', 'Member'], {}],
    [
      'and keeps a member whose user does not exist',
      { lin: 'member', moon: 'owner' },
      ['lin', 'Member'],
      { moon: 'owner' },
    ],
  ])('%s', (_, members, choice, want) => {
    expect(edited(removeMember, members, choice)).toEqual(Object.entries(want as object));
  });

  const none = 'not-found: The user "lin" is not in the project "shop".';
  const other = 'not-found: The user "lin" does not have the role "Owner" in the project "shop", but "Member".';
  test.each<[string, Members, readonly [string, string], string]>([
    ['a user who is not in the project', { ada: 'owner' }, ['lin', 'Member'], none],
    ['a member with a role that does not exist', { lin: 'gone' }, ['lin', 'Member'], none],
    ['a member with another role', { ada: 'owner', lin: 'member' }, ['lin', 'Owner'], other],
    ['the only owner', { ada: 'owner', lin: 'member' }, ['ada', 'Owner'], LAST],
    ['the only owner whose user exists', { ada: 'owner', moon: 'owner' }, ['ada', 'Owner'], LAST],
    ['a name that every object has', { ada: 'owner' }, ['constructor', 'Member'], none.replace('lin', 'constructor')],
  ])('refuses %s', (_, members, choice, want) => {
    expect(refusal(removeMember, members, choice)).toBe(want);
  });
});

test('none of them changes the object', () => {
  const before = project({ ada: 'owner', lin: 'owner' });
  const copy = structuredClone(before);
  const choose = (name: string, roleName: string) => ({ user: user(name), role: role(roleName), people });
  addMember(before, choose('eva', 'Member'));
  changeMember(before, choose('lin', 'Member'));
  removeMember(before, choose('lin', 'Owner'));
  expect(before).toEqual(copy);
  expect(wireNameOf(before)).toBe('shop');
});
