/** The verdicts on projects, with their counts, and on environments. */
import { describe, expect, test } from 'vitest';
import { atRest } from '../../../../src/domain/environment/clone-progress.ts';
import { judgeEnvironment } from '../../../../src/domain/environment/judge-environment.ts';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { builtInRoleNamed, roleOf } from '../../../../src/domain/people/roles.ts';
import { judgeProject } from '../../../../src/domain/project/judge-project.ts';
import type { People } from '../../../../src/domain/project/members.ts';
import { countFlag, summarize } from '../../../../src/domain/project/project-summary.ts';
import type { Ref } from '../../../../src/model/object.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { dependents } from '../dependents.ts';
import { CREATED, environmentObject, flagObject, projectObject, roleObject, userObject } from '../objects.ts';

const CREATED_AT = Date.parse(CREATED);
const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = CREATED_AT + DAY_MS;
const summaryOf = (flags: readonly FeatureFlag[], now = NOW) =>
  summarize(flags, (flag) => countFlag(flag, effectOf(flag, dependents())), now);

const known = new Map(
  ['ada', 'lin'].map((name, index) => [name, userObject(`home/${name}`, {}, { status: { id: index + 1 } })]),
);
const roles = [
  roleOf(roleObject('home/releaser', {}, { status: { id: 6 } })),
  roleOf(roleObject('home/auditor', { type: 'root' }, { status: { id: 7 } })),
];
const people: People = {
  userNamed: (name) => known.get(name),
  roleNamed: (name) => builtInRoleNamed(name) ?? roles.find((role) => role?.name === name),
};

function judge(
  spec: object,
  { conflictingOwner, flags = [] }: { conflictingOwner?: Ref; flags?: readonly FeatureFlag[] } = {},
) {
  const { everyEnvironment } = dependents();
  const project = projectObject('home/shop', spec);
  return judgeProject({ project, conflictingOwner, everyEnvironment, people, summary: summaryOf(flags) }, NOW);
}

describe('the members', () => {
  const idsOf = (members: object, noted?: object) => {
    const status = noted ? { memberIds: noted } : undefined;
    const project = projectObject('home/shop', { members }, { status });
    const { everyEnvironment } = dependents();
    const verdict = judgeProject(
      { project, conflictingOwner: undefined, everyEnvironment, people, summary: summaryOf([]) },
      NOW,
    );
    const { memberIds, members: count, problems = [] } = verdict.status;
    return [memberIds, count, problems.map(({ reason, path }) => `${reason} ${path}`)];
  };

  test.each<[string, object, object | undefined, readonly unknown[]]>([
    ['a new member is noted', { ada: 'owner' }, undefined, [{ ada: 1 }, 1, []]],
    ['one more is noted beside', { ada: 'owner', lin: 'member' }, { ada: 1 }, [{ ada: 1, lin: 2 }, 2, []]],
    [
      'who is not there yet is not',
      { ada: 'owner', zoe: 'member' },
      {},
      [{ ada: 1 }, 1, ['UserNotFound spec.members.zoe']],
    ],
    [
      'who is gone stays noted',
      { ada: 'owner', zoe: 'member' },
      { zoe: 9 },
      [{ ada: 1, zoe: 9 }, 1, ['UserNotFound spec.members.zoe']],
    ],
    [
      'another of the name is no member',
      { ada: 'owner', lin: 'member' },
      { lin: 9 },
      [{ ada: 1, lin: 9 }, 1, ['UserReplaced spec.members.lin']],
    ],
    ['a removed member is forgotten', { ada: 'owner' }, { ada: 1, lin: 9 }, [{ ada: 1 }, 1, []]],
    ['null is taken off', { ada: 'owner', lin: null }, { lin: 9 }, [{ ada: 1 }, 1, []]],
    [
      'a role that is not there is noted all the same',
      { ada: 'owner', lin: 'moon' },
      {},
      [{ ada: 1, lin: 2 }, 1, ['RoleNotFound spec.members.lin']],
    ],
    ['no member', {}, { ada: 1 }, [undefined, 0, []]],
  ])('%s', (_, members, noted, want) => {
    expect(idsOf(members, noted)).toEqual(want);
  });
});

describe('project', () => {
  test.each<[string, object, string[], string[]]>([
    ['empty', {}, ['Ready=True'], []],
    ['environments that exist', { environments: ['production'] }, ['Ready=True'], []],
    [
      'an environment that does not exist is waited for',
      { environments: ['moon', 'production'] },
      ['Ready=False', 'Reconciling=True'],
      ['Error EnvironmentNotFound spec.environments'],
    ],
    ['an owner among the members', { members: { ada: 'owner', lin: 'member' } }, ['Ready=True'], []],
    ['no members at all', { members: {} }, ['Ready=True'], []],
    ['members without owner', { members: { lin: 'member' } }, ['Ready=True'], ['Warning NoOwner spec.members']],
    ['an owner as the wire calls it', { members: { ada: 'Owner' } }, ['Ready=True'], []],
    ['a member with a role of its own', { members: { ada: 'owner', lin: 'releaser' } }, ['Ready=True'], []],
    [
      'an owner who is not there is none',
      { members: { moon: 'owner', lin: 'member' } },
      ['Ready=True'],
      ['Warning NoOwner spec.members', 'Warning UserNotFound spec.members.moon'],
    ],
    [
      'a role that is not there, and one that is for no project',
      { members: { ada: 'owner', lin: 'stranger', moon: 'auditor' } },
      ['Ready=True'],
      [
        'Warning RoleNotFound spec.members.lin',
        'Warning RoleNotFound spec.members.moon',
        'Warning UserNotFound spec.members.moon',
      ],
    ],
    ['a naming pattern', { flagNaming: { pattern: 'a+' } }, ['Ready=True'], []],
    [
      'a naming pattern that RE2 refuses',
      { flagNaming: { pattern: '(?<!a)b' } },
      ['Ready=False', 'Stalled=True'],
      ['Error InvalidNamingPattern spec.flagNaming.pattern'],
    ],
    [
      'a naming pattern whose repetitions multiply',
      { flagNaming: { pattern: '([ab]{0,9}){99}c' } },
      ['Ready=False', 'Stalled=True'],
      ['Error InvalidNamingPattern spec.flagNaming.pattern'],
    ],
    [
      'a stored spec that does not fit',
      { environments: 'production', members: { ada: 'owner', lin: 5 } },
      ['Ready=False', 'Stalled=True'],
      ['Error InvalidSpec spec.environments', 'Error InvalidSpec spec.members.lin'],
    ],
  ])('%s', (_, spec, wantConditions, wantProblems) => {
    const { status } = judge(spec);
    expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual(wantConditions);
    expect((status.problems ?? []).map((one) => `${one.severity} ${one.reason} ${one.path}`)).toEqual(wantProblems);
  });

  test('an older project with its name', () => {
    const { status } = judge({}, { conflictingOwner: { namespace: 'away', name: 'shop' } });
    expect(status.problems?.map(({ message }) => message)).toEqual([
      'the project name "shop" is owned by away/shop and belongs to the namespace away: choose another name',
    ]);
  });

  test('counts members and flags, and is reconciled again when time alone changes the health', () => {
    const flags = [flagObject('home/a', { type: 'operational' }), flagObject('home/b', { type: 'permission' })];
    const members = { ada: 'owner', lin: null, moon: 'member' };
    const { status, recheckInMs } = judge({ members }, { flags });
    expect([status.members, status.flags, status.health, recheckInMs]).toEqual([1, 2, 100, 6 * DAY_MS]);
  });

  test('is never reconciled again if time changes nothing', () => {
    expect(judge({}, { flags: [flagObject('home/b', { type: 'permission' })] })).not.toHaveProperty('recheckInMs');
  });
});

describe('health', () => {
  const flagsOf = (counts: Readonly<Record<string, number>>): FeatureFlag[] =>
    Object.entries(counts).flatMap(([what, count]) =>
      Array.from({ length: count }, (_, index) => flagObject(`home/${what}-${index}`, kinds[what])),
    );
  const kinds: Readonly<Record<string, object>> = {
    healthy: { type: 'permission' },
    stale: { stale: true },
    overdue: { type: 'operational' },
    archived: { archived: true, stale: true },
  };
  const LATER = CREATED_AT + 7 * DAY_MS;

  test.each([
    ['an empty project', {}, 100],
    ['archived flags alone', { archived: 3 }, 100],
    ['all well', { healthy: 4 }, 100],
    ['all stale', { stale: 2 }, 0],
    ['all outlived', { overdue: 2 }, 0],
    ['one of three stale', { healthy: 2, stale: 1 }, 67],
    ['two of three stale', { healthy: 1, stale: 2 }, 33],
    ['one stale, one outlived of three', { healthy: 1, stale: 1, overdue: 1 }, 33],
    ['one of eight: a half goes up', { healthy: 7, stale: 1 }, 88],
    ['one of 200: a half goes up', { healthy: 199, stale: 1 }, 100],
    ['two of 300', { healthy: 298, overdue: 2 }, 99],
    ['archived ones count neither way', { healthy: 1, stale: 1, archived: 7 }, 50],
  ])('%s', (_, counts, want) => {
    expect(summaryOf(flagsOf(counts), LATER).health).toBe(want);
  });

  test('a stale flag that has outlived its type counts once', () => {
    const summary = summaryOf([flagObject('home/a', { type: 'operational', stale: true })], LATER);
    expect([summary.stale, summary.potentiallyStale, summary.health]).toEqual([1, 0, 0]);
  });

  test('changes exactly when the lifetime ends, and has that time', () => {
    const flags = flagsOf({ overdue: 1, healthy: 1 });
    const [before, after] = [summaryOf(flags, LATER - 1), summaryOf(flags, LATER)];
    expect([before.health, before.validUntil]).toEqual([100, LATER]);
    expect([after.health, after.validUntil]).toEqual([50, Number.POSITIVE_INFINITY]);
  });

  test('has the first of several future ends', () => {
    const flags = [flagObject('home/a'), flagObject('home/b', { type: 'operational' }), flagObject('home/c')];
    expect(summaryOf(flags).validUntil).toBe(CREATED_AT + 7 * DAY_MS);
    expect(summaryOf(flags, LATER).validUntil).toBe(CREATED_AT + 40 * DAY_MS);
  });

  test('counts the flags that are really on, by environment', () => {
    const on = { enabled: true, strategies: { all: { name: 'default' } } };
    const flags = [
      flagObject('home/a', { environments: { production: on, development: on } }),
      flagObject('home/b', { environments: { production: on, development: { enabled: true } } }),
      flagObject('home/c', { archived: true, environments: { production: on } }),
    ];
    expect([...summaryOf(flags).enabled].sort()).toEqual([
      ['development', 1],
      ['production', 2],
    ]);
  });
});

describe('environment', () => {
  const beside = { use: { projects: 2, apiTokens: 3, enabledFlags: 5 }, clone: atRest(undefined) };

  test('shows its use', () => {
    const { status } = judgeEnvironment(
      { environment: environmentObject('home/e'), conflictingOwner: undefined, ...beside },
      NOW,
    );
    expect(status).toMatchObject({ projectCount: 2, apiTokenCount: 3, enabledToggleCount: 5 });
    expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual(['Ready=True']);
  });

  test.each([
    ['a stored spec that does not fit', { sortOrder: -1 }, undefined, ['InvalidSpec spec.sortOrder']],
    ['an older one with its name', {}, { namespace: 'home', name: 'older' }, ['NameConflict spec.name']],
  ])('stalls: %s', (_, spec, conflictingOwner, want) => {
    const { status } = judgeEnvironment(
      { environment: environmentObject('home/e', spec), conflictingOwner, ...beside },
      NOW,
    );
    expect(status.problems?.map(({ reason, path }) => `${reason} ${path}`)).toEqual(want);
    expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual(['Ready=False', 'Stalled=True']);
  });
});
