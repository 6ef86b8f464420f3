/** The settings of projects and environments that need approval: read from a spec, and written into one. */
import { describe, expect, test } from 'vitest';
import {
  environmentSettingsOf,
  projectSettingsOf,
  withEnvironmentSettings,
  withProjectSettings,
} from '../../../../src/domain/approval/settings.ts';
import type { EnvironmentSpec } from '../../../../src/schema/environment.ts';
import type { ProjectSpec } from '../../../../src/schema/project.ts';

const freezes = [{ name: 'sale', from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }];

describe('a project', () => {
  test.each<[string, ProjectSpec, ProjectSpec]>([
    ['the order of environments', { environments: ['b', 'a'] }, { environments: ['a', 'b'] }],
    ['a member that is null', { members: { ada: 'owner', bob: null } }, { members: { ada: 'owner' } }],
    ['a map without members', { members: {} }, {}],
    ['another field', { displayName: 'Shop', members: {} }, { members: {} }],
  ])('has the same settings whatever %s', (_, one, other) => {
    expect(projectSettingsOf(one)).toEqual(projectSettingsOf(other));
  });

  test('that lists no environments has other settings than one with an empty list', () => {
    expect(projectSettingsOf({})).not.toEqual(projectSettingsOf({ environments: [] }));
  });

  test.each<[ProjectSpec, ProjectSpec, ProjectSpec]>([
    [
      { displayName: 'Shop', environments: ['b', 'a'], members: { ada: 'owner' } },
      { environments: ['a', 'b', 'c'], members: { ada: 'approver' } },
      { displayName: 'Shop', environments: ['b', 'a', 'c'], members: { ada: 'approver' } },
    ],
    [{ environments: ['a'], members: { ada: 'owner' } }, {}, { members: {} }],
    [{ displayName: 'Shop' }, {}, { displayName: 'Shop' }],
  ])('%j with the settings of %j', (spec, wanted, after) => {
    expect(withProjectSettings(spec, projectSettingsOf(wanted))).toEqual(after);
    expect(projectSettingsOf(after)).toEqual(projectSettingsOf(wanted));
  });
});

describe('an environment', () => {
  test.each<[EnvironmentSpec, EnvironmentSpec, EnvironmentSpec]>([
    [{ type: 'production' }, { enabled: true, protected: false }, { type: 'production' }],
    [
      { enabled: true, approvals: { required: 1 }, freezes },
      { enabled: false, protected: true },
      { enabled: false, protected: true },
    ],
    [
      { sortOrder: 1, protected: true },
      { approvals: { required: 2 }, freezes },
      { sortOrder: 1, protected: false, approvals: { required: 2 }, freezes },
    ],
  ])('%j with the settings of %j', (spec, wanted, after) => {
    expect(withEnvironmentSettings(spec, environmentSettingsOf(wanted))).toEqual(after);
    expect(environmentSettingsOf(after)).toEqual(environmentSettingsOf(wanted));
  });
});
