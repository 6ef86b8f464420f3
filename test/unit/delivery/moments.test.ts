/** The payload of SDKs when only time passes: the switch of a window and the rollout of a ramp, at their moments. */

import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createAnswers } from '../../../src/delivery/answers.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createEvaluations } from '../../../src/delivery/evaluations.ts';
import { createFeeds, type Feed } from '../../../src/delivery/feeds.ts';
import { createSnapshots } from '../../../src/delivery/snapshots.ts';
import { enableIn } from '../../../src/domain/flag/edit/switch.ts';
import { runAtMoments } from '../../../src/runtime/run-at-moments.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';
import type { SnapshotQuery } from '../../../src/wire/client/document.ts';
import { clientDelta } from '../../../src/wire/client/shapes.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { readTagged } from '../../support/read-tagged.ts';
import { aWorld } from '../catalog/world.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const inSeconds = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const production: SnapshotQuery = { environment: 'production', projects: undefined };
const always = { all: { name: 'default' } };
const ramp = { startAt: inSeconds(10), steps: [{ rollout: 20, for: '1m' }, { rollout: 70 }] };
const rising = { s: { name: 'flexibleRollout', parameters: { rollout: '1' }, ramp } };
const planned = (environment: object) => ({ environments: { production: { enabled: true, ...environment } } });

/** Starts a follower of the clock of the test. */
function begin() {
  const clock = fakeClock();
  const now = () => START + clock.now();
  const world = aWorld();
  const catalog = createCatalog(world.caches, now, { home: 'home' });
  const origin = createCatalogOrigin(catalog);
  const snapshots = createSnapshots(origin);
  const feed = createFeeds({ origin, snapshots, idPrefix: 'p' }).of(production);
  const answers = createAnswers(
    createEvaluations(origin, () => 0.5),
    now,
  );
  world.project('home/shop');
  const ending = new AbortController();
  const followed = runAtMoments({ moments: catalog.moments, clock, now, signal: ending.signal });
  const end = async () => {
    ending.abort();
    await followed;
  };
  return { clock, world, catalog, snapshots, feed, answers, end };
}

interface Read {
  readonly name: string;
  readonly enabled: boolean;
  readonly strategies: readonly { readonly parameters: object }[];
}

const seen = ({ name, enabled, strategies }: Read) => [name, enabled, strategies[0]?.parameters];

function eventsSince(feed: Feed, number: number) {
  const text = Buffer.concat([...(feed.since(number)?.pieces ?? [])]).toString();
  return clientDelta.parse(JSON.parse(text)).events.map((event) => {
    if (event.type !== 'feature-updated') throw new Error(event.type);
    return seen(event.feature as Read);
  });
}

test('snapshots, feeds, counts and single flags change at each moment, and at no other time', async () => {
  const { clock, world, catalog, snapshots, feed, end } = begin();
  world.flag('home/window', planned({ strategies: always, activeFrom: inSeconds(5), activeUntil: inSeconds(40) }));
  world.flag('home/ramp', planned({ strategies: rising }));
  world.flag('home/still', planned({ strategies: always }));
  const read = () => {
    const { features } = JSON.parse(snapshots.source(production).current().bytes.toString());
    return (features as Read[]).map(seen);
  };
  const view = () => {
    const found = catalog.view('shop');
    if (!found) throw new Error('there is no project');
    return found;
  };
  const rollout = (value: string) => ({ rollout: value, groupId: 'ramp', stickiness: 'default' });
  const still = ['still', true, {}];
  const expected: readonly (readonly [seconds: number, window: boolean, value: string])[] = [
    [5, true, '1'],
    [10, true, '20'],
    [40, false, '20'],
    [70, false, '70'],
  ];
  expect(read()).toEqual([['ramp', true, rollout('1')], still, ['window', false, {}]]);
  let before = feed.hydration().head;
  for (const [seconds, isOn, value] of expected) {
    await clock.advance(seconds * 1000 - 1 - clock.now());
    expect(feed.head(), `just before second ${seconds}`).toBe(before);
    await clock.advance(1);
    const both = [
      ['ramp', true, rollout(value)],
      ['window', isOn, {}],
    ];
    expect(read(), `second ${seconds}`).toEqual([both[0], still, both[1]]);
    expect(JSON.parse(`${snapshots.feature('window', production)}`).enabled).toBe(isOn);
    expect(catalog.summaryOf(view()).enabled.get('production')).toBe(isOn ? 3 : 2);
    expect(feed.head()).toBe(before + 1);
    expect(both).toContainEqual(eventsSince(feed, before)[0]);
    before = feed.head();
  }
  const version = catalog.version();
  await clock.advance(3_600_000);
  expect([catalog.version(), catalog.moments.nextAt()]).toEqual([version, Number.POSITIVE_INFINITY]);
  await end();
});

test('answers for browsers and OFREP change at each moment, in lists and for one flag', async () => {
  const { clock, world, answers, end } = begin();
  // The ramp has only 0 % and 100 %, so that each step shows for any user.
  const steep = { s: { name: 'flexibleRollout', ramp: { startAt: inSeconds(10), steps: [{ rollout: 100 }] } } };
  world.flag('home/ramp', planned({ strategies: steep }));
  world.flag('home/window', planned({ strategies: always, activeFrom: inSeconds(5), activeUntil: inSeconds(40) }));
  const question = { scope: production, context: { userId: '7' }, turn: turnsOfRequest() };
  const read = async () => {
    const { toggles } = readTagged(await answers.toggles.all(question));
    const { flags } = readTagged(await answers.values.all(question));
    const states = async (name: string, index: number) => {
      const ones = [await answers.toggles.one(name, question), await answers.values.one(name, question)];
      return new Set([toggles[index].enabled, flags[index].value, ...ones.map((one) => one?.enabled)]);
    };
    return { ramp: await states('ramp', 0), window: await states('window', 1) };
  };
  let before = { ramp: new Set([false]), window: new Set([false]) };
  expect(await read()).toEqual(before);
  for (const [seconds, ramp, window] of [
    [5, false, true],
    [10, true, true],
    [40, true, false],
  ] as const) {
    await clock.advance(seconds * 1000 - 1 - clock.now());
    expect(await read(), `just before second ${seconds}`).toEqual(before);
    await clock.advance(1);
    before = { ramp: new Set([ramp]), window: new Set([window]) };
    expect(await read(), `second ${seconds}`).toEqual(before);
  }
  await end();
});

test('a new status at the moment does not hide that the moment has passed', async () => {
  const { clock, world, feed, end } = begin();
  world.flag('home/f', planned({ strategies: always, activeFrom: inSeconds(5) }));
  const { head } = feed.hydration();
  clock.pass(5000);
  world.touch('FeatureFlag home/f');
  expect(eventsSince(feed, head)).toEqual([['f', true, {}]]);
  await end();
});

test('a flag that is written while no moment is planned is evaluated within half a second of its moment', async () => {
  const { clock, world, feed, end } = begin();
  await clock.advance(100);
  world.flag('home/f', planned({ strategies: always, activeFrom: inSeconds(0.2) }));
  const { head } = feed.hydration();
  await clock.advance(500);
  expect(eventsSince(feed, head)).toEqual([['f', true, {}]]);
  await end();
});

test('outside its window a flag can be switched on, and takes effect in time', () => {
  const { world, catalog, end } = begin();
  world.flag('home/f', {
    environments: { production: { enabled: false, strategies: always, activeFrom: inSeconds(5) } },
  });
  const flag = catalog.flag('f');
  if (!flag) throw new Error('there is no flag');
  const spec = enableIn(flag, { environment: 'production', flagContext: catalog.flagContextOf(flag) });
  expect(spec.environments?.['production']?.enabled).toBe(true);
  expect(catalog.effectOf({ ...flag, spec })).toMatchObject({
    enabledIn: new Set(),
    outsideWindowIn: new Set(['production']),
  });
  return end();
});
