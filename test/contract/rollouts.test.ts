/**
 * Windows and ramps in a running operator: what SDKs receive and what status, history and Events show at each moment.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlagEnvironment } from '../../src/schema/feature-flag.ts';
import { clientDelta } from '../../src/wire/client/shapes.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { openStream } from '../support/event-stream.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';
import { ownedBy, type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const PLACE = '/projects/shop/features/ramp/environments/production';
let instance: Instance;
let writers: Writers;

beforeAll(async () => {
  instance = await startInstance('rollouts');
  writers = writersOf(instance.cluster);
  const { cluster, call, home } = instance;
  await instance.apply(aFlag(`${home}/first`));
  // The history does not record the creation of a flag that exists when it begins.
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const planned = (environment: object) => ({ environments: { production: { enabled: true, ...environment } } });
const statusOf = async (name: string) => {
  const { body } = await instance.call(`GET /projects/shop/features/${name}/status`);
  return body.environments.find((one: { name: string }) => one.name === 'production');
};

test('a window opens and closes for SDKs and in the status, and each moment is recorded once with an Event', async () => {
  const stream = await openStream(instance.url, { query: '?environment=production' });
  const [from, until] = [25_000, 30_000].map((ms) => Date.now() + ms);
  const [activeFrom, activeUntil] = [from, until].map((ms) => new Date(ms ?? 0).toISOString());
  const window = { activeFrom, activeUntil, strategies: { all: { name: 'default' } } };
  await instance.apply(aFlag(`${instance.home}/window`, planned(window)));
  expect(await statusOf('window')).toMatchObject({
    asked: true,
    inEffect: false,
    window: 'Scheduled',
    nextChangeAt: activeFrom,
  });
  const wide = await instance.cluster.kubectlOrThrow(['get', 'ff', 'window', '-o', 'wide', '-n', instance.home]);
  expect(wide).toContain(`${activeFrom}`);
  const { conditions } = (await instance.flag(`${instance.home}/window`)).status;
  expect(conditions.at(-1)).toMatchObject({
    type: 'Scheduled',
    message: `${activeFrom}: the window opens in "production"`,
  });

  const changes: (readonly [boolean, number])[] = [];
  for (const count of [2, 3, 4]) {
    const { data = '' } = await stream.nth(count);
    const [event] = clientDelta.parse(JSON.parse(data)).events;
    if (event?.type !== 'feature-updated') throw new Error(data);
    changes.push([event.feature.enabled, Date.now()]);
  }
  stream.close();
  expect(changes.map(([enabled]) => enabled)).toEqual([false, true, false]);
  expect(changes[1]?.[1]).toBeGreaterThanOrEqual(from ?? 0);
  expect(changes[2]?.[1]).toBeGreaterThanOrEqual(until ?? 0);

  const feature = 'feature=IS:window';
  const [opened, closed] = (await untilRecorded(instance.call, feature, 6)).slice(-2);
  const [created] = await untilRecorded(instance.call, `${feature}&type=IS:feature-created`, 1);
  expect([opened, closed]).toMatchObject([
    { type: 'feature-window-opened', environment: 'production', createdAt: activeFrom, data: { at: activeFrom } },
    { type: 'feature-window-closed', environment: 'production', createdAt: activeUntil, data: { at: activeUntil } },
  ]);
  expect(opened.createdBy).toBe(created?.createdBy);
  const reasons = await waitUntil({ what: 'the Events of both moments' }, async () => {
    const args = ['get', 'events', '-n', instance.home, '-o', 'jsonpath={.items[*].reason}'];
    const found = (await instance.cluster.kubectlOrThrow(args))
      .split(' ')
      .filter((one) => one.startsWith('FeatureWindow'));
    return found.includes('FeatureWindowClosed') && found.toSorted();
  });
  // The Event of the creation already reports the planned window.
  expect(reasons).toEqual(['FeatureWindowClosed', 'FeatureWindowOpened']);
  expect((await instance.flag(`${instance.home}/window`)).status).toMatchObject({
    changedByTimeAt: activeUntil,
    environments: { production: { enabled: false, window: 'Closed' } },
  });
});

/**
 * The ways in which applications without a server SDK read the flags of `development`, and the flags that are on in the
 * answers.
 */
const onByName = (flags: readonly { readonly name: string; readonly enabled: boolean }[]) =>
  flags.filter(({ enabled }) => enabled).map(({ name }) => name);
const onByKey = (flags: readonly { readonly key: string; readonly value: boolean }[]) =>
  flags.filter(({ value }) => value).map(({ key }) => key);
const reads: readonly (readonly [request: string, onIn: (body: Stored) => readonly string[]])[] = [
  ['GET //api/frontend', ({ toggles }) => onByName(toggles)],
  ['POST //api/frontend', ({ toggles }) => onByName(toggles)],
  ['GET //api/frontend/all', ({ toggles }) => onByName(toggles)],
  ['GET //api/frontend/features/brief', (toggle) => onByName([toggle])],
  ['GET //api/frontend/features/steep', (toggle) => onByName([toggle])],
  ['POST //ofrep/v1/evaluate/flags', ({ flags }) => onByKey(flags)],
  ['POST //ofrep/v1/evaluate/flags/brief', (flag) => onByKey([flag])],
  ['POST //ofrep/v1/evaluate/flags/steep', (flag) => onByKey([flag])],
];

/** Each way of reading must see the flags on, also on a busy machine. */
const OPEN_SECONDS = 8;

test('the frontend API and OFREP follow a window and a ramp, also for callers with an earlier tag', async () => {
  const { home, call } = instance;
  const plan = (from: number) => {
    const [activeFrom, activeUntil] = [from, from + OPEN_SECONDS * 1000].map((ms) => new Date(ms).toISOString());
    const ramp = { startAt: activeFrom, steps: [{ rollout: 100, for: `${OPEN_SECONDS}s` }, { rollout: 0 }] };
    const development = { enabled: true, activeFrom, activeUntil, strategies: { all: { name: 'default' } } };
    const rising = { enabled: true, strategies: { s: { name: 'flexibleRollout', parameters: { rollout: 0 }, ramp } } };
    return [
      aFlag(`${home}/brief`, { environments: { development } }),
      aFlag(`${home}/steep`, { environments: { development: rising } }),
    ];
  };
  const ask = (request: string, tag = '') => {
    const body = request.startsWith('POST') ? { body: { context: { userId: '7' } } } : {};
    return call(request, { ...body, headers: { 'if-none-match': tag } });
  };
  /** Expects 304 until the moment, and then the flags of the request, on or off. */
  const changesAt = async (ms: number, state: 'on' | 'off', tags: readonly string[]) =>
    Promise.all(
      reads.map(async ([request, onIn], index) => {
        const what = `${request} has the flags ${state}`;
        const [about = ''] = request.split('/').slice(-1);
        const named = about === 'brief' || about === 'steep' ? [about] : ['brief', 'steep'];
        let tag = tags[index] ?? '';
        await waitUntil({ what, everyMs: 100 }, async () => {
          const { status, headers, body } = await ask(request, tag);
          if (status === 304) return false;
          expect([status, Date.now() >= ms], what).toEqual([200, true]);
          tag = headers.get('etag') ?? '';
          const on = onIn(body).filter((name) => named.includes(name));
          return on.length === (state === 'on' ? named.length : 0);
        });
        return tag;
      }),
    );

  await instance.apply(...plan(Date.now() + 86_400_000));
  const before = await Promise.all(
    reads.map(async ([request, onIn]) => {
      const { body, headers } = await ask(request);
      expect([request, onIn(body)]).toEqual([request, []]);
      return headers.get('etag') ?? '';
    }),
  );
  const opens = Date.now() + 2000;
  await instance.apply(...plan(opens));
  const open = await changesAt(opens, 'on', before);
  await changesAt(opens + OPEN_SECONDS * 1000, 'off', open);
});

test('the steps of a ramp may be in Git while users start, pause and resume it', async () => {
  const { home, call } = instance;
  const steps = [{ rollout: 5, for: '1h' }, { rollout: 25, for: '2h' }, { rollout: 100 }];
  const strategies = { s: { name: 'flexibleRollout', parameters: { rollout: 1 }, ramp: { steps } } };
  const inGit = (some: NonNullable<FlagEnvironment['strategies']>) =>
    aFlag(`${home}/ramp`, { environments: { production: { strategies: some } } });
  const manifest = inGit(strategies);
  await writers.apply(GIT, manifest);
  await instance.judged(manifest);
  expect((await call(`POST ${PLACE}/on`)).status).toBe(200);
  const ramp = async () => (await statusOf('ramp')).ramps[0];
  const act = async (action: string, step?: number) => {
    const answer = await call(`POST ${PLACE}/strategies/s/ramp`, { body: { action, step } });
    expect([answer.status, answer.text]).toEqual([200, '']);
    return ramp();
  };
  const rollout = async () => {
    const { body } = await call('GET //api/client/features/ramp?environment=production');
    return body.strategies[0].parameters.rollout;
  };

  expect([await ramp(), await rollout()]).toMatchObject([{ state: 'Waiting', rollout: 1 }, '1']);
  const begun = Date.now();
  expect(await act('start')).toMatchObject({ state: 'Running', rollout: 5 });
  expect(await act('skip', 2)).toMatchObject({ state: 'Running', step: 2, rollout: 25 });
  expect(await act('pause')).toMatchObject({ state: 'Paused', rollout: 25, nextChangeAt: null });
  expect(await rollout()).toBe('25');
  const resumed = await act('resume');
  expect(resumed).toMatchObject({ state: 'Running', rollout: 25 });
  const leftMs = Date.parse(resumed.nextChangeAt) - begun;
  expect(leftMs / 3_600_000).toBeGreaterThanOrEqual(2);
  expect(leftMs / 3_600_000).toBeLessThan(2.1);

  await writers.apply(GIT, inGit({ s: { ...strategies.s, title: 'New' } }));
  const stored = await instance.flag(`${home}/ramp`);
  const { s } = stored.spec.environments.production.strategies;
  expect(Object.keys(s.ramp).sort()).toEqual(['startAt', 'steps']);
  const owned = ownedBy(stored, GIT, 'Apply')['f:environments']['f:production']['f:strategies']['f:s'];
  expect(Object.keys(owned['f:ramp'])).toEqual(['f:steps']);
  expect((await call(`GET ${PLACE}/strategies/s`)).body).toMatchObject({ ramp: s.ramp, parameters: { rollout: 1 } });

  const refused = await call(`POST ${PLACE}/strategies/s/ramp`, { body: { action: 'start' } });
  expect([refused.status, refused.body.message]).toEqual([403, 'The ramp is Running. Skip to step 1 to begin again.']);
  expect(await act('abort')).toMatchObject({ state: 'Paused', rollout: 25 });
  const { body } = await call(`GET ${PLACE}`);
  expect([body.enabled, body.strategies.find(({ id }: { id: string }) => id === resumed.strategyId)?.disabled]).toEqual(
    [false, true],
  );
  const other = { other: { name: 'default' } };
  await writers.apply(GIT, inGit(other));
  const { production } = (await instance.flag(`${home}/ramp`)).spec.environments;
  expect(production, 'Git may remove the strategy').toEqual({ enabled: false, strategies: other });
});

test('each step that an action begins is recorded once, and a resume records none again', async () => {
  const { home, call } = instance;
  const steps = [{ rollout: 5, for: '1h' }, { rollout: 25, for: '2h' }, { rollout: 100 }];
  const strategies = { s: { name: 'flexibleRollout', ramp: { steps } } };
  await instance.apply(aFlag(`${home}/acted`, planned({ strategies })));
  const filter = 'feature=IS:acted&type=IS:feature-ramp-step';
  const place = '/projects/shop/features/acted/environments/production/strategies/s/ramp';
  const act = async (action: string, step?: number) => {
    await instance.judged(aFlag(`${home}/acted`));
    const began = Date.now();
    expect((await call(`POST ${place}`, { body: { action, step } })).status, action).toBe(200);
    return [began, Date.now()] as const;
  };
  const acts = [['start'], ['skip', 2], ['pause'], ['resume'], ['skip', 3], ['skip', 1]] as const;
  const spans: (readonly [number, number])[] = [];
  for (const [action, step] of acts) {
    const span = await act(action, step);
    if (action === 'start' || action === 'skip') spans.push(span);
    // A step that is recorded again has another time, and appears with the next status.
    await untilRecorded(call, filter, spans.length);
  }
  await instance.judged(aFlag(`${home}/acted`));
  const found = (await untilRecorded(call, filter, spans.length)).toSorted((a, b) =>
    a.createdAt.localeCompare(b.createdAt),
  );
  expect(found.map(({ data }) => [data.step, data.rollout])).toEqual([
    [1, 5],
    [2, 25],
    [3, 100],
    [1, 5],
  ]);
  for (const [index, [began, ended]] of spans.entries()) {
    const at = Date.parse(found[index]?.createdAt);
    expect([at >= began, at <= ended], `step ${index}`).toEqual([true, true]);
  }
});
