/**
 * A real Unleash Edge, unmodified, in front of Vexil: the same flags for the same users, each switch, and usage.
 * Skipped unless VEXIL_BENCH_EDGE names its binary.
 */
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aSegment, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { endSdk, nextEvent, startSdk, tokenValue, untilSdk } from '../support/sdk-world.ts';
import type { Stored } from '../support/stored.ts';
import { startUnleashEdge, type UnleashEdge } from '../support/unleash-edge.ts';

const BINARY = process.env['VEXIL_BENCH_EDGE'];
const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const APPLICATION = 'behind-unleash-edge';
const USERS = Array.from({ length: 300 }, (_, number) => ({ userId: `user-${number}` }));

const everyone = { all: { name: 'default' } };
const variants = ['red', 'blue'].map((name) => ({
  name,
  weight: 500,
  payload: { type: 'string', value: `of ${name}` },
}));
const rollout = (percent: number, more: object = {}) => ({
  share: {
    name: 'flexibleRollout',
    parameters: { rollout: `${percent}`, stickiness: 'userId', groupId: 'g' },
    ...more,
  },
});
const named = { constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['1', '2'] }] };

const FLAGS: Readonly<Record<string, object>> = {
  plain: { strategies: everyone },
  half: { strategies: rollout(50) },
  some: { strategies: { all: { name: 'default', ...named } } },
  segmented: { strategies: rollout(80, { segments: ['few'] }) },
  'by-name': { strategies: { ids: { name: 'userWithId', parameters: { userIds: 'user-7, user-8' } } } },
  varied: { strategies: everyone, variants },
  'varied-share': { strategies: rollout(60, { variants }) },
  'off-switch': { enabled: false, strategies: everyone },
};
const NAMES = [...Object.keys(FLAGS), 'child'];

describe.skipIf(BINARY === undefined)('Unleash Edge', () => {
  let instance: Instance;
  let edge: UnleashEdge;
  let token: string;
  let frontendToken: string;
  const sdks: Unleash[] = [];

  const flagOf = (name: string, place: object, more: object = {}): Manifest =>
    aFlag(`${instance.home}/${name}`, { ...more, environments: { production: { enabled: true, ...place } } });

  beforeAll(async () => {
    const usage = { VEXIL_USAGE_FLUSH_INTERVAL: '200ms', VEXIL_USAGE_REFRESH: '200ms' };
    instance = await startInstance('unleash-edge', {
      settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, ...usage },
    });
    const constraints = [{ contextName: 'userId', operator: 'STR_CONTAINS' as const, values: ['4', '5'] }];
    const flags = Object.entries(FLAGS).map(([name, place]) => flagOf(name, place));
    const child = flagOf('child', { strategies: everyone }, { dependencies: [{ feature: 'half' }] });
    await instance.apply(aSegment(`${instance.home}/few`, { constraints }), ...flags, child);
    await instance.judged(...flags, child);
    token = await tokenValue(instance, 'backend', { environment: 'production' });
    frontendToken = await tokenValue(instance, 'browser', { type: 'frontend', environment: 'production' });
    edge = await startUnleashEdge({
      binary: BINARY ?? '',
      upstreamUrl: instance.url,
      tokens: [token, frontendToken],
      more: ['--metrics-interval-seconds', '1'],
    });
    await waitUntil({ what: 'Unleash Edge has the flags', timeoutMs: 60_000, everyMs: 100 }, () =>
      fetch(`${edge.url}/api/client/features`, { headers: { authorization: token } }).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }, 120_000);
  afterAll(async () => {
    for (const sdk of sdks) endSdk(sdk);
    await edge?.stop();
    await instance?.stop();
  });

  async function startOne(url: string, options: object = {}): Promise<Unleash> {
    const sdk = startSdk(url, { token, ...options });
    sdks.push(sdk);
    await nextEvent(sdk, 'synchronized');
    return sdk;
  }

  const tableOf = (sdk: Unleash) =>
    NAMES.flatMap((name) =>
      USERS.map((user) => {
        const { name: variant, payload } = sdk.getVariant(name, user);
        return `${name} ${user.userId}: ${sdk.isEnabled(name, user)}, ${variant} ${payload?.value ?? ''}`;
      }),
    );

  test('an SDK behind it has what an SDK at Vexil has', async () => {
    const table = tableOf(await startOne(instance.url));
    expect(tableOf(await startOne(edge.url))).toEqual(table);
    for (const name of ['half', 'segmented', 'varied-share', 'child']) {
      const on = table.filter((line) => line.startsWith(`${name} `) && line.includes(': true'));
      expect(on.length, name).toBeGreaterThan(20);
      expect(on.length, name).toBeLessThan(280);
    }
  });

  test('a browser behind it has what a browser at Vexil has', async () => {
    const ask = async (url: string, userId: string) => {
      const answer = await fetch(`${url}/api/frontend?userId=${userId}`, { headers: { authorization: frontendToken } });
      const { toggles } = (await answer.json()) as Stored;
      return toggles
        .map(({ name, variant }: Stored) => `${name} ${variant.name} ${variant.payload?.value ?? ''}`)
        .toSorted();
    };
    for (const { userId } of USERS.slice(0, 60)) {
      expect(await ask(edge.url, userId), userId).toEqual(await ask(instance.url, userId));
    }
  });

  test('a switch and a new flag arrive', async () => {
    const sdk = await startOne(edge.url);
    await instance.apply(
      flagOf('plain', { enabled: false, strategies: everyone }),
      flagOf('later', { strategies: everyone }),
    );
    await untilSdk('the switch has arrived', () => !sdk.isEnabled('plain', {}, true));
    await untilSdk('the flag has arrived', () => sdk.isEnabled('later'));
  });

  test('usage counts once, and names the application', async () => {
    const sdk = await startOne(edge.url, { appName: APPLICATION, disableMetrics: false });
    for (const user of USERS.slice(0, 40)) sdk.isEnabled('half', user);
    const read = async (path: string): Promise<Stored> => {
      const headers = { authorization: ADMIN_TOKEN };
      return (await fetch(`${instance.url}/api/admin${path}`, { headers })).json();
    };
    const counted = async () => {
      const { data } = await read('/client-metrics/features/half/raw');
      return data
        .filter(({ appName }: Stored) => appName === APPLICATION)
        .reduce((sum: number, { yes, no }: Stored) => sum + yes + no, 0);
    };
    await waitUntil({ what: 'usage has arrived', timeoutMs: 60_000, everyMs: 200 }, async () => (await counted()) > 0);
    expect(await counted()).toBe(40);
    sdk.isEnabled('half', { userId: 'one-more' });
    await waitUntil(
      { what: 'a later use has arrived', timeoutMs: 60_000, everyMs: 200 },
      async () => (await counted()) > 40,
    );
    expect(await counted()).toBe(41);
    const { applications } = await read(`/metrics/applications?query=${APPLICATION}`);
    expect(applications.map(({ appName }: Stored) => appName)).toEqual([APPLICATION]);
  });
});
