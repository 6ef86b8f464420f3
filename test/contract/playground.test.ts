/** The playground and GET …/evaluate: the result of flags for a context, the reason, and who decided it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Strategy } from '../../src/schema/strategy.ts';
import { createAccount } from '../support/account.ts';
import { type Answer, adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, aSegment } from '../support/builders.ts';
import { startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { tokenValue } from '../support/sdk-world.ts';
import type { Stored } from '../support/stored.ts';
import { writersOf } from '../support/written-as.ts';

const BOOTSTRAP = `*:*.${'4e'.repeat(28)}`;
const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP };
const GIT = 'kustomize-controller';
let instance: RecordingInstance;
let ask: Call;

const isIn = (contextName: string, ...values: string[]) => ({ contextName, operator: 'IN' as const, values });
const given = (strategies: Readonly<Record<string, Strategy>>, enabled = true): FlagSpec => ({
  environments: { production: { enabled, strategies } },
});
const AFTER_2030 = { contextName: 'currentTime', operator: 'DATE_AFTER' as const, value: '2030-01-01T00:00:00Z' };
const all = { all: { name: 'default' } };
const half = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', groupId: 'g' } };

beforeAll(async () => {
  instance = await startRecordingInstance('playground', settings);
  ask = adminClient(instance.url, { authorization: BOOTSTRAP });
  const { home, other } = instance;
  await instance.apply(
    aSegment(`${home}/nordic`, { constraints: [isIn('country', 'DK', 'FI')] }),
    aFlag(`${home}/plain`, { ...given(all), variants: [{ name: 'blue' }] }),
    aFlag(`${home}/kill`, given(all, false)),
    aFlag(`${home}/gradual`, {
      ...given({
        gone: { name: 'default', disabled: true },
        staff: { name: 'default', constraints: [isIn('plan', 'pro'), isIn('userId', 'ada')] },
        wide: half,
      }),
    }),
    aFlag(`${home}/segmented`, given({ north: { name: 'default', segments: ['nordic'] } })),
    aFlag(`${home}/broken`, given({ odd: { name: 'no-such-type' } })),
    aFlag(`${home}/child`, { ...given(all), dependencies: [{ feature: 'kill' }] }),
    aFlag(
      `${home}/timed`,
      given({
        later: {
          name: 'default',
          constraints: [AFTER_2030],
        },
      }),
    ),
    aFlag(`${home}/hosts`, given({ host: { name: 'applicationHostname', parameters: { hostNames: 'a' } } })),
    aFlag(`${home}/stowed`, { ...given(all), archived: true }),
    aFlag(`${other}/invoice`, { project: 'pay', ...given(all) }),
  );
});
afterAll(() => instance.stop());

const EVALUATE = (flag: string, query = '') =>
  `GET /projects/shop/features/${flag}/evaluate?environment=production${query}`;
const play = (body: object, call = ask, query = '') => call(`POST /playground${query}`, { body });
const named = ({ body }: Answer, name: string): Stored => body.features.find((one: Stored) => one.name === name);

describe('GET …/evaluate', () => {
  test.each<[flag: string, query: string, enabled: boolean, text: string, fields: readonly string[]]>([
    [
      'plain',
      '',
      true,
      'On: The strategy "all" (default) applies: all that it asks for holds.',
      ['production.enabled', 'production.strategies.all.name', 'variants'],
    ],
    ['kill', '', false, 'Off: the flag is not switched on in "production".', ['production.enabled']],
    [
      'gradual',
      '&userId=ada&plan=pro',
      true,
      'On: The strategy "staff" (default) applies: all that it asks for holds.',
      ['production.enabled', 'production.strategies.staff.name', 'production.strategies.staff.constraints'],
    ],
    [
      'gradual',
      '&properties[plan]=pro&userId=2',
      true,
      'On: The strategy "wide" (flexibleRollout) applies: bucket 4 of 100 (userId "2" in group "g") is within the limit 50.',
      ['production.enabled', 'production.strategies.wide.parameters.rollout'],
    ],
    [
      'gradual',
      '&plan=pro',
      false,
      'Off: no strategy applies. The strategy "gone" (default) is disabled. The strategy "staff" (default) does not apply: constraint 2 (userId IN) does not hold, as the context has no "userId". The strategy "wide" (flexibleRollout) does not apply: the context has no "userId", so there is no bucket.',
      ['production.strategies.staff.constraints', 'production.strategies.wide.parameters.rollout'],
    ],
    [
      'segmented',
      '&country=SE',
      false,
      'Off: no strategy applies. The strategy "north" (default) does not apply: the segment "nordic" (country IN) does not hold, as the value is "SE".',
      ['production.strategies.north.segments', 'Segment constraints'],
    ],
    ['broken', '', false, 'Off: there is no strategy type "no-such-type"', ['production.strategies.odd.name']],
    ['child', '', false, 'Off: the parent "kill" is off, and must be on.', ['dependencies']],
    [
      'hosts',
      '',
      false,
      'Off: no strategy applies. The strategy "host" (applicationHostname) does not apply: only the application',
      ['production.strategies.host.name'],
    ],
  ])('of %s for "%s": %s', async (flag, query, enabled, text, fields) => {
    const { status, body } = await ask(EVALUATE(flag, query));
    expect([status, body.enabled]).toEqual([200, enabled]);
    expect(body.why.text.slice(0, text.length)).toBe(text);
    const paths = body.why.fields.map(({ kind, path }: Stored) =>
      path.replace(/^spec\.(environments\.)?/, kind === 'Segment' ? 'Segment ' : ''),
    );
    expect(paths).toEqual(fields);
  });

  test('has the deciding data: constraint, bucket, limit, parent, problem', async () => {
    const whyOf = async (flag: string, query = '') => (await ask(EVALUATE(flag, query))).body.why;
    const { strategies, strategy } = await whyOf('gradual', '&userId=2');
    expect([strategy, strategies.map(({ key, applies }: Stored) => [key, applies])]).toEqual([
      'wide',
      [
        ['gone', null],
        ['staff', false],
        ['wide', true],
      ],
    ]);
    expect(strategies[1].constraint).toMatchObject({
      path: 'spec.environments.production.strategies.staff.constraints.0',
      segment: null,
      contextName: 'plan',
      values: ['pro'],
      seen: null,
    });
    expect(strategies[2]).toMatchObject({ bucket: { number: 4, of: 100, group: 'g', value: '2' }, limit: 50 });
    expect((await whyOf('child')).parents).toMatchObject([{ feature: 'kill', wanted: true, enabled: false }]);
    expect((await whyOf('broken')).problems).toMatchObject([{ reason: 'UnknownStrategy' }]);
  });

  test('takes the time from the context', async () => {
    const at = async (time: string) => (await ask(EVALUATE('timed', `&currentTime=${time}`))).body.enabled;
    expect([await at('2029-12-31T00:00:00Z'), await at('2030-02-01T00:00:00Z')]).toEqual([false, true]);
  });

  test('accepts a time, also in lists: windows, ramps and the time of the context are as at that time', async () => {
    const steps = [{ rollout: 0, for: '24h' }, { rollout: 100 }];
    const ramp = { steps, startAt: '2030-01-15T00:00:00Z' };
    const later = { name: 'default', constraints: [AFTER_2030] };
    const production = {
      enabled: true,
      activeFrom: '2030-01-10T00:00:00+01:00',
      strategies: { rising: { ...half, parameters: { ...half.parameters, rollout: '0' }, ramp } },
    };
    await instance.apply(
      aFlag(`${instance.home}/planned`, { environments: { production } }),
      aFlag(`${instance.home}/dated`, given({ later })),
    );
    const at = async (time: string) => {
      const [one, dated] = await Promise.all(
        ['planned', 'dated'].map((flag) => ask(EVALUATE(flag, `&userId=2&at=${encodeURIComponent(time)}`))),
      );
      const body = { environment: 'production', projects: ['shop'], context: { userId: '2' }, at: time };
      const { environment, ...rest } = body;
      const list = await play(body);
      const advanced = await ask('POST /playground/advanced', { body: { ...rest, environments: [environment] } });
      const found = advanced.body.features.find(({ name }: Stored) => name === 'planned');
      expect(named(list, 'planned').why.text).toBe(one?.body.why.text);
      expect(found.environments.production[0].isEnabled).toBe(one?.body.enabled);
      return [one?.body.why.text, one?.body.context, dated?.body.enabled];
    };
    const context = { userId: '2', environment: 'production' };
    expect(await at('2029-12-31T23:30:00+01:00')).toEqual([
      'Off: the window in "production" opens at 2030-01-10T00:00:00+01:00.',
      context,
      false,
    ]);
    expect(await at('2030-01-15T12:00:00Z')).toEqual([expect.stringContaining('above the limit 0'), context, true]);
    expect(await at('2030-01-16T00:00:00Z')).toEqual([expect.stringContaining('within the limit 100'), context, true]);
    const { status, body } = await ask(EVALUATE('planned', '&at=2030-01-16'));
    expect([status, body.details[0].message]).toEqual([400, expect.stringContaining('must be a time with a zone')]);
  });

  test('without an environment it uses the first one of the project', async () => {
    const { body } = await ask('GET /projects/shop/features/plain/evaluate');
    expect([body.environment, body.enabled]).toEqual(['development', false]);
  });

  test.each([
    ['stowed', 'production'],
    ['invoice', 'production'],
    ['plain', 'no-such'],
  ])('404 for %s in %s', async (flag, environment) => {
    expect((await ask(`GET /projects/shop/features/${flag}/evaluate?environment=${environment}`)).status).toBe(404);
  });
});

describe('the decision', () => {
  const lastOf = ({ body }: Answer, path: string) => body.why.fields.find((one: Stored) => one.path.endsWith(path));

  test('each field has its owner, and its last change in the history', async () => {
    const { home } = instance;
    const writers = writersOf(instance.cluster);
    const manifest = aFlag(`${home}/held`, given({ wide: half }));
    await writers.apply(GIT, manifest);
    writers.close();
    await instance.judged(manifest);
    const { metadata } = await instance.flag(`${home}/held`);
    const event = {
      featureName: 'held',
      namespace: home,
      object: 'held',
      uid: metadata.uid,
      environment: 'production',
    } as const;
    const update = { ...event, type: 'feature-strategy-update', subject: 'wide' } as const;
    const rollout = (value: string) => ({ parameters: { rollout: value } });
    // These times are later than all that the operator records about the flag meanwhile, so both answers have the same
    // entries.
    const by = (createdBy: string, year: number) => ({ createdBy, createdAt: Date.UTC(year, 0) });
    await instance.report(
      { ...event, type: 'feature-environment-enabled', ...by('zoe', 2101) },
      { ...event, type: 'feature-strategy-add', subject: 'wide', ...by('first', 2101) },
      { ...update, preData: rollout('10'), data: rollout('50'), ...by('ada@example.com', 2102) },
      { ...update, preData: { title: 'a' }, data: { title: 'b' }, ...by('eva', 2103) },
      { ...update, uid: 'another', preData: rollout('50'), data: rollout('60'), ...by('lin', 2104) },
    );
    const answer = await ask(EVALUATE('held', '&userId=2'));
    expect(lastOf(answer, 'enabled').lastChange.by).toBe('zoe');
    expect(lastOf(answer, 'rollout')).toEqual({
      kind: 'FeatureFlag',
      namespace: home,
      name: 'held',
      path: 'spec.environments.production.strategies.wide.parameters.rollout',
      owner: { manager: GIT, operation: 'Apply', kind: 'git' },
      otherOwners: [],
      lastChange: { by: 'ada@example.com', at: '2102-01-01T00:00:00.000Z', eventId: expect.any(Number) },
    });
    const explained = named(
      await play({ environment: 'production', projects: ['shop'], context: { userId: '2' } }, ask, '?explain=true'),
      'held',
    );
    expect(explained.why.fields).toEqual(answer.body.why.fields);
  });

  test('while the history is unavailable the answer has no last changes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vexil-missing-'));
    const url = `sqlite:${join(folder, 'later', 'audit.db')}`;
    const without = await startInstance('playground-alone', { settings: { VEXIL_AUDIT_URL: url } });
    await without.apply(aFlag(`${without.home}/plain`, given(all)));
    const { status, body } = await without.call(EVALUATE('plain'));
    await without.stop();
    await rm(folder, { recursive: true, force: true });
    expect([status, body.enabled]).toEqual([200, true]);
    expect(body.why.fields.map(({ lastChange }: Stored) => lastChange)).toEqual([null, null]);
  });
});

describe('POST /playground', () => {
  const contexts = [
    {},
    { userId: 'ada', properties: { plan: 'pro', country: 'DK' } },
    { userId: '2', country: 'SE', currentTime: '2031-01-01T00:00:00Z' },
  ];

  test.each(contexts)('agrees with the frontend API for %j', async (context) => {
    const page = await tokenValue(instance, `page-${contexts.indexOf(context)}`, { type: 'frontend' });
    const complete = { sessionId: '7', remoteAddress: '192.0.2.1', ...context };
    const browser = adminClient(instance.url, { authorization: page });
    const { toggles } = (await browser('POST //api/frontend/all', { body: { context: complete } })).body;
    const { features } = (await play({ environment: 'production', projects: '*', context: complete })).body;
    expect(features.map(({ name, isEnabled, variant }: Stored) => [name, isEnabled, variant])).toEqual(
      toggles.map(({ name, enabled, variant }: Stored) => [name, enabled, variant]),
    );
  });

  test('has each strategy with its constraints and segments, in the shape of Unleash', async () => {
    const body = { environment: 'production', projects: ['shop'], context: { userId: '2', country: 'DK' } };
    const answer = await play(body);
    expect(answer.body.input).toEqual(body);
    const { strategies, ...gradual } = named(answer, 'gradual');
    expect(gradual).toMatchObject({ projectId: 'shop', isEnabled: true, isEnabledInCurrentEnvironment: true });
    expect(gradual.why.fields).toBeNull();
    expect(strategies.result).toBe(true);
    const [gone, staff] = strategies.data;
    expect(gone).toMatchObject({ disabled: true, result: { evaluationStatus: 'unevaluated', enabled: 'unknown' } });
    expect(staff.result).toEqual({ evaluationStatus: 'complete', enabled: false });
    expect(staff.constraints).toMatchObject([
      { contextName: 'plan', result: false },
      { contextName: 'userId', result: false },
    ]);
    const { body: strategy } = await ask('GET /projects/shop/features/gradual/environments/production/strategies');
    expect(strategies.data.map(({ id }: Stored) => id)).toEqual(strategy.map(({ id }: Stored) => id));
    expect(named(answer, 'segmented').strategies.data[0].segments).toMatchObject([
      { name: 'nordic', result: true, constraints: [{ contextName: 'country', result: true }] },
    ]);
    expect(named(answer, 'child').hasUnsatisfiedDependency).toBe(true);
    expect(named(answer, 'hosts').strategies).toMatchObject({
      result: 'unknown',
      data: [{ result: { evaluationStatus: 'incomplete', enabled: 'unknown' } }],
    });
  });

  test('has no flags of projects that are missing or not requested', async () => {
    const namesOf = async (projects: unknown) =>
      (await play({ environment: 'production', projects, context: {} })).body.features.map(({ name }: Stored) => name);
    expect([await namesOf(['pay', 'no-such']), await namesOf(['no-such'])]).toEqual([['invoice'], []]);
    expect(await namesOf('*')).toContain('invoice');
  });
});

describe('POST /playground/advanced', () => {
  const playAll = (body: object) => ask('POST /playground/advanced', { body });

  test('has each flag for each environment and each combination of values', async () => {
    const environments = ['production', 'development'];
    const context = { userId: 'ada, 2', properties: { plan: 'pro,free' } };
    const { body } = await playAll({ environments, projects: ['shop'], context });
    const gradual = body.features.find(({ name }: Stored) => name === 'gradual');
    expect(Object.keys(gradual.environments)).toEqual(environments);
    expect(
      gradual.environments.production.map((one: Stored) => [
        one.context.userId,
        one.context.properties.plan,
        one.why.strategy,
      ]),
    ).toEqual([
      ['ada', 'pro', 'staff'],
      ['2', 'pro', 'wide'],
      ['ada', 'free', null],
      ['2', 'free', 'wide'],
    ]);
    expect(gradual.environments.development.map(({ isEnabled }: Stored) => isEnabled)).toEqual(Array(4).fill(false));
  });

  test('101 combinations are refused', async () => {
    const userId = [...Array(101).keys()].join(',');
    const answer = await playAll({ environments: ['production'], projects: '*', context: { userId } });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining(
        'asks for 101 combinations of environments and contexts, and one request may ask for 100',
      ),
    ]);
  });
});

test('Kubernetes users see the flags that they may read, and of segments what they may read', async () => {
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  const as = async (name: string, rules: Parameters<typeof createAccount>[1]['rules']) => {
    const { token } = await createAccount(cluster, { namespace: home, name, rules });
    return adminClient(instance.url, { authorization: `Bearer ${token}` });
  };
  const reader = await as('reader', { [home]: [[['get'], ['projects', 'featureflags']]] });
  const one = await as('of-one', {
    [home]: [
      [['get'], ['projects']],
      [['get'], ['featureflags'], ['segmented']],
    ],
  });
  const body = { environment: 'production', projects: '*', context: { country: 'SE' } };
  const seen = await play(body, reader);
  expect(named(seen, 'invoice')).toBeUndefined();
  const { strategies, why } = named(seen, 'segmented');
  expect(strategies.data[0].segments).toMatchObject([{ name: 'nordic', result: false, constraints: [] }]);
  expect([why.strategies[0].constraint, why.text]).toEqual([null, expect.not.stringContaining('country')]);
  expect((await play(body, one)).body.features).toEqual([]);
  const answer = await one(EVALUATE('segmented', '&country=SE'));
  expect([answer.status, answer.text.includes('IN')]).toEqual([200, false]);
  expect((await one(EVALUATE('plain'))).status).toBe(403);
  expect((await play({ ...body, environment: 'no-such' }, reader)).status).toBe(404);
  const without = await as('without', {});
  for (const environment of ['production', 'no-such']) {
    const { status, body: empty } = await play({ ...body, environment }, without);
    expect([status, empty.features]).toEqual([200, []]);
  }

  const { metadata } = await instance.flag(`${home}/plain`);
  const event = { uid: metadata.uid, featureName: 'plain', namespace: home, createdAt: Date.UTC(2100, 0) };
  const enabled = { ...event, type: 'feature-environment-enabled', environment: 'production' } as const;
  await instance.report({ ...enabled, createdBy: 'ada@example.com' });
  const ofFlags = await as('of-flags', { [home]: [[['get'], ['featureflags']]] });
  const authors = await Promise.all(
    [ask, reader, ofFlags].map(async (call) => (await call(EVALUATE('plain'))).body.why.fields[0].lastChange?.by),
  );
  expect(authors).toEqual(['ada@example.com', expect.not.stringContaining('ada'), undefined]);
});
