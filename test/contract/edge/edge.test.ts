/** The edge in front of an operator: applications get there what they get at the operator, also while it is away. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Unleash } from 'unleash-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../../support/admin-client.ts';
import { aFlag, aSegment } from '../../support/builders.ts';
import { PROGRAM, vexilProcess } from '../../support/command-line.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { startEdgeProgram } from '../../support/edge-program.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { longEnough } from '../../support/long-enough.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { endSdk, nextEvent, startSdk, tokenValue, untilSdk } from '../../support/sdk-world.ts';
import { usageFile } from '../../support/stored-usage.ts';

const ADMIN = 'the-bootstrap-token';
const on = { enabled: true, strategies: { all: { name: 'default' } } };
let instance: Instance;
let token: string;
let frontendToken: string;
let edge: RunningEdge;
let file: Awaited<ReturnType<typeof usageFile>>;
const running: Unleash[] = [];

beforeAll(async () => {
  file = await usageFile();
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN, ...file.settings };
  instance = await startInstance('edge', { settings });
  token = await tokenValue(instance, 'backend');
  frontendToken = await tokenValue(instance, 'browser', { type: 'frontend' });
  edge = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: token, METRICS_INTERVAL_SECONDS: '1' });
});
afterEach(() => {
  for (const sdk of running.splice(0)) endSdk(sdk);
});
afterAll(async () => {
  await edge.stop();
  await instance.stop();
  await file.remove();
});

const apply = (name: string, spec: object) => instance.apply(aFlag(`${instance.home}/${name}`, spec));

async function get(url: string, path: string, authorization: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization, 'unleash-client-spec': '5.2.0' } });
}

async function featuresAt(url: string, authorization = token) {
  const answer = await get(url, '/api/client/features', authorization);
  expect(answer.status).toBe(200);
  const { features, segments } = (await answer.json()) as { features: { name: string }[]; segments: unknown };
  return { features: features.toSorted((a, b) => (a.name < b.name ? -1 : 1)), segments };
}

async function untilSame(): Promise<void> {
  await waitUntil({ what: 'the edge has what the operator has', everyMs: 10 }, async () => {
    const [here, there] = await Promise.all([featuresAt(edge.url), featuresAt(instance.url)]);
    return JSON.stringify(here) === JSON.stringify(there);
  });
}

test('has the flags and segments of the operator, and each change of them', async () => {
  await instance.apply(
    aSegment(`${instance.home}/staff`, {
      constraints: [{ contextName: 'team', operator: 'IN', values: ['staff'] }],
    }),
  );
  await apply('plain', { environments: { production: on } });
  await apply('for-staff', {
    environments: { production: { enabled: true, strategies: { staff: { name: 'default', segments: ['staff'] } } } },
  });
  await untilSame();
  expect((await featuresAt(edge.url)).features.map(({ name }) => name)).toEqual(['for-staff', 'plain']);
  await instance.apply(
    aSegment(`${instance.home}/staff`, {
      constraints: [{ contextName: 'team', operator: 'IN', values: ['staff', 'friends'] }],
    }),
  );
  await apply('plain', { archived: true, environments: { production: on } });
  await waitUntil({ what: 'the archived flag is gone', everyMs: 10 }, async () => {
    const { features, segments } = await featuresAt(edge.url);
    return features.length === 1 && JSON.stringify(segments).includes('friends');
  });
  await untilSame();
});

test.each([['polling'], ['streaming']] as const)('an SDK that uses %s sees a change', async (type) => {
  await apply('switched', { environments: { production: on } });
  await untilSame();
  const sdk = startSdk(edge.url, { token, experimentalMode: { type } as never });
  running.push(sdk);
  await nextEvent(sdk, 'synchronized');
  expect(sdk.isEnabled('switched')).toBe(true);
  await apply('switched', { environments: { production: { ...on, enabled: false } } });
  await untilSdk('the flag is off', () => !sdk.isEnabled('switched', {}, true));
});

test('evaluates for browsers and OpenFeature as the operator does', async () => {
  await apply('half', {
    environments: {
      production: { enabled: true, strategies: { half: { name: 'flexibleRollout', parameters: { rollout: 50 } } } },
    },
  });
  await untilSame();
  for (const user of ['1', '2', '3', '4', '5', '6']) {
    const path = `/api/frontend/all?userId=${user}`;
    const [here, there] = await Promise.all([
      get(edge.url, path, frontendToken).then((answer) => answer.json()),
      get(instance.url, path, frontendToken).then((answer) => answer.json()),
    ]);
    expect(here).toEqual(there);
  }
  const asked = (url: string) =>
    fetch(`${url}/ofrep/v1/evaluate/flags/half`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: '{"context":{"targetingKey":"1"}}',
    }).then((answer) => answer.json());
  expect(await asked(edge.url)).toEqual(await asked(instance.url));
});

test('refuses what the operator refuses: wrong tokens, and tokens of other types', async () => {
  const statuses = await Promise.all([
    get(edge.url, '/api/client/features', '*:production.wrongwrongwrong').then(({ status }) => status),
    get(edge.url, '/api/client/features', frontendToken).then(({ status }) => status),
    get(edge.url, '/api/frontend', token).then(({ status }) => status),
  ]);
  expect(statuses).toEqual([401, 403, 403]);
});

test('the operator names the edges through which applications report, and flags were last seen', async () => {
  const common = { TOKENS: token, METRICS_INTERVAL_SECONDS: '1' };
  const hub = await startEdge({ ...common, UPSTREAM_URL: instance.url, INSTANCE_ID: 'hub' });
  const site = await startEdge({ ...common, UPSTREAM_URL: hub.url, INSTANCE_ID: 'site' });
  running.push(startSdk(site.url, { token, appName: 'behind-edges', disableMetrics: false }));
  const call = adminClient(instance.url, { authorization: ADMIN });
  const edges = async () => {
    const { body } = await call('GET /metrics/applications/behind-edges');
    return (body.edges ?? []) as { instanceId: string; environment: string }[];
  };
  await waitUntil({ what: 'both edges are named' }, async () => (await edges()).length > 0);
  const place = { appName: 'vexil-edge', environment: 'production', lastSeen: expect.any(String) };
  expect(await edges()).toEqual(['hub', 'site'].map((instanceId) => ({ ...place, instanceId })));

  await apply('seen', { environments: { production: on } });
  const lastSeen = async () => {
    const { body } = await call('GET /projects/shop/features/seen');
    const places = (body.environments ?? []) as { name: string; lastSeenAt: string | null; lastSeenThrough?: object }[];
    return places.find(({ name }) => name === 'production');
  };
  const report = (url: string) =>
    fetch(`${url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ appName: 'till', bucket: { toggles: { seen: { yes: 1 } } } }),
    });
  await waitUntil({ what: 'the operator has the flag' }, async () => (await lastSeen()) !== undefined);
  expect((await report(site.url)).status).toBe(202);
  await waitUntil({ what: 'the flag is seen' }, async () => (await lastSeen())?.lastSeenAt !== null);
  expect((await lastSeen())?.lastSeenThrough).toEqual({ appName: 'vexil-edge', instanceId: 'site' });
  expect((await report(instance.url)).status).toBe(202);
  expect(await lastSeen()).not.toHaveProperty('lastSeenThrough');
  await site.stop();
  await hub.stop();
});

test('a token for one project sees only its flags', async () => {
  const shop = await tokenValue(instance, 'shop-only', { projects: ['shop'] });
  await apply('of-shop', { project: 'shop', environments: { production: on } });
  await instance.apply(aFlag(`${instance.other}/of-pay`, { project: 'pay', environments: { production: on } }));
  await untilSame();
  const names = async (authorization: string) =>
    (await featuresAt(edge.url, authorization)).features.map(({ name }) => name);
  expect(await names(shop)).toContain('of-shop');
  expect(await names(shop)).not.toContain('of-pay');
  expect(await names(token)).toContain('of-pay');
  expect(await featuresAt(edge.url, shop)).toEqual(await featuresAt(instance.url, shop));
});

test('a token that is deleted at the operator stops working at the edge, and others go on', async () => {
  const statusAt = async (url: string, authorization: string) =>
    (await get(url, '/api/client/features', authorization)).status;
  const short = await tokenValue(instance, 'short-lived', { projects: ['shop'] });
  expect(await statusAt(edge.url, short)).toBe(200);
  const alone = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: short });
  expect(await statusAt(alone.url, short)).toBe(200);
  await instance.cluster.deleteObject('apitoken/short-lived', instance.home);
  await waitUntil({ what: 'the token is refused', everyMs: 20 }, async () => {
    return (await statusAt(alone.url, short)) === 401;
  });
  expect(await statusAt(edge.url, token)).toBe(200);
  await alone.stop();
});

test('usage that is reported to an edge behind an edge arrives at the operator once, also when the edge stops', async () => {
  await apply('used', { environments: { production: on } });
  await untilSame();
  const stopping = await startEdge({ UPSTREAM_URL: edge.url, TOKENS: token, METRICS_INTERVAL_SECONDS: '600' });
  const toggles = { used: { yes: 3, no: 1, variants: {} } };
  const bucket = { start: new Date(), stop: new Date(), toggles };
  const reported = await fetch(`${stopping.url}/api/client/metrics`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ appName: 'far-away', instanceId: 'a', bucket }),
  });
  expect(reported.status).toBe(202);
  await stopping.stop();
  const call = adminClient(instance.url, { authorization: ADMIN });
  await waitUntil({ what: 'the operator has counted it', everyMs: 50 }, async () => {
    const { body } = await call('GET /client-metrics/features/used/raw');
    // There is a row for each hour, also without reports.
    const stored = body.data.filter(({ yes, no }: { yes: number; no: number }) => yes + no > 0);
    return stored.length === 1 && stored[0].appName === 'far-away' && `${stored[0].yes} ${stored[0].no}` === '3 1';
  });
});

test('queries by tag are answered, and only edges get the member', async () => {
  await apply('tagged', { tags: ['simple:red'], environments: { production: on } });
  await untilSame();
  const answer = await get(edge.url, '/api/client/features?tag=simple:red', token);
  const { features } = (await answer.json()) as { readonly features: readonly { readonly name: string }[] };
  expect(features.map(({ name }) => name)).toEqual(['tagged']);
  expect(await (await get(instance.url, '/api/client/features', token)).text()).not.toContain('vexil');
});

test('both programs say that a port is taken, and end', async () => {
  const { hostname, port } = new URL(instance.url);
  const settings = { UPSTREAM_URL: instance.url, TOKENS: token, PORT: port, INTERFACE: hostname };
  await expect(startEdgeProgram(settings)).rejects.toThrow(
    /ended with 2: [\s\S]*\nvexil-edge cannot start: .*EADDRINUSE/,
  );
  const { code, stderr } = await vexilProcess(['edge'], { environment: settings });
  expect([code, stderr]).toEqual([64, expect.stringMatching(/^vexil: the edge cannot start: .*EADDRINUSE[^\n]*\n$/)]);
});

test('the image has the names edge and unleash-edge, which the chart of Unleash Edge runs', async () => {
  const run = promisify(execFile);
  const options = { cwd: dirname(PROGRAM), env: { EDGE_URL: edge.url } };
  for (const name of ['edge', 'unleash-edge'])
    expect((await run(process.execPath, [name, 'ready'], options)).stdout).toBe('OK\n');
  const gone = run(process.execPath, ['edge', 'health', '-e', 'http://127.0.0.1:1'], options);
  await expect(gone).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be reached') });
});

test('a window closes and another opens in time while the operator is away, behind a second edge too', async () => {
  const second = await startEdge({ UPSTREAM_URL: edge.url, TOKENS: token });
  const answered = async () =>
    (await (await get(second.url, '/api/client/features', token)).json()) as {
      readonly features?: readonly { readonly name: string; readonly enabled: boolean }[];
    };
  const states = async () => {
    const windows = ((await answered()).features ?? []).filter(({ name }) => /^(closing|opening)$/.test(name));
    return windows.map(({ name, enabled }) => `${name} ${enabled}`).toSorted();
  };
  const untilStates = (what: string, closing: boolean, opening: boolean) =>
    waitUntil({ what, everyMs: 20 }, async () => `${await states()}` === `closing ${closing},opening ${opening}`);
  const window = (bound: object) => ({ environments: { production: { ...on, ...bound } } });
  const planFor = async (moment: number) => {
    const at = new Date(moment).toISOString();
    await instance.apply(
      aFlag(`${instance.home}/closing`, window({ activeUntil: at })),
      aFlag(`${instance.home}/opening`, window({ activeFrom: at })),
    );
  };
  await planFor(Date.now() + 3_600_000);
  await untilStates('both edges have the flags', true, false);
  // The flag comes after the plan: an edge that has it also has the plan.
  const soon = await longEnough(async (ms) => {
    const moment = Date.now() + ms;
    await planFor(moment);
    await apply(`after-${ms}`, { environments: { production: on } });
    await waitUntil({ what: 'the second edge has the plan', everyMs: 20 }, async () =>
      ((await answered()).features ?? []).some(({ name }) => name === `after-${ms}`),
    );
    // The operator needs time to stop.
    return Date.now() < moment - ms / 2 ? moment : undefined;
  });
  await instance.stop();
  await edge.stop();
  await untilStates('the time has come', false, true);
  expect(Date.now()).toBeGreaterThanOrEqual(soon);
  expect(JSON.stringify(await answered())).not.toContain('vexil');
  await second.stop();
});
