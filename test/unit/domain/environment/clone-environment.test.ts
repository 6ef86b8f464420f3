/** Cloning an environment: what a flag gains, what stays unchanged, what remains to do. */
import { describe, expect, test } from 'vitest';
import {
  type CloneRequest,
  cloneObstacles,
  cloneRequestOf,
  copyEnvironment,
  copyPermissions,
  isSameRequest,
  listEnvironment,
  nextSortOrder,
  planClone,
} from '../../../../src/domain/environment/clone-environment.ts';
import { strategiesOf } from '../../../../src/domain/flag/flag-values.ts';
import { strategyIdOf } from '../../../../src/domain/flag/strategy-id.ts';
import { isRefusal } from '../../../../src/errors.ts';
import type { FlagEnvironment } from '../../../../src/schema/feature-flag.ts';
import { environmentObject, flagObject, projectObject } from '../objects.ts';

const way = { from: 'production', to: 'staging' };
const request: CloneRequest = { ...way, projects: ['shop'], permissions: true };
const ID = '11111111-2222-4333-8444-555555555555';
const UUID_V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const plain = { name: 'default' };

const inProduction = (production?: unknown, others: object = {}) =>
  flagObject('home/flag', { environments: { ...(production !== undefined && { production }), ...others } });

function copied(production: FlagEnvironment): FlagEnvironment | null | undefined {
  return copyEnvironment(inProduction(production), way).environments?.['staging'];
}

describe('a flag', () => {
  test('gains switch, strategies and variants in one edit, and shares everything else', () => {
    const whole = {
      name: 'flexibleRollout',
      title: 'Staff first',
      disabled: true,
      sortOrder: 7,
      parameters: { rollout: 25, groupId: 'g' },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
      variants: [{ name: 'v' }],
    };
    const flag = inProduction({ enabled: true, strategies: { [ID]: whole, b: plain }, variants: [{ name: 'only' }] });
    const next = copyEnvironment(flag, way);
    const { staging, ...others } = next.environments ?? {};
    expect(others).toEqual(flag.spec.environments);
    expect(others['production']).toBe(flag.spec.environments?.['production']);
    expect(staging).toMatchObject({ enabled: true, variants: [{ name: 'only' }] });
    expect(strategiesOf(staging ?? {}).map(({ strategy }) => strategy)).toEqual([plain, whole]);
    for (const key of Object.keys(staging?.strategies ?? {})) expect(key).toMatch(UUID_V5);
  });

  test('has its strategies under ids that follow from the ids on the wire and the new environment', () => {
    const keys = (to: string) => {
      const next = copyEnvironment(inProduction({ strategies: { [ID]: plain, chosen: plain } }), { ...way, to });
      return Object.keys(next.environments?.[to]?.strategies ?? {});
    };
    expect(keys('staging')).toEqual(keys('staging'));
    expect(new Set([...keys('staging'), ...keys('canary'), ID]).size).toBe(5);
    const byId = strategyIdOf({ flag: 'flag', environment: 'production', key: 'chosen' });
    const next = copyEnvironment(inProduction({ strategies: { [byId]: plain } }), way);
    expect(keys('staging')).toContain(Object.keys(next.environments?.['staging']?.strategies ?? {})[0]);
  });

  test.each<[string, Record<string, { name: string; title?: string; sortOrder?: number }>]>([
    ['that name none', { c: { ...plain, title: '1' }, d: { ...plain, title: '2' }, e: { ...plain, title: '3' } }],
    [
      'of which two are the same',
      { y: { ...plain, title: '1' }, z: { ...plain, title: '2' }, a: { ...plain, title: '3', sortOrder: 4 } },
    ],
    ['that differ', { z: { ...plain, title: '1' }, a: { ...plain, title: '2', sortOrder: 9 } }],
  ])('keeps its strategies in their order, whatever their new keys: places %s', (_, strategies) => {
    const titles = strategiesOf(copied({ strategies }) ?? {}).map(({ strategy }) => strategy.title);
    expect(titles).toEqual(titles.toSorted());
    expect(titles).toHaveLength(Object.keys(strategies).length);
  });

  test('is written once: an existing configuration of the new environment stays', () => {
    const once = inProduction({ enabled: true, strategies: { a: plain } }, { staging: { enabled: false } });
    expect(copyEnvironment(once, way)).toBe(once.spec);
    const copy = flagObject('home/flag', copyEnvironment(inProduction({ strategies: { a: plain } }), way));
    expect(copyEnvironment(copy, way)).toBe(copy.spec);
  });

  test.each([
    ['nothing', {}],
    ['null', { staging: null }],
    ['an empty entry', { staging: {} }],
    ['no strategies', { staging: { strategies: {} } }],
  ])('that says %s about the new environment gains the copy', (_, others) => {
    const { staging } = copyEnvironment(inProduction({ enabled: true }, others), way).environments ?? {};
    expect(staging).toEqual({ enabled: true });
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty entry', {}],
    ['no strategies', { strategies: {} }],
  ])('that says %s about the source is not edited', (_, production) => {
    const flag = inProduction(production);
    expect(copyEnvironment(flag, way)).toBe(flag.spec);
  });

  test('that is archived is copied too: it may be revived', () => {
    const flag = flagObject('home/flag', { archived: true, environments: { production: { enabled: true } } });
    expect(copyEnvironment(flag, way).environments).toHaveProperty('staging');
  });

  test.each(['production', 'staging'])(
    'that cannot be read in %s is refused instead of being copied in part',
    (broken) => {
      const flag = inProduction({ enabled: true }, { [broken]: { enabled: 'yes' } });
      expect(() => copyEnvironment(flag, way)).toThrow(expect.toSatisfy((error) => isRefusal(error, 'invalid')));
    },
  );
});

test.each([
  ['lists none: it uses the new one anyway', {}, undefined],
  ['lists some', { environments: ['production'] }, ['production', 'staging']],
  ['lists it already', { environments: ['staging', 'production'] }, ['staging', 'production']],
  ['uses none', { environments: [] }, ['staging']],
])('a project that %s', (_, spec, want) => {
  expect(listEnvironment(projectObject('home/shop', spec), 'staging').environments).toEqual(want);
});

describe('a role', () => {
  const everywhere = { name: 'CREATE_FEATURE' };
  const there = { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' };
  const here = { ...there, environment: 'staging' };

  test('may do in the new environment what it may do in the source', () => {
    expect(copyPermissions({ permissions: [everywhere, there] }, way)).toEqual({
      permissions: [everywhere, there, here],
    });
  });

  test.each([[{}], [{ permissions: null }], [{ permissions: [everywhere] }], [{ permissions: [there, here] }]])(
    'without anything to gain is not edited: %j',
    (spec) => {
      expect(copyPermissions(spec, way)).toBe(spec);
    },
  );
});

describe('the request', () => {
  test('equals the spec, with permissions by default', () => {
    const asked = (clone: object | undefined) => cloneRequestOf(environmentObject('home/staging', { clone }));
    expect(asked(undefined)).toBeUndefined();
    expect(asked({ from: 'production' })).toEqual({ ...way, projects: [], permissions: true });
    expect(asked({ from: 'production', projects: ['shop'], permissions: false })).toEqual({
      ...request,
      permissions: false,
    });
  });

  test.each([
    ['no clone', undefined, false],
    ['the same', { from: 'production', projects: ['pay', 'shop'] }, true],
    ['another source', { from: 'development', projects: ['shop', 'pay'] }, false],
    ['a project less', { from: 'production', projects: ['shop'] }, false],
    ['a project more', { from: 'production', projects: ['shop', 'pay', 'more'] }, false],
    ['no permissions', { from: 'production', projects: ['shop', 'pay'], permissions: false }, false],
  ])('is compared: %s', (_, clone, want) => {
    const present = cloneRequestOf(environmentObject('home/staging', { clone }));
    expect(isSameRequest({ ...request, projects: ['shop', 'pay'] }, present)).toBe(want);
  });
});

describe('obstacles', () => {
  const view = { project: projectObject('home/shop'), flags: [] };
  const reasons = (ground: Parameters<typeof cloneObstacles>[1]) =>
    cloneObstacles(request, ground).map(({ reason }) => reason);
  const clone = { from: 'development' };

  test.each([
    ['nothing', environmentObject('home/production'), []],
    ['no source', undefined, ['EnvironmentNotFound']],
    [
      'a source that is waiting for its own clone',
      environmentObject('home/production', { clone }),
      ['CloneSourceNotReady'],
    ],
    [
      'a source whose own clone failed',
      environmentObject('home/production', { clone }, { status: { clone: { phase: 'Failed' } } }),
      ['CloneSourceNotReady'],
    ],
    [
      'nothing, once the source is cloned itself',
      environmentObject('home/production', { clone }, { status: { clone: { phase: 'Done' } } }),
      [],
    ],
  ])('%s', (_, source, want) => {
    expect(reasons({ source, projects: [{ id: 'shop', view }] })).toEqual(want);
    expect(reasons({ source, projects: [{ id: 'shop', view: undefined }] })).toEqual([...want, 'ProjectNotFound']);
  });
});

test('the plan counts the flags with a configuration, and has those that can still be copied', () => {
  const on = { enabled: true };
  const flags = [
    flagObject('home/left', { environments: { production: on } }),
    flagObject('home/copied', { environments: { production: on, staging: on } }),
    flagObject('home/silent', { environments: { development: on } }),
    flagObject('home/unreadable', { environments: { production: { enabled: 'yes' } } }),
  ];
  const view = { project: projectObject('home/shop', { environments: [] }), flags };
  const plan = planClone(request, { source: undefined, projects: [{ id: 'shop', view }] });
  expect(plan.flags).toBe(3);
  expect(plan.left.map(({ metadata }) => metadata.name)).toEqual(['left']);
  expect(plan.unreadable.map(({ metadata }) => metadata.name)).toEqual(['unreadable']);
  expect(plan.projects).toEqual([view.project]);
});

test.each([
  ['behind the last', [3, 1], 4],
  ['as the youngest, where one names no place', [3, undefined], undefined],
  ['nowhere behind the highest there can be', [2147483647], 2147483647],
])('a new environment stands %s', (_, places, want) => {
  expect(nextSortOrder(places.map((sortOrder, index) => environmentObject(`home/e${index}`, { sortOrder })))).toBe(
    want,
  );
});
