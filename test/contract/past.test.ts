/** `?at=TIME`: flags, lists, exports and evaluations as they were, and times that the history does not know. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inNextSecond, untilVersionsAreKept } from '../support/in-next-second.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import type { Stored } from '../support/stored.ts';

const BOOTSTRAP = `*:*.${'7c'.repeat(28)}`;
let instance: RecordingInstance;
let ask: Call;

const FLAG = '/projects/shop/features/beta';
const isIn = (...values: string[]) => ({ contextName: 'userId', operator: 'IN' as const, values });
const onIn = (environment: string, enabled: boolean) => ({
  environments: { [environment]: { enabled, strategies: { all: { name: 'default' } } } },
});

/** When each state was in force, and what the present answers were then. */
const moments = new Map<string, { readonly at: string; readonly flag: Stored; readonly list: Stored }>();

/** Changes something, and remembers the state after it. */
async function step(name: string, change: () => Promise<unknown>): Promise<void> {
  await inNextSecond();
  await change();
  const flag = (await ask(`GET ${FLAG}`)).body;
  const list = (await ask('GET /projects/shop/features')).body;
  moments.set(name, { at: await inNextSecond(), flag, list });
}

const momentOf = (name: string) => {
  const found = moments.get(name);
  if (!found) throw new Error(`nothing was remembered as ${name}`);
  return found;
};
const at = (name: string) => `at=${encodeURIComponent(momentOf(name).at)}`;

beforeAll(async () => {
  instance = await startRecordingInstance('past', { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP });
  ask = adminClient(instance.url, { authorization: BOOTSTRAP });
  const { home } = instance;
  await untilVersionsAreKept(ask, 'shop');
  await step('nothing', async () => undefined);
  await step('on', () =>
    instance.apply(
      aSegment(`${home}/staff`, { constraints: [isIn('ada')] }),
      aFlag(`${home}/parent`, onIn('production', true)),
      aFlag(`${home}/beta`, { ...onIn('production', true), dependencies: [{ feature: 'parent' }] }),
      aFlag(`${home}/staffed`, {
        environments: { production: { enabled: true, strategies: { s: { name: 'default', segments: ['staff'] } } } },
      }),
    ),
  );
  await step('off', () => ask(`POST ${FLAG}/environments/production/off`));
  await step('without parent', async () => {
    await ask(`POST ${FLAG}/environments/production/on`);
    await instance.apply(
      aSegment(`${home}/staff`, { constraints: [isIn('lin')] }),
      aFlag(`${home}/parent`, onIn('production', false)),
    );
  });
  await step('gone', async () => {
    await ask(`DELETE ${FLAG}`);
    await ask('DELETE /archive/beta');
  });
  await step('again', () =>
    instance.apply(aFlag(`${home}/beta`, { ...onIn('development', true), description: 'again' })),
  );
  await inNextSecond();
  await instance.apply(aFlag(`${home}/brief`, onIn('production', true)));
  await ask(`POST ${FLAG}/environments/development/off`);
  // What is asked for below is recorded.
  await waitUntil({ what: 'the last change is recorded', everyMs: 50 }, async () => {
    const { body } = await ask('GET /search/events?feature=IS:beta&type=IS:feature-environment-disabled');
    return body.total === 2;
  });
});
afterAll(() => instance?.stop());

describe('a time that has passed', () => {
  test('has the flag as it was then, also if it is another object now', async () => {
    for (const name of ['on', 'off', 'without parent', 'again']) {
      expect(await ask(`GET ${FLAG}?${at(name)}`)).toMatchObject({ status: 200, body: momentOf(name).flag });
    }
    const { uid } = (await ask(`GET ${FLAG}/status`)).body;
    for (const [name, isOn, isSame] of [
      ['on', true, false],
      ['off', false, false],
      ['again', false, true],
    ] as const) {
      const { status, body } = await ask(`GET ${FLAG}/status?${at(name)}`);
      const production = body.environments.find((one: Stored) => one.name === 'production');
      expect([status, production.inEffect, body.uid === uid]).toEqual([200, isOn, isSame]);
    }
    for (const name of ['nothing', 'gone']) expect((await ask(`GET ${FLAG}?${at(name)}`)).status).toBe(404);
    expect((await ask(`GET ${FLAG}`)).body.description).toBe('again');
  });

  test('has the flags of the project as they were then', async () => {
    for (const [name, { list }] of moments) {
      expect(await ask(`GET /projects/shop/features?${at(name)}`)).toMatchObject({ status: 200, body: list });
    }
    expect((await ask(`GET /projects/shop/features?namePrefix=st&${at('on')}`)).body.features).toHaveLength(1);
  });

  test('has the state document of then', async () => {
    const namesAt = async (name: string) => {
      const { body } = await ask(`GET /state/export?format=json&${at(name)}`);
      return body.features.map((one: Stored) => one.name);
    };
    expect(await namesAt('nothing')).toEqual([]);
    expect(await namesAt('on')).toEqual(['beta', 'parent', 'staffed']);
    expect(await namesAt('gone')).toEqual(['parent', 'staffed']);
  });

  test('is evaluated with the flags, parents and segments of then', async () => {
    const resultOf = async (name: string, flag: string, user: string) => {
      const { body } = await ask(
        `GET /projects/shop/features/${flag}/evaluate?userId=${user}&environment=production&${at(name)}`,
      );
      return body.enabled;
    };
    const states = ['on', 'off', 'without parent'];
    expect(await Promise.all(states.map((name) => resultOf(name, 'beta', 'ada')))).toEqual([true, false, false]);
    const times = { ada: ['on', 'off'], lin: ['without parent', 'gone'] };
    for (const [user, names] of Object.entries(times)) {
      for (const name of ['on', 'off', 'without parent', 'gone']) {
        expect([user, name, await resultOf(name, 'staffed', user)]).toEqual([user, name, names.includes(name)]);
      }
    }
  });

  test('is evaluated in the playground, where flags that did not exist have no result', async () => {
    const playAt = async (name: string) => {
      const body = { environment: 'production', context: { userId: 'ada' }, at: momentOf(name).at };
      const answer = await ask('POST /playground', { body });
      return Object.fromEntries(answer.body.features.map((one: Stored) => [one.name, one.isEnabled]));
    };
    expect(await playAt('nothing')).toEqual({});
    expect(await playAt('on')).toEqual({ beta: true, parent: true, staffed: true });
    expect(await playAt('gone')).toEqual({ parent: false, staffed: false });
  });

  test('names the author of the last change before it', async () => {
    const { body } = await ask(`GET ${FLAG}/evaluate?environment=production&${at('off')}`);
    const [enabled] = body.why.fields.filter((one: Stored) => one.path.endsWith('enabled'));
    expect(Date.parse(enabled.lastChange.at)).toBeLessThanOrEqual(Date.parse(momentOf('off').at));
  });
});

describe('two times', () => {
  const diff = (from: string, to?: string) =>
    ask(`GET /projects/shop/diff?from=${encodeURIComponent(from)}${to ? `&to=${encodeURIComponent(to)}` : ''}`);
  const between = async (from: string, to: string) => (await diff(momentOf(from).at, momentOf(to).at)).body.flags;

  test('name the flags that differ, field by field', async () => {
    expect(await between('on', 'on')).toEqual([]);
    const created = { action: 'created', changes: [], moreChanges: 0, uncertain: [] };
    expect(await between('nothing', 'on')).toEqual(['beta', 'parent', 'staffed'].map((name) => ({ name, ...created })));
    const field = { path: 'spec.environments.production.enabled', before: 'true', after: 'false' };
    const changed = { action: 'changed', changes: [field], moreChanges: 0, uncertain: [] };
    expect(await between('on', 'off')).toEqual([{ name: 'beta', ...changed }]);
    const reversed = { ...field, before: 'false', after: 'true' };
    expect(await between('off', 'on')).toEqual([{ name: 'beta', ...changed, changes: [reversed] }]);
    expect(await between('off', 'gone')).toMatchObject([
      { name: 'beta', action: 'gone' },
      { name: 'parent', action: 'changed' },
    ]);
    expect(await between('on', 'again')).toMatchObject([{ name: 'beta', action: 'replaced' }, { name: 'parent' }]);
    const some = await ask(`GET /projects/shop/diff?feature=parent&from=${encodeURIComponent(momentOf('on').at)}`);
    expect(some.body.flags).toMatchObject([{ name: 'parent', action: 'changed' }]);
  });

  test.each([
    ['2124-02-29T10:00:00Z', 'is in the future'],
    ['2024-02-29T10:00:00Z', 'The history has complete versions since'],
    ['2026-03-01', 'must be a time with a zone'],
  ])('%s is refused as either of them', async (time, complaint) => {
    for (const [key, answer] of [
      ['from', await diff(time)],
      ['to', await diff(momentOf('on').at, time)],
    ] as const) {
      expect([answer.status, answer.body.details[0].path]).toEqual([400, `/query/${key}`]);
      expect(answer.body.details[0].message).toContain(complaint);
    }
  });
});

describe('a time in a gap', () => {
  test('is refused with the times around the change, and answered for either side', async () => {
    const { home, cluster } = instance;
    const brief = '/projects/shop/features/brief';
    const before = (await ask(`GET ${brief}`)).body;
    const time = await inNextSecond();
    // kubectl leaves no time of a deletion.
    await cluster.deleteObject('ff/brief', home);
    await waitUntil({ what: 'the deletion is recorded', everyMs: 50 }, async () => {
      const { body } = await ask('GET /search/events?feature=IS:brief&type=IS:feature-deleted');
      return body.total === 1;
    });
    const query = `at=${encodeURIComponent(time)}`;
    const { status, body } = await ask(`GET ${brief}?${query}`);
    expect([status, body.name]).toEqual([409, 'UncertainTimeError']);
    const [, from = '', until = ''] =
      /^featureflags "brief" changed once between (\S+) and (\S+)$/.exec(body.details[0].message) ?? [];
    expect(Date.parse(from)).toBeLessThanOrEqual(Date.parse(time));
    expect(Date.parse(until)).toBeGreaterThan(Date.parse(time));
    expect(body.uncertain).toEqual({ from, until });
    const diff = `GET /projects/shop/diff?from=${encodeURIComponent(time)}`;
    const uncertain = { name: 'brief', action: 'uncertain', changes: [], moreChanges: 0 };
    expect((await ask(diff)).body.flags).toEqual([{ ...uncertain, uncertain: [{ from, until }] }]);
    expect((await ask(`${diff}&inGap=before`)).body.flags).toMatchObject([{ name: 'brief', action: 'gone' }]);
    expect((await ask(`${diff}&inGap=after`)).body.flags).toEqual([]);
    expect(await ask(`GET ${brief}?${query}&inGap=before`)).toMatchObject({ status: 200, body: before });
    expect((await ask(`GET ${brief}?${query}&inGap=after`)).status).toBe(404);
    const evaluate = `GET ${brief}/evaluate?environment=production&${query}`;
    expect((await ask(evaluate)).status).toBe(409);
    expect((await ask(`${evaluate}&inGap=before`)).body.enabled).toBe(true);
    // Another flag is certain. The answer to a question about several projects names none.
    expect((await ask(`GET ${FLAG}?${query}`)).status).not.toBe(409);
    const whole = await ask(`GET /state/export?format=json&${query}`);
    expect([whole.status, JSON.stringify(whole.body).includes('brief')]).toEqual([409, false]);
    expect(await ask(`GET ${brief}?at=${encodeURIComponent(until)}`)).toMatchObject({ status: 404 });
  });
});

describe('a time that is refused', () => {
  test.each([
    ['2026-03-01', 'must be a time with a zone, such as 2026-01-31T12:00:00Z'],
    ['2026-03-01T10:00:00', 'must be a time with a zone, such as 2026-01-31T12:00:00Z'],
    ['2026-02-29T10:00:00Z', 'must be a time that exists: the month has no such day'],
    ['2016-12-31T23:59:60Z', 'must be a time outside of leap seconds: name the second before or after'],
    ['2124-02-29T10:00:00Z', 'is in the future: name a time that has passed'],
    ['2024-02-29T10:00:00+01:00', 'The history has complete versions since 20'],
  ])('%s', async (time, complaint) => {
    for (const path of [FLAG, '/projects/shop/features', '/state/export']) {
      const { status, body } = await ask(`GET ${path}?at=${encodeURIComponent(time)}`);
      expect([status, body.details[0].message]).toEqual([400, expect.stringContaining(complaint)]);
    }
  });

  test('a future time is evaluated with the present flags, one before the versions is not', async () => {
    const evaluate = `GET ${FLAG}/evaluate?environment=development`;
    expect((await ask(`${evaluate}&at=2124-02-29T10:00:00Z`)).body.enabled).toBe(false);
    expect((await ask(`${evaluate}&at=2024-02-29T10:00:00Z`)).status).toBe(400);
  });
});

test('the past is seen with the rights of then and of now, and with the project', async () => {
  const { home, other, cluster } = instance;
  await grantReviews(cluster, home);
  const as = async (name: string, rules: Parameters<typeof createAccount>[1]['rules']) => {
    const { token } = await createAccount(cluster, { namespace: home, name, rules });
    return adminClient(instance.url, { authorization: `Bearer ${token}` });
  };
  const reader = await as('reader', { [home]: [[['get'], ['projects', 'featureflags']]] });
  const withoutProject = await as('without-project', { [home]: [[['get'], ['featureflags']]] });
  const withoutFlags = await as('without-flags', { [home]: [[['get'], ['projects']]] });
  const elsewhere = await as('elsewhere', { [other]: [[['get'], ['projects', 'featureflags']]] });
  const body = { environment: 'production', context: {}, at: momentOf('on').at };
  expect((await reader(`GET ${FLAG}?${at('on')}`)).status).toBe(200);
  expect((await reader('POST /playground', { body })).body.features).toHaveLength(3);
  expect((await reader(`GET /state/export?${at('on')}`)).status).toBe(403);
  expect((await withoutProject(`GET ${FLAG}`)).status).toBe(200);
  expect((await withoutProject(`GET ${FLAG}?${at('on')}`)).status).toBe(403);
  expect((await elsewhere(`GET ${FLAG}?${at('on')}`)).status).toBe(403);
  expect((await elsewhere('POST /playground', { body })).body.features).toEqual([]);
  const diff = `GET /projects/shop/diff?from=${encodeURIComponent(momentOf('on').at)}`;
  const answers = await Promise.all([reader, withoutFlags, withoutProject].map((call) => call(diff)));
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403]);
});
