/** Segments written with kubectl: flags wait for them, follow their changes, and are off without them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';
import { QUICK_COUNTS } from '../support/timings.ts';

const FEATURES = 'GET //api/client/features?environment=production';
const KNOWS_SEGMENTS = { 'unleash-client-spec': '5.2.0' };

let instance: Instance;
let home: string;

beforeAll(async () => {
  instance = await startInstance('segments', { settings: QUICK_COUNTS });
  home = instance.home;
});
afterAll(() => instance.stop());

const uses = (...segments: string[]) => ({
  environments: {
    production: { enabled: true, strategies: { some: { name: 'default', segments } } },
    development: { enabled: true, strategies: { all: { name: 'default' } } },
  },
});
const users = (...values: string[]) => ({
  constraints: [{ contextName: 'userId', operator: 'IN' as const, values }],
});
const shown = (...values: readonly string[]) => ({
  contextName: 'userId',
  operator: 'IN',
  values,
  inverted: false,
  caseInsensitive: false,
});

const readyOf = ({ status }: Stored) => status.conditions.find(({ type }: Stored) => type === 'Ready');

/** Resolves with the flag when its condition Ready has this reason. */
function recorded(place: string, reason: string): Promise<Stored> {
  return waitUntil({ what: `${place} is ${reason}` }, async () => {
    const flag = await instance.flag(place);
    return readyOf(flag).reason === reason && flag;
  });
}

async function sent(name: string, headers: Readonly<Record<string, string>> = KNOWS_SEGMENTS) {
  const { body } = await instance.call(FEATURES, { headers });
  const feature = body.features.find((one: Stored) => one.name === name);
  return { enabled: feature?.enabled, strategy: feature?.strategies[0], segments: body.segments };
}
const idOf = async (name: string): Promise<number> =>
  (await instance.cluster.getObject(`fseg/${name}`, home)).status.id;

test('a flag waits for its segment, follows its changes, and is off in that environment when it is deleted', async () => {
  const place = `${home}/patient`;
  await instance.apply(aFlag(place, uses('beta')));
  const path = 'spec.environments.production.strategies.some.segments';
  const message = `there is no segment "beta" for flags of the project "shop" in namespace ${home}: create it or remove this entry`;
  const waiting = await recorded(place, 'SegmentNotFound');
  expect(waiting.status.problems).toEqual([{ severity: 'Error', path, reason: 'SegmentNotFound', message }]);
  expect(waiting.status.conditions.map(({ type, status }: Stored) => `${type} ${status}`)).toEqual([
    'Ready False',
    'Reconciling True',
  ]);
  expect(waiting.status.enabledIn).toBe('development');
  expectHealthyStatus(waiting);
  expect(await sent('patient')).toEqual({ enabled: false, strategy: undefined, segments: [] });

  const input = JSON.stringify(aSegment(`${home}/beta`, users('1')));
  await instance.cluster.kubectlOrThrow(['apply', '-f', '-'], { input });
  expect((await recorded(place, 'Succeeded')).status.enabledIn).toBe('development,production');
  await instance.judged(aSegment(`${home}/beta`));
  const id = await idOf('beta');
  await expect
    .poll(() => sent('patient'))
    .toMatchObject({
      enabled: true,
      strategy: { constraints: [], segments: [id] },
      segments: [{ id, name: 'beta', constraints: [shown('1')] }],
    });
  expect(await sent('patient', {})).toMatchObject({ strategy: { constraints: [shown('1')] }, segments: undefined });

  await instance.apply(aSegment(`${home}/beta`, users('2')));
  expect((await sent('patient')).segments).toEqual([{ id, name: 'beta', constraints: [shown('2')] }]);

  await instance.cluster.kubectlOrThrow(['delete', 'fseg', 'beta', '-n', home]);
  const off = await recorded(place, 'SegmentNotFound');
  expect([off.status.enabledIn, off.metadata.generation]).toEqual(['development', waiting.metadata.generation]);
  expect(await sent('patient')).toEqual({ enabled: false, strategy: undefined, segments: [] });
});

test('a segment counts the flags that use it, and is for its namespace and project', async () => {
  const { other } = instance;
  await instance.apply(
    aProject(`${other}/web`),
    aSegment(`${home}/everybody`),
    aSegment(`${other}/near`),
    aSegment(`${other}/of-web`, { project: 'web' }),
    aFlag(`${home}/here`, uses('everybody')),
    aFlag(`${other}/there`, { project: 'pay', ...uses('everybody', 'near') }),
    aFlag(`${other}/of-web`, { project: 'web', ...uses('of-web') }),
    aFlag(`${home}/too-far`, uses('near')),
    aFlag(`${other}/too-narrow`, { project: 'pay', ...uses('of-web') }),
  );
  await recorded(`${home}/here`, 'Succeeded');
  await recorded(`${other}/there`, 'Succeeded');
  await recorded(`${other}/of-web`, 'Succeeded');
  await recorded(`${home}/too-far`, 'SegmentNotFound');
  await recorded(`${other}/too-narrow`, 'SegmentNotFound');
  const counts = async () => {
    const places = [
      ['everybody', home],
      ['near', other],
      ['of-web', other],
    ] as const;
    const found = places.map(async ([name, namespace]) => instance.cluster.getObject(`fseg/${name}`, namespace));
    return (await Promise.all(found)).map(({ status }) => status.flags);
  };
  await waitUntil({ what: 'they have counted' }, async () => `${await counts()}` === '2,1,1');
});

test('two replicas answer the same tag before and after a segment changes', async () => {
  await instance.apply(aSegment(`${home}/tagged`, users('1')), aFlag(`${home}/tagged`, uses('tagged')));
  await recorded(`${home}/tagged`, 'Succeeded');
  const replica = await startOperator(instance.cluster, home, { watched: [instance.other], settings: QUICK_COUNTS });
  const tagOf = async (call: Instance['call']) =>
    (await call(FEATURES, { headers: KNOWS_SEGMENTS })).headers.get('etag') ?? '';
  const before = await tagOf(instance.call);
  const there = adminClient(replica.url);
  expect(await tagOf(there)).toBe(before);
  await instance.apply(aSegment(`${home}/tagged`, users('1', '2')));
  const after = await tagOf(instance.call);
  expect(after).not.toBe(before);
  await waitUntil({ what: 'the other replica has the same tag' }, async () => (await tagOf(there)) === after);
  await replica.stop();
});
