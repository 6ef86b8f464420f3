/** The events of projects, of their members and of their environments. */
import { describe, expect, test } from 'vitest';
import { projectObject } from '../../domain/objects.ts';
import { auditEventsOf, inShort } from './derive-world.ts';

const projects = auditEventsOf('projects');
const project = (spec: object = {}) => projectObject('home/shop', spec);
const recordedOf = (before: object, after: object) => projects.changed(project(before), project(after));

const shape = (more: object = {}) => ({
  id: 'shop',
  name: 'shop',
  description: '',
  defaultStickiness: 'default',
  mode: 'open',
  featureNaming: { pattern: null, example: null, description: null },
  createdAt: '2026-01-01T00:00:00.000Z',
  environments: null,
  ...more,
});
const ofProject = { project: 'shop', environment: null, featureName: null, tags: [], subject: '' };

test('a new project is recorded, then its members by name', () => {
  const auditEvents = projects.created(project({ members: { bob: 'member', ada: 'owner' } }));
  expect(auditEvents.map(inShort)).toEqual(['project-created', 'project-user-added ada', 'project-user-added bob']);
  expect(auditEvents[0]).toEqual({ ...ofProject, type: 'project-created', data: shape(), preData: null });
});

test('a deleted project is recorded with its last state', () => {
  const before = project({ displayName: 'The shop', environments: ['production'], members: { ada: 'owner' } });
  const preData = shape({ name: 'The shop', environments: ['production'] });
  expect(projects.deleted(before)).toEqual([{ ...ofProject, type: 'project-deleted', data: null, preData }]);
});

describe('a change of a project is recorded as', () => {
  const rows: readonly { name: string; before: object; after: object; want: readonly string[] }[] = [
    { name: 'nothing, where nothing changed', before: { members: {} }, after: { members: { ada: null } }, want: [] },
    { name: 'an update', before: {}, after: { flagNaming: { pattern: 'a' } }, want: ['project-updated'] },
    {
      name: 'an update, where it begins to list its environments',
      before: {},
      after: { environments: ['production'] },
      want: ['project-updated'],
    },
    {
      name: 'an update, where it no longer lists them',
      before: { environments: ['production'] },
      after: {},
      want: ['project-updated'],
    },
    {
      name: 'environments added and removed, where it lists them before and after',
      before: { environments: ['production', 'staging'] },
      after: { environments: ['staging', 'development'] },
      want: ['project-environment-added in development', 'project-environment-removed in production'],
    },
    {
      name: 'an update, then an environment, where both changed',
      before: { environments: ['production'] },
      after: { environments: ['production', 'staging'], description: 'd' },
      want: ['project-updated', 'project-environment-added in staging'],
    },
    {
      name: 'members by name, each with what happened',
      before: { members: { bob: 'member', eve: 'owner', zed: 'member' } },
      after: { members: { bob: 'owner', ada: 'Tester', zed: 'member' } },
      want: ['project-user-added ada', 'project-user-role-changed bob', 'project-user-removed eve'],
    },
    {
      name: 'an update, where a role is only written in another way',
      before: { members: { ada: 'owner' } },
      after: { members: { ada: 'Owner' } },
      want: ['project-updated'],
    },
    {
      name: 'an update, where the wire shows nothing of it',
      before: {},
      after: { managedFields: 'TakeOver' },
      want: ['project-updated'],
    },
    {
      name: 'an update, where environments only changed places',
      before: { environments: ['production', 'staging'] },
      after: { environments: ['staging', 'production'] },
      want: ['project-updated'],
    },
  ];
  test.each(rows)('$name', ({ before, after, want }) => {
    expect(recordedOf(before, after).map(inShort)).toEqual(want);
  });
});

describe('the recorded data', () => {
  test('of an update are the project before and after', () => {
    expect(recordedOf({}, { environments: ['production'], description: 'd' })).toEqual([
      {
        ...ofProject,
        type: 'project-updated',
        data: shape({ environments: ['production'], description: 'd' }),
        preData: shape(),
      },
    ]);
  });

  test('of unlisted environments before or after are all of them, or null', () => {
    const [listed, all] = [shape({ environments: ['production'] }), shape()];
    expect(recordedOf({}, { environments: ['production'] })).toMatchObject([{ data: listed, preData: all }]);
    const [auditEvents] = recordedOf({ environments: ['production'] }, {});
    expect([auditEvents?.data, auditEvents?.preData]).toEqual([all, listed]);
  });

  const ada = { userId: 7, email: 'ada@example.com' };
  test.each([
    ['a member', {}, { ada: 'owner' }, { ...ada, roleId: 4, roleName: 'Owner' }, null],
    ['a role of ones own', {}, { ada: 'Tester' }, { ...ada, roleId: 6, roleName: 'Tester' }, null],
    ['a user without address', {}, { bob: 'member' }, { userId: 8, email: null, roleId: 5, roleName: 'Member' }, null],
    ['an unknown one', {}, { eve: 'gone' }, { userId: null, email: null, roleId: null, roleName: 'gone' }, null],
    ['a role that is none for members', {}, { ada: 'auditor' }, { ...ada, roleId: null, roleName: 'auditor' }, null],
    [
      'another role',
      { ada: 'owner' },
      { ada: 'member' },
      { ...ada, roleId: 5, roleName: 'Member' },
      { ...ada, roleId: 4, roleName: 'Owner' },
    ],
    ['a member who was removed', { ada: 'owner' }, {}, null, { ...ada, roleId: 4, roleName: 'Owner' }],
  ])('of %s are user and role, before and after', (_, before, after, data, preData) => {
    const [auditEvents, ...more] = recordedOf({ members: before }, { members: after });
    expect([auditEvents?.data, auditEvents?.preData, more]).toEqual([data, preData, []]);
    expect(auditEvents).toMatchObject({ project: 'shop', subject: Object.keys({ ...before, ...after })[0] });
  });

  test('of an environment are only its name', () => {
    const [auditEvents] = recordedOf({ environments: ['production'] }, { environments: ['production', 'staging'] });
    expect(auditEvents).toMatchObject({ project: 'shop', environment: 'staging', data: null, preData: null });
  });
});
