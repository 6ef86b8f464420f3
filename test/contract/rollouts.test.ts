/**
 * Windows and ramps in a running operator: what SDKs receive and what status, history and Events show at each moment.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlagEnvironment } from '../../src/schema/feature-flag.ts';
import { clientDelta } from '../../src/wire/client/shapes.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
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

/** The plan is applied within this time, also on a busy machine. */
const LEAD_SECONDS = 10;
/** Each way of reading must see the flags on, also on a busy machine. */
const OPEN_SECONDS = 15;

/** A window in production for the history and SDKs, and a window and a ramp in development for the other readers. */
function planAt(from: number) {
  const { home } = instance;
  const [activeFrom, activeUntil] = [from, from + OPEN_SECONDS * 1000].map((ms) => new Date(ms).toISOString());
  const ramp = { startAt: activeFrom, steps: [{ rollout: 100, for: `${OPEN_SECONDS}s` }, { rollout: 0 }] };
  const open = { enabled: true, activeFrom, activeUntil, strategies: { all: { name: 'default' } } };
  const rising = { enabled: true, strategies: { s: { name: 'flexibleRollout', parameters: { rollout: 0 }, ramp } } };
  const flags = [
    aFlag(`${home}/window`, planned(open)),
    aFlag(`${home}/brief`, { environments: { development: open } }),
    aFlag(`${home}/steep`, { environments: { development: rising } }),
  ];
  return { flags, activeFrom, activeUntil };
}

const ask = (request: string, tag = '') => {
  const body = request.startsWith('POST') ? { body: { context: { userId: '7' } } } : {};
  return instance.call(request, { ...body, headers: { 'if-none-match': tag } });
};

/** Expects 304 until the moment, and then the flags of the request, on or off. */
const changesAt = (ms: number, state: 'on' | 'off', tags: readonly string[]) =>
  Promise.all(
    reads.map(async ([request, onIn], index) => {
      const what = `${request} has the flags ${state}`;
      const [about = ''] = request.split('/').slice(-1);
      const named = about === 'brief' || about === 'steep' ? [about] : ['brief', 'steep'];
      let tag = tags[index] ?? '';
      await waitUntil({ what, everyMs: 500 }, async () => {
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

/** The changes of the flag `window` that a stream of its environment reports, with the times of their arrivals. */
async function changesIn(stream: OpenedStream, changes: number) {
  const found: (readonly [enabled: boolean, at: number])[] = [];
  for (let count = 2; found.length < changes; count += 1) {
    const { data = '' } = await stream.nth(count);
    for (const event of clientDelta.parse(JSON.parse(data)).events) {
      if (event.type !== 'feature-updated') throw new Error(data);
      if (event.feature.name === 'window') found.push([event.feature.enabled, Date.now()]);
    }
  }
  stream.close();
  return found;
}

test('a planned window is in the status and in a condition, and planned flags are off for every reader', async () => {
  const { flags, activeFrom } = planAt(Date.now() + 86_400_000);
  await instance.apply(...flags);
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
  for (const [request, onIn] of reads) expect([request, onIn((await ask(request)).body)]).toEqual([request, []]);
});

test('a window opens and closes, and a ramp steps, for every reader, also for callers with an earlier tag', async () => {
  const before = await Promise.all(reads.map(async ([request]) => (await ask(request)).headers.get('etag') ?? ''));
  const stream = await openStream(instance.url, { query: '?environment=production' });
  const from = Date.now() + LEAD_SECONDS * 1000;
  const until = from + OPEN_SECONDS * 1000;
  const { flags, activeFrom, activeUntil } = planAt(from);
  await instance.apply(...flags);
  const [changes] = await Promise.all([
    changesIn(stream, 2),
    changesAt(from, 'on', before).then((open) => changesAt(until, 'off', open)),
  ]);
  expect(changes.map(([enabled]) => enabled)).toEqual([true, false]);
  expect(changes[0]?.[1]).toBeGreaterThanOrEqual(from);
  expect(changes[1]?.[1]).toBeGreaterThanOrEqual(until);

  // Each moment is recorded once, with an Event.
  await untilRecorded(instance.call, 'feature=IS:window&type=IS:feature-window-closed', 1);
  const [created, ...rest] = await recorded(instance.call, 'feature=IS:window');
  const moments = rest.filter(({ type }) => type.startsWith('feature-window-'));
  expect(moments).toMatchObject([
    { type: 'feature-window-updated', environment: 'production' },
    { type: 'feature-window-updated', environment: 'production', data: { activeFrom, activeUntil } },
    { type: 'feature-window-opened', environment: 'production', createdAt: activeFrom, data: { at: activeFrom } },
    { type: 'feature-window-closed', environment: 'production', createdAt: activeUntil, data: { at: activeUntil } },
  ]);
  expect(moments[2]?.createdBy).toBe(created?.createdBy);
  const reasons = await waitUntil({ what: 'the Events of both moments' }, async () => {
    const { items } = await instance.cluster.getObject('events', instance.home);
    const found = items.flatMap(({ regarding, reason }: Stored) =>
      regarding.name === 'window' && reason.startsWith('FeatureWindow') ? [reason] : [],
    );
    return found.includes('FeatureWindowClosed') && found.toSorted();
  });
  // The Event of the creation already reports the first plan.
  expect(reasons).toEqual(['FeatureWindowClosed', 'FeatureWindowOpened', 'FeatureWindowUpdated']);
  expect((await instance.flag(`${instance.home}/window`)).status).toMatchObject({
    changedByTimeAt: activeUntil,
    environments: { production: { enabled: false, window: 'Closed' } },
  });
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
