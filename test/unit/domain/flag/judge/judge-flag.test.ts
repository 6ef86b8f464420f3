/** The verdict on a flag. */
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../../../src/domain/flag/effect.ts';
import { type FlagContext, LAST } from '../../../../../src/domain/flag/flag-context.ts';
import { judgeFlag } from '../../../../../src/domain/flag/judge/judge-flag.ts';
import type { FeatureFlag } from '../../../../../src/schema/feature-flag.ts';
import { dependents } from '../../dependents.ts';
import { environmentObject, type Facts, flagObject, projectObject } from '../../objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const on = { enabled: true, strategies: { all: { name: 'default' } } };

function judge(flag: FeatureFlag, flagContext: FlagContext = dependents(), now = NOW) {
  return judgeFlag({ flag, flagContext, effect: effectOf(flag, flagContext) }, now);
}

const verdictOn = (spec: object, facts?: Facts) => judge(flagObject('home/flag', spec, facts));

const recorded = ({ status }: ReturnType<typeof judge>) =>
  status.conditions?.map((one) => `${one.type}=${one.status} ${one.reason}`);

describe('conditions', () => {
  test.each([
    ['all is well', { environments: { production: on } }, ['Ready=True Succeeded']],
    ['an archived flag is in order', { archived: true }, ['Ready=True Succeeded']],
    [
      'an own mistake stalls, since only an edit of the flag helps',
      { environments: { production: { enabled: true } } },
      ['Ready=False EnabledWithoutStrategies', 'Stalled=True EnabledWithoutStrategies'],
    ],
    [
      'a missing object is waited for, since it may be applied later',
      { environments: { moon: {} } },
      ['Ready=False EnvironmentNotFound', 'Reconciling=True EnvironmentNotFound'],
    ],
    [
      'an unknown strategy type is waited for, since its definition may come',
      { environments: { production: { strategies: { a: { name: 'odd' } } } } },
      ['Ready=False UnknownStrategy', 'Reconciling=True UnknownStrategy'],
    ],
    [
      'both: stalled only, with the reason in its own spec',
      { environments: { moon: {}, production: { enabled: true } } },
      ['Ready=False EnabledWithoutStrategies', 'Stalled=True EnabledWithoutStrategies'],
    ],
    [
      'a stored spec that does not fit stalls',
      { description: 5 },
      ['Ready=False InvalidSpec', 'Stalled=True InvalidSpec'],
    ],
  ])('%s', (_, spec, want) => {
    expect(recorded(verdictOn(spec))).toEqual(want);
  });

  test('a project that does not use the environment is waited for, because it may list it later', () => {
    const flagContext = dependents(projectObject('home/shop', { environments: ['development'] }));
    expect(recorded(judge(flagObject('home/flag', { environments: { production: on } }), flagContext))).toEqual([
      'Ready=False EnvironmentNotInProject',
      'Reconciling=True EnvironmentNotInProject',
    ]);
  });

  test('a missing project is waited for', () => {
    expect(recorded(judge(flagObject('home/flag'), dependents(null)))).toEqual([
      'Ready=False ProjectNotFound',
      'Reconciling=True ProjectNotFound',
    ]);
  });

  test('a name that an older object owns stalls', () => {
    const flag = flagObject('home/flag');
    const effect = effectOf(flag, dependents(), { namespace: 'home', name: 'older' });
    expect(recorded(judgeFlag({ flag, flagContext: dependents(), effect }, NOW))).toEqual([
      'Ready=False NameConflict',
      'Stalled=True NameConflict',
    ]);
  });

  test('each names the judged generation', () => {
    const { status } = verdictOn({ environments: { moon: {} } }, { generation: 7 });
    expect([status.observedGeneration, ...(status.conditions ?? []).map((one) => one.observedGeneration)]).toEqual([
      7, 7, 7,
    ]);
  });
});

describe('warnings', () => {
  const named = (pattern: string) => dependents(projectObject('home/shop', { flagNaming: { pattern } }));

  test('a name that differs from the pattern of the project leaves the flag ready and on', () => {
    const { status } = judge(flagObject('home/flag', { environments: { production: on } }), named('shop-.*'));
    expect(status.conditions?.map(({ type, status: is }) => [type, is])).toEqual([['Ready', 'True']]);
    expect(status.environments).toEqual({ production: { enabled: true, strategies: 1 } });
    expect(status.problems).toEqual([
      {
        severity: 'Warning',
        path: 'spec.name',
        reason: 'NamingPatternMismatch',
        message: '"flag" does not match the naming pattern shop-.* of its project',
      },
    ]);
  });

  test.each([
    ['a name that matches whole', 'fl[a-z]+'],
    ['a pattern that cannot be used: the project reports it', '(?=x)'],
  ])('%s is no warning', (_, pattern) => {
    expect(judge(flagObject('home/flag'), named(pattern)).status.problems).toBeUndefined();
  });

  test('an outlived flag is potentially stale, ready and on', () => {
    const flag = flagObject('home/flag', { type: 'operational', environments: { production: on } });
    const verdict = judge(flag, dependents(), NOW + 6 * DAY_MS);
    expect(recorded(verdict)).toEqual(['Ready=True Succeeded', 'PotentiallyStale=True LifetimeExceeded']);
    expect(verdict.status.enabledIn).toBe('production');
    expect(verdict.status.problems?.map(({ severity, path, message }) => [severity, path, message])).toEqual([
      [
        'Warning',
        'spec.type',
        'a flag of type operational is expected to live 7 days and this one was created on 2026-01-01: mark it stale or archive it',
      ],
    ]);
  });
});

test('a flag that has outlived its own lifetime has a warning at that field', () => {
  const verdict = verdictOn({ type: 'permission', lifetimeDays: 1 });
  expect(recorded(verdict)).toEqual(['Ready=True Succeeded', 'PotentiallyStale=True LifetimeExceeded']);
  expect(verdict.status.problems?.map(({ path, message }) => [path, message])).toEqual([
    ['spec.lifetimeDays', 'lifetimeDays is 1 and the flag was created on 2026-01-01: mark it stale or archive it'],
  ]);
});

describe('the time of the next reconcile', () => {
  const old = { creationTimestamp: '2026-01-01T00:00:00Z' };
  test.each([
    ['release: after 40 days', {}, 39 * DAY_MS],
    ['experiment: after 40 days', { type: 'experiment' }, 39 * DAY_MS],
    ['operational: after 7 days', { type: 'operational' }, 6 * DAY_MS],
    ['kill-switch: never', { type: 'kill-switch' }, undefined],
    ['permission: never', { type: 'permission' }, undefined],
    ['a stale flag: never', { stale: true }, undefined],
    ['an archived flag: never', { archived: true }, undefined],
    ['a lifetime of its own goes before that of the type', { lifetimeDays: 90 }, 89 * DAY_MS],
    ['also where the type has none', { type: 'permission', lifetimeDays: 2 }, DAY_MS],
    ['a stale flag with a lifetime of its own: never', { stale: true, lifetimeDays: 2 }, undefined],
  ])('%s', (_, spec, want) => {
    expect(verdictOn(spec, old).recheckInMs).toBe(want);
  });

  test('one ms before its lifetime ends the flag is reconciled in one ms; at the end it is reported, once', () => {
    const flag = flagObject('home/flag', { type: 'operational' }, old);
    const end = Date.parse(old.creationTimestamp) + 7 * DAY_MS;
    const [before, after] = [judge(flag, dependents(), end - 1), judge(flag, dependents(), end)];
    expect([before.recheckInMs, before.status.problems]).toEqual([1, undefined]);
    expect([after.recheckInMs, after.status.problems?.length]).toEqual([undefined, 1]);
  });
});

describe('the status', () => {
  test('names each environment of the spec, with its number of strategies', () => {
    const strategies = { a: { name: 'default' }, b: { name: 'default', disabled: true }, c: null };
    const { status } = verdictOn({
      environments: { production: { enabled: true, strategies }, development: null, moon: on },
    });
    expect(status.environments).toEqual({
      production: { enabled: true, strategies: 2 },
      moon: { enabled: false, strategies: 1 },
    });
  });

  test('the column lists where the flag is on, in the order of the environments', () => {
    const { status } = verdictOn({ environments: { production: on, development: on } });
    expect(status.enabledIn).toBe('development,production');
  });

  test('has environments without a place last', () => {
    const early = environmentObject('home/early', { sortOrder: LAST - 1 });
    const late = environmentObject('home/a-late');
    const flagContext = {
      ...dependents(),
      environments: [early, late],
      everyEnvironment: new Map([late, early].map((one) => [one.metadata.name, one])),
    };
    const { status } = judge(flagObject('home/flag', { environments: { 'a-late': on, early: on } }), flagContext);
    expect(status.enabledIn).toBe('early,a-late');
  });

  test('has no such fields for a flag that is on nowhere', () => {
    expect(Object.keys(verdictOn({}).status).sort()).toEqual(['conditions', 'observedGeneration']);
  });

  test('keeps the reports of clients', () => {
    const status = { lastSeenAt: '2026-01-01T10:00:00Z' };
    expect(verdictOn({}, { status }).status.lastSeenAt).toBe('2026-01-01T10:00:00Z');
  });

  test('is the same when it is judged again', () => {
    const spec = { environments: { moon: on, production: { enabled: true } } };
    const { status } = verdictOn(spec);
    expect(judge(flagObject('home/flag', spec, { status }), dependents(), NOW + DAY_MS).status).toEqual(status);
  });
});

describe('payloads that do not match their type', () => {
  const bad = [
    { name: 'fine', payload: { type: 'json', value: '{}' } },
    { name: 'odd', payload: { type: 'json', value: '{' } },
    { name: 'number', payload: { type: 'number', value: ' -1.5e3 ' } },
    { name: 'no-number', payload: { type: 'number', value: '1,5' } },
  ];

  test('cause a warning wherever the variants are, and change nothing', () => {
    const strategies = { all: { name: 'default', variants: bad } };
    const { status } = verdictOn({
      variants: bad,
      environments: { production: { enabled: true, strategies, variants: bad } },
    });
    expect(status.enabledIn).toBe('production');
    expect(status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect(status.problems?.map(({ severity, reason, path }) => [severity, reason, path])).toEqual([
      ['Warning', 'UnreadablePayload', 'spec.variants.1.payload'],
      ['Warning', 'UnreadablePayload', 'spec.variants.3.payload'],
      ['Warning', 'UnreadablePayload', 'spec.environments.production.variants.1.payload'],
      ['Warning', 'UnreadablePayload', 'spec.environments.production.variants.3.payload'],
      ['Warning', 'UnreadablePayload', 'spec.environments.production.strategies.all.variants.1.payload'],
      ['Warning', 'UnreadablePayload', 'spec.environments.production.strategies.all.variants.3.payload'],
    ]);
    expect(status.problems?.[0]?.message).toContain('"odd"');
  });

  test('of other types are any text', () => {
    const variants = (['string', 'csv'] as const).map((type) => ({
      name: type,
      payload: { type, value: '{' },
    }));
    expect(verdictOn({ variants }).status.problems).toBeUndefined();
  });
});
