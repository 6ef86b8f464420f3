/** The edge in front of a real Unleash: the same flags for the same users, each switch, and usage that counts once. */
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../support/running-edge.ts';
import { endSdk, nextEvent, startSdk, untilSdk } from '../support/sdk-world.ts';
import { fillTypes } from '../support/unleash-fixture.ts';
import { startUnleash, UNLEASH_VERSIONS, type UnleashServer } from '../support/unleash-server.ts';

const USERS = 300;
const ENVIRONMENT = 'production';
const PROJECT = '/projects/default/features';

interface Flag {
  readonly strategies: readonly object[];
  readonly variants?: readonly object[];
}

const everyone = { name: 'default', parameters: {}, constraints: [] };
const rollout = (percent: number) => ({
  name: 'flexibleRollout',
  parameters: { rollout: `${percent}`, stickiness: 'userId', groupId: 'group' },
  constraints: [],
});
const variant = (name: string, weight: number) => ({
  ...{ name, weight, weightType: 'variable', stickiness: 'default' },
  payload: { type: 'string', value: `of ${name}` },
});

const flagsWith = (segment: number): Readonly<Record<string, Flag>> => ({
  plain: { strategies: [everyone] },
  half: { strategies: [rollout(50)] },
  'for-some': {
    strategies: [
      { ...everyone, constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['1', '2', '3'] }] },
    ],
  },
  'for-a-segment': { strategies: [{ ...rollout(80), segments: [segment] }] },
  'by-name': { strategies: [{ ...everyone, name: 'userWithId', parameters: { userIds: 'user-7, user-8' } }] },
  varied: { strategies: [everyone], variants: [variant('red', 500), variant('blue', 500)] },
});

/** Version 4.19 has no segments. */
const versions = UNLEASH_VERSIONS.filter((version) => !version.startsWith('4.'));

describe.each(versions)('Unleash %s', (version) => {
  let unleash: UnleashServer;
  let edge: RunningEdge;
  let token: string;
  const sdks: Unleash[] = [];

  beforeAll(async () => {
    unleash = await startUnleash(version);
    token = unleash.clientTokens[ENVIRONMENT];
    await fillTypes(unleash);
    const constraints = [{ contextName: 'userId', operator: 'STR_CONTAINS', values: ['4', '5'] }];
    const segment = (await unleash.admin('POST', '/segments', { name: 'some', constraints })) as { id: number };
    for (const [name, flag] of Object.entries(flagsWith(segment.id))) await create(name, flag);
    edge = await startEdge({ UPSTREAM_URL: unleash.url, TOKENS: token, METRICS_INTERVAL_SECONDS: '1' });
  });
  afterAll(async () => {
    for (const sdk of sdks) endSdk(sdk);
    await edge?.stop();
    await unleash?.stop();
  });

  async function create(name: string, { strategies, variants }: Flag): Promise<void> {
    await unleash.admin('POST', PROJECT, { name, type: 'release' });
    const place = `${PROJECT}/${name}/environments/${ENVIRONMENT}`;
    for (const strategy of strategies) await unleash.admin('POST', `${place}/strategies`, strategy);
    if (variants) await unleash.admin('PUT', `${place}/variants`, variants);
    await unleash.admin('POST', `${place}/on`);
  }

  async function startOne(url: string, options: object = {}): Promise<Unleash> {
    const sdk = startSdk(url, { token, ...options });
    sdks.push(sdk);
    await nextEvent(sdk, 'synchronized');
    return sdk;
  }

  const tableOf = (sdk: Unleash) =>
    Object.keys(flagsWith(0)).flatMap((flag) =>
      Array.from({ length: USERS }, (_, number) => {
        const context = { userId: `user-${number}` };
        const { name, payload } = sdk.getVariant(flag, context);
        return `${flag} ${context.userId}: ${sdk.isEnabled(flag, context)}, ${name} ${payload?.value ?? ''}`;
      }),
    );

  test('an SDK behind the edge has what an SDK at Unleash has', async () => {
    const [straight, behind] = [await startOne(unleash.url), await startOne(edge.url)];
    const table = tableOf(straight);
    expect(tableOf(behind)).toEqual(table);
    const halves = table.filter((line) => line.startsWith('half') && line.includes('true'));
    expect(halves.length).toBeGreaterThan(USERS / 3);
    expect(halves.length).toBeLessThan((USERS * 2) / 3);
  });

  test('a switch arrives', async () => {
    const sdk = await startOne(edge.url);
    expect(sdk.isEnabled('plain')).toBe(true);
    await unleash.admin('POST', `${PROJECT}/plain/environments/${ENVIRONMENT}/off`);
    await untilSdk('the flag is off', () => !sdk.isEnabled('plain', {}, true));
    await unleash.admin('POST', `${PROJECT}/plain/environments/${ENVIRONMENT}/on`);
    await untilSdk('the flag is on', () => sdk.isEnabled('plain', {}, false));
  });

  test('usage counts once, and names the application', async () => {
    const appName = 'behind-the-edge';
    const sdk = await startOne(edge.url, { appName, disableMetrics: false });
    for (let count = 0; count < 40; count += 1) sdk.isEnabled('half', { userId: `user-${count}` });
    const counted = async () => {
      const { data } = (await unleash.admin('GET', '/client-metrics/features/half/raw')) as {
        data: readonly { appName: string; environment: string; yes: number; no: number }[];
      };
      return data
        .filter((one) => one.appName === appName && one.environment === ENVIRONMENT)
        .reduce((sum, { yes, no }) => sum + yes + no, 0);
    };
    await waitUntil(
      { what: 'Unleash has counted', timeoutMs: 60_000, everyMs: 200 },
      async () => (await counted()) > 0,
    );
    expect(await counted()).toBe(40);
    // A later use arrives after everything that was sent before.
    sdk.isEnabled('half', { userId: 'one-more' });
    await waitUntil({ what: 'the later use is counted', timeoutMs: 60_000, everyMs: 200 }, async () => {
      return (await counted()) > 40;
    });
    expect(await counted()).toBe(41);
    // Unleash stores applications later than counts.
    await waitUntil({ what: 'Unleash has the application', timeoutMs: 60_000, everyMs: 200 }, () =>
      unleash.admin('GET', `/metrics/applications/${appName}`).catch(() => undefined),
    );
  });

  test('usage of an application that does not say its instance and version counts, as of a browser', async () => {
    const report = await fetch(`${edge.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ appName: 'nameless', bucket: { toggles: { 'by-name': { yes: 5, no: 2 } } } }),
    });
    expect(report.status).toBe(202);
    await waitUntil({ what: 'Unleash has counted', timeoutMs: 60_000, everyMs: 200 }, async () => {
      const { data } = (await unleash.admin('GET', '/client-metrics/features/by-name/raw')) as {
        data: readonly { appName: string; yes: number; no: number }[];
      };
      return data.some(({ appName, yes, no }) => appName === 'nameless' && yes === 5 && no === 2);
    });
  });
});
