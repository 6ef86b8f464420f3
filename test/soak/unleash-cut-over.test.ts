/** The seven steps of docs/from-unleash.md, walked from a real Unleash in their order. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, type Call } from '../support/admin-client.ts';
import { vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RunningEdge, startEdge } from '../support/running-edge.ts';
import { endSdk, nextEvent, startSdk, untilSdk } from '../support/sdk-world.ts';
import type { Stored } from '../support/stored.ts';
import { fillUnleash } from '../support/unleash-fixture.ts';
import {
  applyImported,
  compareServers,
  eventsOf,
  type ImportReport,
  importServer,
  isAnnounced,
} from '../support/unleash-move.ts';
import { startUnleash, type UnleashServer } from '../support/unleash-server.ts';

const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const PLACE = 'production';
const APPLICATION = 'checkout';
/** A flag of the test's own, which changes during the move. */
const FLAG = 'moving';
const ON = `/projects/default/features/${FLAG}/environments/${PLACE}`;
const USERS = Array.from({ length: 200 }, (_, number) => ({ userId: `user-${number}` }));

let folder: string;
let old: UnleashServer;
let instance: Instance;
let api: Call;
let report: ImportReport;
const sdks: Unleash[] = [];
const edges: RunningEdge[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-cut-over-'));
  old = await startUnleash('6.10.1');
  expect(await fillUnleash(old)).toEqual([]);
  await old.admin('POST', '/projects/default/features', { name: FLAG, type: 'release' });
  const parameters = { rollout: '50', stickiness: 'userId', groupId: FLAG };
  await old.admin('POST', `${ON}/strategies`, { name: 'flexibleRollout', parameters, constraints: [] });
  await old.admin('POST', `${ON}/on`);
  const usage = { VEXIL_USAGE_FLUSH_INTERVAL: '200ms', VEXIL_USAGE_REFRESH: '200ms' };
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, ...usage };
  instance = await startInstance('cut-over', { settings });
  api = adminClient(instance.url, { authorization: ADMIN_TOKEN });
}, 300_000);
afterAll(async () => {
  for (const sdk of sdks) endSdk(sdk);
  for (const edge of edges) await edge.stop();
  await instance?.stop();
  await old?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** An application with the token that it always had. */
async function application(url: string, options: object = {}): Promise<Unleash> {
  const sdk = startSdk(url, { token: old.clientTokens[PLACE], appName: APPLICATION, ...options });
  sdks.push(sdk);
  await nextEvent(sdk, 'synchronized');
  return sdk;
}

/** Who gets the flag. */
const usersOf = (sdk: Unleash) => USERS.filter((user) => sdk.isEnabled(FLAG, user)).map(({ userId }) => userId);

const edgeOf = async (...upstreams: readonly string[]): Promise<RunningEdge> => {
  const settings = { UPSTREAM_URL: upstreams.join(','), TOKENS: old.clientTokens[PLACE] };
  const edge = await startEdge({ ...settings, METRICS_INTERVAL_SECONDS: '1' });
  edges.push(edge);
  return edge;
};

async function differing(): Promise<readonly string[]> {
  // Its frontend API hashes ids outside ASCII unlike its SDKs (docs/from-unleash.md).
  const compared = await compareServers({ old, instance, folder }, Object.values(old.clientTokens));
  expect(compared.flags).toBeGreaterThan(225);
  return compared.differing.filter((flag) => !isAnnounced(report.unmapped, flag));
}

let halfOfUsers: readonly string[];

test('1. import: the manifests pass lint, and Unleash is only read', async () => {
  const before = await eventsOf(old);
  report = await importServer({ old, instance, folder }, 'flags');
  expect(report.written.length).toBeGreaterThan(230);
  const { code, stdout } = await vexil(['lint', join(folder, 'flags')]);
  expect(code, stdout).toBe(0);
  expect(await eventsOf(old)).toBe(before);
});

test('2. apply: all objects are in effect', async () => {
  await applyImported({ old, instance, folder }, 'flags');
});

test('3. compare: no flag differs that the import has not named', async () => {
  expect(await differing()).toEqual([]);
});

test('4. try one application: an edge in front of both, first Unleash, then Vexil', async () => {
  halfOfUsers = usersOf(await application(old.url));
  expect(halfOfUsers.length).toBeGreaterThan(50);
  expect(halfOfUsers.length).toBeLessThan(150);
  for (const upstreams of [
    [old.url, instance.url],
    [instance.url, old.url],
  ]) {
    const edge = await edgeOf(...upstreams);
    expect(usersOf(await application(edge.url)), upstreams[0]).toEqual(halfOfUsers);
  }
});

test('5. switch the address: the same users, usage arrives, and the stale report says since when it looks', async () => {
  const sdk = await application(instance.url, { disableMetrics: false });
  expect(usersOf(sdk)).toEqual(halfOfUsers);
  const seen = await waitUntil({ what: 'the application has arrived', everyMs: 100 }, async () => {
    const { body } = await api(`GET /metrics/applications?query=${APPLICATION}`);
    return body.applications.find(({ appName }: Stored) => appName === APPLICATION);
  });
  expect(seen.environments ?? seen.usage).toBeDefined();
  await waitUntil({ what: 'its usage has arrived', everyMs: 100 }, async () => {
    const { body } = await api(`GET /client-metrics/features/${FLAG}`);
    return body.lastHourUsage?.some(({ environment, yes }: Stored) => environment === PLACE && yes > 0);
  });
  const measuredSince = await waitUntil(
    { what: 'the stale report looks', everyMs: 200 },
    async () => (await api('GET /reports/stale')).body.measuredSince,
  );
  expect(Date.now() - Date.parse(measuredSince)).toBeLessThan(3_600_000);
});

test('6. freeze: nobody can write to Unleash, and the last changes there come along', async () => {
  await old.admin('POST', '/user-admin', { email: 'ed@example.com', name: 'Ed', rootRole: 2, sendEmail: false });
  await old.admin('POST', `${ON}/off`);
  const { users } = (await old.admin('GET', '/user-admin')) as { readonly users: readonly Stored[] };
  for (const { id, name, email, username, rootRole } of users) {
    if (rootRole === 2) await old.admin('PUT', `/user-admin/${id}`, { name, email, username, rootRole: 3 });
  }
  const after = (await old.admin('GET', '/user-admin')) as { readonly users: readonly Stored[] };
  expect(after.users.filter(({ rootRole }) => rootRole === 2)).toEqual([]);
  report = await importServer({ old, instance, folder }, 'flags', ['--overwrite']);
  expect(report.written).toContainEqual(expect.stringContaining(`/${FLAG}.yaml`));
  await applyImported({ old, instance, folder }, 'flags');
  expect(await differing()).toEqual([]);
  const sdk = await application(instance.url);
  await untilSdk('the flag is off', () => usersOf(sdk).length === 0);
});

test('7. roll back: the old address serves as before, and what changed in Vexil is in its history', async () => {
  const switched = await api(`POST ${ON}/on?force=true&reason=after+the+move`);
  expect(switched.status, switched.text).toBe(200);
  const moved = await application(instance.url);
  expect(usersOf(moved)).toEqual(halfOfUsers);
  expect(usersOf(await application(old.url))).toEqual([]);
  const edge = await edgeOf(old.url, instance.url);
  expect(usersOf(await application(edge.url))).toEqual([]);
  const events = await waitUntil({ what: 'the change is in the history', everyMs: 100 }, async () => {
    const { body } = await api(`GET /search/events?feature=IS:${FLAG}&type=IS:feature-environment-enabled`);
    return body.events.length > 0 && body.events;
  });
  expect(events[0]).toMatchObject({ featureName: FLAG, environment: PLACE });
});
