/** The costliest objects that the API server and the budget allow: the operator answers others meanwhile. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isClientRoute } from '../../../src/http/route/client-route.ts';
import { sections } from '../../../src/http/routes/all.ts';
import { adminClient, uncheckedClient } from '../../support/admin-client.ts';
import { aChangeRequest, aFlag, anEnvironment, aProject, aSegment } from '../../support/builders.ts';
import { vexilProcess } from '../../support/command-line.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { costliestFlags, costlyConstraints } from '../../support/costliest-flags.ts';
import { createMany } from '../../support/create-many.ts';
import { expectCalm } from '../../support/expect-calm.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { largestFlags } from '../../support/largest-flags.ts';
import { startLimitedReplica } from '../../support/limited-replica.ts';
import type { Replica } from '../../support/replica.ts';
import { untilJudged } from '../../support/until-judged.ts';

const COSTLY_FLAGS = 25;
/** Of each kind of large flag. */
const LARGE_FLAGS = 2;
/** How long each request is repeated. */
const WORK_MS = 2_000;
/** A command reads and judges 13 flags of up to a megabyte. */
const MAX_COMMAND_MS = 20_000;
/** Clients that open a stream and read nothing of its first document, for which Linux keeps some MB each. */
const SILENT_STREAMS = 500;

/** Of some 300 kB each: lists of them have 60 MB and more. */
const LARGE_REQUESTS = 100;
const LARGE_SEGMENTS = 100;
const largeConstraints = Array.from({ length: 30 }, (_, index) => ({
  contextName: `field${index}`,
  operator: 'IN' as const,
  values: Array.from({ length: 250 }, (_, value) => `${value}-${'ö'.repeat(18)}`),
}));
const largeEntries = Object.fromEntries(
  ['development', 'production'].map((name) => [
    name,
    { enabled: true, strategies: { all: { name: 'default', constraints: largeConstraints } } },
  ]),
);

const user = 'a'.repeat(1_990);
/** A pattern for names that is almost too large, and a name that nearly matches everywhere. */
const naming = { pattern: '((a|b|ab){0,9}){0,9}c' };
const name = 'a'.repeat(100);
let instance: Instance;
let replica: Replica;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  instance = await startInstance('soak-costly');
  const { home, kubeconfig } = instance;
  const costliest = costliestFlags(user);
  const costly = Array.from({ length: COSTLY_FLAGS }, (_, index) =>
    aFlag(`${home}/costly-${index}`, costliest[index % 5]?.spec),
  );
  const large = Object.values(largestFlags).flatMap((spec, index) =>
    Array.from({ length: LARGE_FLAGS }, (_, copy) => aFlag(`${home}/large-${index}-${copy}`, spec)),
  );
  const segments = costlyConstraints.map((constraints, index) =>
    aSegment(`${home}/costly-${index}`, { id: index + 1, constraints }),
  );
  const everyone = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`s${index}`, { name: 'default', segments: ['costly-0', 'costly-1'] }]),
  );
  const segmented = Array.from({ length: 5 }, (_, index) =>
    aFlag(`${home}/segmented-${index}`, { environments: { production: { enabled: true, strategies: everyone } } }),
  );
  const requests = Array.from({ length: LARGE_REQUESTS }, (_, index) =>
    aChangeRequest(`${home}/asked-${index}`, 'segmented-0', { environments: largeEntries }),
  );
  const largeSegments = Array.from({ length: LARGE_SEGMENTS }, (_, index) =>
    aSegment(`${home}/large-${index}`, { id: 100 + index, constraints: largeConstraints }),
  );
  await instance.stop();
  await createMany(instance.cluster, [aProject(`${home}/named`, { flagNaming: naming }), ...segments]);
  await createMany(instance.cluster, [...requests, ...largeSegments, ...costly, ...large, ...segmented]);
  ({ replica, stop } = await startLimitedReplica({ kubeconfig, home }));
}, 240_000);
afterAll(async () => {
  await stop?.();
});

const context = { userId: user };
const shopUsers = Array.from({ length: 10 }, (_, index) => `${'a'.repeat(190)}${index}`).join(',');
const flag = '/projects/shop/features/costly-0';
const inProduction = `${flag}/environments/production`;
const segmented = '/projects/shop/features/segmented-0/environments/production';
const constraints = costlyConstraints[0];

/** Each copy doubles the constraints. */
const copies = Array.from({ length: 1_000 }, () => ({
  op: 'copy',
  from: '/constraints',
  path: '/constraints/0/values',
}));

const imported = {
  version: 1,
  features: Array.from({ length: 40 }, (_, index) => ({ name: `imported-${index}`, project: 'shop', type: 'release' })),
  featureStrategies: Array.from({ length: 40 }, (_, index) => ({
    featureName: `imported-${index}`,
    environment: 'production',
    strategyName: 'default',
    constraints,
    parameters: {},
  })),
};

/** The first one, because the work of the start would count in the requests after it. */
test('judging and recording all objects at the start does not delay /health', async () => {
  await expectCalm(replica, async () => {
    await untilJudged(replica, ['FeatureFlag', 'Segment', 'ChangeRequest']);
    await untilVersionsKept();
  });
});

/** A request, its body if it has one, and the status of the answer unless that is 200. */
test.each<readonly [what: string, request: string, body?: unknown, status?: number]>([
  ['the frontend API', `GET //api/frontend?environment=production&userId=${user}`],
  ['OFREP', 'POST //ofrep/v1/evaluate/flags', { context: { targetingKey: user.slice(0, 1_000) } }],
  ['the client API', 'GET //api/client/features?environment=production'],
  ['the delta API', 'GET //api/client/delta?environment=production'],
  ['the playground', 'POST /playground', { environment: 'production', projects: '*', context }],
  [
    'the playground for many users',
    'POST /playground/advanced?explain=true',
    { environments: ['production'], projects: '*', context: { userId: shopUsers } },
  ],
  ['an explanation', `GET ${flag}/evaluate?environment=production&userId=${user}`],
  ['the search', 'GET /search/features?query=costly&limit=100'],
  ['the search of the history', 'GET /search/events?query=costly'],
  ['the list of a project', 'GET /projects/shop/features'],
  ['an export as YAML', 'GET /state/export?format=yaml'],
  ['an export as JSON', 'GET /state/export'],
  ['a change', `PATCH ${flag}`, [{ op: 'replace', path: '/description', value: 'changed' }]],
  ['a patch that copies what it copied', `PATCH ${inProduction}/strategies/s0`, copies, 400],
  ['costly constraints', `PUT ${segmented}/strategies/s0`, { name: 'default', constraints }],
  ['a name against a naming pattern', 'POST /projects/named/features', { name }, 400],
  ['an order of strategies', `POST ${inProduction}/strategies/set-sort-order`, [{ id: 's0', sortOrder: 7 }]],
  ['a change of a segment in use', 'PUT /segments/1', { name: 'costly-0', constraints: [] }, 204],
  ['an import, on trial', 'POST /state/import?dryRun=true', imported, 202],
])('%s does not delay /health', async (_, request, body, expected = 200) => {
  const began = performance.now();
  await expectCalm(replica, async () => {
    // To check each answer of megabytes takes the processor that the replica needs.
    let call = adminClient(replica.url);
    do {
      const { status, text } = await call(`${request}`, body === undefined ? {} : { body: body as object });
      expect(status, text.slice(0, 300)).toBe(expected);
      call = uncheckedClient(replica.url);
    } while (performance.now() - began < WORK_MS);
  });
});

/** What the parts of a path stand for. */
const parts: Readonly<Record<string, string>> = {
  ...{ projectId: 'shop', featureName: 'costly-0', environment: 'production', strategyName: 'default' },
  ...{ segmentId: '1', strategyId: 's0', key: 'costly-0', type: 'simple', value: 't0', userId: '1', roleId: '1' },
  ...{ contextField: 'userId', appName: 'none', tokenName: 'none' },
};

/** Each count is enough to take seconds if all evaluated one flag in the same turn of the event loop. */
test.each<readonly [what: string, count: number, request: string, body: object | undefined]>([
  ['the frontend API', 60, `GET //api/frontend?environment=production&userId=${user}`, undefined],
  [
    'one flag of the frontend API',
    60,
    `GET //api/frontend/features/costly-0?environment=production&userId=${user}`,
    undefined,
  ],
  [
    'one flag of OFREP',
    60,
    'POST //ofrep/v1/evaluate/flags/costly-0',
    { context: { targetingKey: 'x', userId: user } },
  ],
  ['an explanation', 60, `GET ${flag}/evaluate?environment=production&userId=${user}`, undefined],
  // Each answer has 40 MB.
  ['the list of change requests', 6, 'GET /change-requests?limit=500', undefined],
  ['the list of segments', 6, 'GET /segments', undefined],
  ['an export', 6, 'GET /state/export', undefined],
  ['an export as YAML', 4, 'GET /state/export?format=yaml', undefined],
  ['a batch export', 6, 'POST /features-batch/export', { environment: 'production', features: [] }],
  ['the playground', 10, 'POST /playground', { environment: 'production', projects: '*', context }],
])(
  '%s does not delay /health for %i at once',
  async (_, count, request, body) => {
    // To check answers of megabytes takes minutes.
    const call = uncheckedClient(replica.url);
    await expectCalm(replica, async () => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => call(`${request}`, body === undefined ? {} : { body })),
      );
      for (const { status, text } of answers) expect([200, 503], text.slice(0, 300)).toContain(status);
    });
  },
  180_000,
);

test('manifests of a large flag do not delay /health for 30 at once', async () => {
  const call = uncheckedClient(replica.url);
  await expectCalm(replica, async () => {
    const asking = () => call('GET /projects/shop/features/large-1-0', { headers: { accept: 'application/yaml' } });
    for (const { status, text } of await Promise.all(Array.from({ length: 30 }, asking))) {
      expect(status, text.slice(0, 300)).toBe(200);
      expect(text).toContain('kind: FeatureFlag');
    }
  });
}, 180_000);

test('an export of a past time does not delay /health for 6 at once', async () => {
  const call = uncheckedClient(replica.url);
  const at = await untilVersionsKept();
  await expectCalm(replica, async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(`GET /state/export?at=${at}&inGap=after`)));
    // Two are answered at a time.
    for (const { status, text } of answers) expect([200, 503], text.slice(0, 300)).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
  });
}, 180_000);

test('no endpoint that reads delays /health', async () => {
  const reads = sections
    .flatMap(({ routes }) => routes)
    .filter(({ method, streams }) => method === 'get' && streams !== true && streams !== 'events')
    .map((route) => [isClientRoute(route) ? '/' : '', route.path.replace(/:(\w+)/g, (_, name) => parts[name] ?? '')]);
  expect(reads.length).toBeGreaterThan(50);
  const call = adminClient(replica.url);
  await expectCalm(replica, async () => {
    for (const [root, path] of reads) {
      const { status, text } = await call(`GET ${root}${path}?environment=production&userId=${user}`);
      expect(status, `${path}: ${text.slice(0, 300)}`).toBeLessThan(500);
    }
  });
});

test('lint and evaluate end in time, and name each flag', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-costly-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const specs = [
    ...costliestFlags(user)
      .slice(0, 5)
      .map(({ spec }) => spec),
    ...Object.values(largestFlags),
  ];
  const platform = [aProject('default/shop'), anEnvironment('default/production')];
  const manifests = [...platform, ...specs.map((spec, index) => aFlag(`default/flag-${index}`, spec))];
  for (const [index, manifest] of manifests.entries())
    await writeFile(join(folder, `${index}.json`), JSON.stringify(manifest));
  const context = ['--context', `userId=${user}`, '--env', 'production', '--output', 'json'];
  for (const args of [
    ['lint', folder],
    ['evaluate', '-f', folder, ...context],
  ]) {
    const began = performance.now();
    const { stdout, stderr } = await vexilProcess(args, { cwd: folder });
    expect(performance.now() - began, args[0]).toBeLessThan(MAX_COMMAND_MS);
    expect(stdout + stderr).toMatch(args[0] === 'lint' ? `${manifests.length} objects checked` : 'flag-12');
  }
});

test('copies of a flag and of an environment do not delay /health', async () => {
  const call = adminClient(replica.url);
  await expectCalm(replica, async () => {
    expect((await call(`POST ${flag}/clone`, { body: { name: 'copied' } })).status).toBe(201);
    const copy = { body: { name: 'copied', type: 'test' } };
    expect((await call('POST /environments/production/clone', copy)).status).toBe(200);
  });
});

test('streams whose clients read nothing do not delay /health', async () => {
  const { hostname, port } = new URL(replica.url);
  const sockets: Socket[] = [];
  const open = '/api/client/streaming?environment=production&namePrefix=large-1-0';
  await expectCalm(replica, async () => {
    for (let index = 0; index < SILENT_STREAMS; index += 1) {
      const socket = connect({ host: hostname, port: Number(port) }).pause();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(`GET ${open} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      sockets.push(socket);
    }
    const opened = () => replica.metric('vexil_sdk_hydrations_total{by="streaming"}');
    await waitUntil({ what: 'streams are open', timeoutMs: 60_000 }, async () => (await opened()) >= SILENT_STREAMS);
  });
  for (const socket of sockets) socket.destroy();
});

/** Returns a time at which the history has the flags. */
function untilVersionsKept(): Promise<string> {
  const call = uncheckedClient(replica.url);
  return waitUntil({ what: 'versions are kept', everyMs: 500 }, async () => {
    const time = new Date(Date.now() - 1_000).toISOString();
    const { status } = await call(`GET ${flag}?at=${time}&inGap=after`);
    return status === 200 && time;
  });
}
