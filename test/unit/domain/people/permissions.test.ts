/** The permissions of roles, by the tables of docs/unleash-compatibility.md#permissions-and-roles. */
import { describe, expect, test } from 'vitest';
import { type EffectiveRoles, isGranted } from '../../../../src/domain/people/permissions.ts';
import { builtInRoleNamed, type Role, roleOf } from '../../../../src/domain/people/roles.ts';
import { type PermissionName, permissionNames } from '../../../../src/schema/permission.ts';
import { roleObject } from '../objects.ts';

const none: EffectiveRoles = { root: undefined, project: undefined };
const builtIn = (name: string): Role => {
  const role = builtInRoleNamed(name);
  if (!role) throw new Error(`there is no role ${name}`);
  return role;
};
const custom = (...permissions: { name: string; environment?: string }[]): Role => {
  const role = roleOf(roleObject('home/custom', { permissions }, { status: { id: 7 } }));
  if (!role) throw new Error('the role has no id');
  return role;
};

const work: readonly PermissionName[] = [
  ...(['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'UPDATE_FEATURE_VARIANTS'] as const),
  ...(['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN'] as const),
  ...(['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const),
  ...(['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'] as const),
];
const keep: readonly PermissionName[] = ['MOVE_FEATURE_TOGGLE', 'UPDATE_PROJECT', 'DELETE_PROJECT'];
const root: readonly PermissionName[] = [
  ...(['CREATE_STRATEGY', 'UPDATE_STRATEGY', 'DELETE_STRATEGY'] as const),
  ...(['CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD', 'DELETE_CONTEXT_FIELD'] as const),
  ...(['CREATE_ADDON', 'UPDATE_ADDON', 'DELETE_ADDON'] as const),
  ...(['CREATE_SEGMENT', 'UPDATE_SEGMENT', 'DELETE_SEGMENT'] as const),
  ...(['CREATE_TAG_TYPE', 'UPDATE_TAG_TYPE', 'DELETE_TAG_TYPE'] as const),
  ...(['CREATE_PROJECT', 'UPDATE_APPLICATION', 'READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] as const),
];

/** It takes another person to approve what an admin changes. */
const allButSkip = permissionNames.filter((name) => name !== 'SKIP_CHANGE_REQUEST');

describe('a built-in role allows what real Unleash servers allow, and nothing else', () => {
  test.each<[string, EffectiveRoles, string | undefined, readonly PermissionName[]]>([
    ['Admin, in no project', { ...none, root: builtIn('Admin') }, undefined, allButSkip],
    ['Admin, in a project', { ...none, root: builtIn('Admin') }, 'shop', allButSkip],
    ['Editor, in no project', { ...none, root: builtIn('Editor') }, undefined, root],
    ['Editor, in the project default', { ...none, root: builtIn('Editor') }, 'default', [...root, ...work, ...keep]],
    ['Editor, in another project', { ...none, root: builtIn('Editor') }, 'shop', root],
    ['Viewer, in a project', { ...none, root: builtIn('Viewer') }, 'default', []],
    ['a user without roles, in a project', none, 'default', []],
    [
      'Owner, in theirs',
      { ...none, project: builtIn('Owner') },
      'shop',
      [...work, ...keep, 'UPDATE_FEATURE_DEPENDENCY'],
    ],
    ['Member, in theirs', { ...none, project: builtIn('Member') }, 'shop', [...work, 'UPDATE_FEATURE_DEPENDENCY']],
    ['Owner, in no project', { ...none, project: builtIn('Owner') }, undefined, []],
  ])('%s', (_name, roles, project, want) => {
    for (const environment of [undefined, 'production']) {
      const granted = permissionNames.filter((permission) => isGranted(roles, { permission, project, environment }));
      expect([...granted].sort()).toEqual([...want].sort());
    }
  });
});

describe('a grant counts in its scope', () => {
  const update = 'UPDATE_FEATURE_ENVIRONMENT';
  const asked = { permission: update, project: 'shop', environment: 'production' } as const;
  const inProduction = { name: update, environment: 'production' };

  test.each<[string, Role, object, boolean]>([
    ['in every environment, if it names none', custom({ name: update }), {}, true],
    ['in every environment, if it names all', custom({ name: update, environment: '*' }), {}, true],
    [
      'where nothing says which environment, if it names all',
      custom({ name: update, environment: '*' }),
      { environment: undefined },
      true,
    ],
    ['in the environment that it names', custom(inProduction), {}, true],
    ['not in another one', custom(inProduction), { environment: 'development' }, false],
    ['not in one whose name only begins so', custom(inProduction), { environment: 'production-2' }, false],
    ['not where nothing says which environment', custom(inProduction), { environment: undefined }, false],
    [
      'in some environment, if it names one',
      custom(inProduction),
      { environment: undefined, inSomeEnvironment: true },
      true,
    ],
    ['for nothing else', custom(inProduction), { permission: 'CREATE_FEATURE_STRATEGY' }, false],
    [
      'for nothing else in some environment',
      custom(inProduction),
      { permission: 'UPDATE_FEATURE', inSomeEnvironment: true },
      false,
    ],
    ['for everything, if it is ADMIN', custom({ name: 'ADMIN' }), { permission: 'DELETE_PROJECT' }, true],
    ['for everything there, if it is ADMIN', custom({ name: 'ADMIN', environment: 'production' }), {}, true],
    ['and ADMIN of one environment not in another', custom({ name: 'ADMIN', environment: 'x' }), {}, false],
    ['and the permissions of a role add up', custom({ name: update, environment: 'x' }, inProduction), {}, true],
    ['and not at all, if the role allows nothing', custom(), {}, false],
  ])('%s', (_name, role, changed, want) => {
    expect(isGranted({ root: role, project: undefined }, { ...asked, ...changed })).toBe(want);
    expect(isGranted({ root: undefined, project: role }, { ...asked, ...changed })).toBe(want);
  });

  test('ADMIN of a project has no effect if the request has no project', () => {
    const roles = { root: undefined, project: custom({ name: 'ADMIN' }) };
    expect(isGranted(roles, { permission: 'ADMIN' })).toBe(false);
    expect(isGranted(roles, { permission: 'ADMIN', project: 'shop' })).toBe(true);
  });

  test('a custom role with the name of a built-in one has its own permissions', () => {
    const root = { ...custom({ name: update }), name: 'Admin' };
    expect(isGranted({ root, project: undefined }, { permission: 'ADMIN' })).toBe(false);
  });
});

describe('SKIP_CHANGE_REQUEST', () => {
  const skip = { permission: 'SKIP_CHANGE_REQUEST', project: 'shop', environment: 'production' } as const;

  test('takes a root role that names it', () => {
    expect(isGranted({ ...none, root: custom({ name: 'SKIP_CHANGE_REQUEST' }) }, skip)).toBe(true);
    expect(isGranted({ ...none, root: custom({ name: 'ADMIN' }) }, skip)).toBe(false);
  });

  test('has no effect in the role of a member, which an owner of the project can give', () => {
    expect(isGranted({ ...none, project: custom({ name: 'SKIP_CHANGE_REQUEST' }) }, skip)).toBe(false);
  });
});
