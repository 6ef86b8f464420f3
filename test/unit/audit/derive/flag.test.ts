/** The events of flags that are created and deleted, with their data. */
import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../../../src/domain/history/entry.ts';
import { CREATED, type Facts, flagObject } from '../../domain/objects.ts';
import { auditEventsOf, inShort } from './derive-world.ts';

const flags = auditEventsOf('featureflags');
const flag = (spec: object = {}, facts?: Facts) => flagObject('home/f', spec, facts);
const recordedOf = (before: object, after: object) => flags.changed(flag(before), flag(after));
const inWords = (auditEvents: readonly AuditEvent[]) => auditEvents.map(inShort);

const everyone = { name: 'default' };
const some = { name: 'flexibleRollout', parameters: { rollout: 25 } };
const UUID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';

/** The flag as the API answers it, with the members of the test. */
const feature = (more: object = {}) => ({
  name: 'f',
  type: 'release',
  description: '',
  stale: false,
  impressionData: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastSeenAt: null,
  project: 'shop',
  archived: false,
  archivedAt: null,
  variants: [],
  ...more,
});
const strategy = (more: object = {}) => ({
  id: UUID,
  name: 'default',
  title: null,
  disabled: false,
  sortOrder: 0,
  parameters: {},
  constraints: [],
  variants: [],
  segments: [],
  ...more,
});
const variant = (name: string, weight = 1000) => ({
  name,
  weight,
  weightType: 'variable',
  stickiness: 'default',
  overrides: [],
});
const ofFlag = { project: 'shop', featureName: 'f', environment: null, tags: [], subject: '' };

describe('a new flag', () => {
  test('is created, then gets its strategies, then is on', () => {
    const auditEvents = flags.created(
      flag({
        tags: ['simple:a:b'],
        environments: {
          production: { enabled: true, strategies: { b: { ...everyone, sortOrder: 2 }, [UUID]: everyone } },
          development: { enabled: true, strategies: { c: everyone } },
          empty: { enabled: true },
          off: { strategies: { d: { ...everyone, disabled: true } } },
        },
      }),
    );
    expect(inWords(auditEvents)).toEqual([
      'feature-created',
      'feature-strategy-add in development c',
      'feature-strategy-add in off d',
      `feature-strategy-add in production ${UUID}`,
      'feature-strategy-add in production b',
      'feature-environment-enabled in development',
      'feature-environment-enabled in production',
    ]);
    const tags = [{ type: 'simple', value: 'a:b' }];
    expect(auditEvents[0]).toEqual({ ...ofFlag, tags, type: 'feature-created', data: feature(), preData: null });
    expect(auditEvents[3]).toEqual({
      ...ofFlag,
      tags,
      type: 'feature-strategy-add',
      environment: 'production',
      subject: UUID,
      data: strategy(),
      preData: null,
    });
    expect(auditEvents[6]).toMatchObject({
      featureName: 'f',
      project: 'shop',
      environment: 'production',
      tags,
      data: null,
    });
  });

  test('that is archived is on nowhere', () => {
    const auditEvents = flags.created(
      flag({ archived: true, environments: { production: { enabled: true, strategies: { a: everyone } } } }),
    );
    expect(inWords(auditEvents)).toEqual(['feature-created', 'feature-strategy-add in production a']);
  });

  test('has its wire name, in its project', () => {
    const [auditEvents] = flags.created(flag({ name: 'F!', project: undefined }));
    expect(auditEvents).toMatchObject({
      featureName: 'F!',
      project: 'default',
      data: { name: 'F!', project: 'default' },
    });
  });
});

test('a deleted flag is recorded with its last state, and its tags', () => {
  const before = flag({
    tags: ['simple:aa'],
    variants: [{ name: 'v' }],
    environments: { production: { enabled: true, strategies: { a: everyone } } },
  });
  expect(flags.deleted(before)).toEqual([
    {
      ...ofFlag,
      type: 'feature-deleted',
      tags: [{ type: 'simple', value: 'aa' }],
      data: null,
      preData: feature({ variants: [variant('v')] }),
    },
  ]);
});

const on = (strategies: object, more: object = {}) => ({
  environments: { production: { enabled: true, strategies, ...more } },
});
const off = (strategies: object, more: object = {}) => ({
  environments: { production: { enabled: false, strategies, ...more } },
});

describe('the recorded data', () => {
  const only = (before: object, after: object): AuditEvent => {
    const [auditEvents, ...more] = recordedOf(before, after);
    expect(more).toEqual([]);
    if (!auditEvents) throw new Error('nothing was recorded');
    return auditEvents;
  };

  test('of metadata are the flag before and after, with its present tags', () => {
    const auditEvents = only({ tags: ['simple:aa'] }, { description: 'd', type: 'permission', tags: ['simple:aa'] });
    expect(auditEvents).toEqual({
      ...ofFlag,
      type: 'feature-metadata-updated',
      tags: [{ type: 'simple', value: 'aa' }],
      data: feature({ description: 'd', type: 'permission' }),
      preData: feature(),
    });
  });

  test.each([
    ['stale', {}, { stale: true }, 1],
    ['archived', {}, { archived: true }, 0],
    ['revived', { archived: true }, {}, 0],
    ['on', off({ a: everyone }), on({ a: everyone }), 0],
    ['off', on({ a: everyone }), off({ a: everyone }), 0],
  ] as const)('of %s are none', (_, before, after, at) => {
    expect(recordedOf(before, after)[at]).toMatchObject({
      project: 'shop',
      featureName: 'f',
      data: null,
      preData: null,
    });
  });

  test('of a tag are its two parts, and the tags afterwards', () => {
    const tag = { type: 'simple', value: 'aa' };
    expect(only({}, { tags: ['simple:aa'] })).toMatchObject({ data: tag, preData: null, tags: [tag] });
    expect(only({ tags: ['simple:aa'] }, {})).toMatchObject({ data: null, preData: tag, tags: [] });
  });

  test('of a strategy are the strategy before and after', () => {
    const auditEvents = only(off({ [UUID]: everyone }), off({ [UUID]: { ...some, title: 't' } }));
    const next = strategy({ name: 'flexibleRollout', title: 't', parameters: { rollout: 25 } });
    expect(auditEvents).toMatchObject({ environment: 'production', subject: UUID, data: next, preData: strategy() });
    expect(only(off({ [UUID]: everyone }), off({}))).toMatchObject({ data: null, preData: strategy() });
  });

  test('of an order are the ids on the wire, before and after', () => {
    const [one, other] = [`1${UUID.slice(1)}`, `2${UUID.slice(1)}`];
    const auditEvents = only(
      off({ [one]: everyone, [other]: { ...everyone, sortOrder: 1 } }),
      off({ [one]: { ...everyone, sortOrder: 5 }, [other]: { ...everyone, sortOrder: 1 } }),
    );
    expect(auditEvents).toMatchObject({
      type: 'strategy-order-changed',
      environment: 'production',
      data: { strategyIds: [other, one] },
      preData: { strategyIds: [one, other] },
    });
  });

  test('of variants are the lists with the weights in effect', () => {
    const auditEvents = only({ variants: [{ name: 'v' }] }, { variants: [{ name: 'v' }, { name: 'w' }] });
    expect(auditEvents).toMatchObject({ environment: null, preData: { variants: [variant('v')] } });
    expect(auditEvents.data).toEqual({ variants: [variant('v', 500), variant('w', 500)] });
  });

  test('of variants of an environment are those in effect there, from either list', () => {
    const auditEvents = only(
      { variants: [{ name: 'v' }] },
      { variants: [{ name: 'v' }], environments: { production: { variants: [{ name: 'w' }] } } },
    );
    expect(auditEvents).toMatchObject({ environment: 'production', preData: { variants: [variant('v')] } });
    expect(auditEvents.data).toEqual({ variants: [variant('w')] });
  });

  test('of fields that are not on the wire are the flag, and the stored spec', () => {
    const auditEvents = only({ stale: null }, { environments: { production: { enabled: true } } });
    expect(auditEvents).toMatchObject({
      type: 'feature-updated',
      data: feature({ spec: { project: 'shop', environments: { production: { enabled: true } } } }),
      preData: feature({ spec: { project: 'shop' } }),
    });
  });
});

describe('a flag is recorded as potentially stale', () => {
  const judged = (status: 'True' | 'False'): Facts => {
    const condition = { type: 'PotentiallyStale', status, lastTransitionTime: CREATED, reason: 'X', message: '' };
    return { status: { conditions: [condition] } };
  };
  const stale = flag({}, judged('True'));

  test.each([
    ['is recorded when it becomes so', flags.changed(flag(), stale), ['feature-potentially-stale-on']],
    [
      'is recorded when it was False before',
      flags.changed(flag({}, judged('False')), stale),
      ['feature-potentially-stale-on'],
    ],
    ['is recorded of a new flag', flags.created(stale), ['feature-created', 'feature-potentially-stale-on']],
    ['is recorded once', flags.changed(stale, flag({}, judged('True'))), []],
    ['is not recorded when it is over', flags.changed(stale, flag()), []],
  ])('%s', (_, auditEvents, want) => {
    expect(inWords(auditEvents)).toEqual(want);
  });
});
