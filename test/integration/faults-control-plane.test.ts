/** The rows of the failure table about the API server itself: killed, paused, its history compacted. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import {
  type BehindProxy,
  readFlags,
  startBehindProxy,
  untilConverged,
} from '../support/fault-proxy/operator-behind-proxy.ts';
import { on, requestsFor } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';

const home = 'vexil-system';
let plane: ControlPlane;
let kubeconfig: string;
let flags: FlagsDirectly;
let operator: BehindProxy;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', home]);
  kubeconfig = await grantOperatorRoles(plane, home, []);
  flags = flagsDirectly(plane.kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
});

beforeEach(async () => {
  for (const name of ['kept', 'busy', 'doomed']) {
    await flags.apply('FeatureFlag', name, { project: 'shop', description: 'before' });
  }
  operator = await startBehindProxy({ plane, kubeconfig, home });
  await operator.ready();
  await untilConverged(operator, flags);
});

afterEach(({ task }) => operator.stop(task.name));

afterAll(async () => {
  flags?.close();
  await plane?.stop();
});

/** A server that is ready still reads each kind from its store before it answers for it. */
async function startAgain(): Promise<void> {
  await plane.startApiServer();
  const answers = () => flags.list().then(Boolean, () => false);
  await waitUntil({ what: 'flags are served' }, answers);
}

async function changeTheWorld(description: string): Promise<void> {
  await flags.patch('busy', { description });
  await flags.apply('FeatureFlag', description, { project: 'shop', description: 'born' });
  await flags.delete('featureflags', 'doomed');
}

/**
 * A restarted API server knows no version from before its start, so one new list a kind is its right, of each of its two
 * readers: the cache and the history.
 */
function expectNoRelistStorm(): void {
  for (const plural of ['featureflags', 'projects', 'environments']) {
    const lists = requestsFor(operator.proxy.reached, plural, 'list', 'watch-list');
    expect(lists.length).toBeLessThanOrEqual(4);
  }
}

const failures = () =>
  operator.metric(`vexil_watch_failures_total{kind="FeatureFlag",namespace="${home}",reason="failed"}`);
const rename = (description: string) =>
  operator.call('PATCH /projects/shop/features/kept', {
    body: [{ op: 'replace', path: '/description', value: description }],
  });

test('the API server is killed and comes back: reads go on, writes say 503, the cache converges without a relist storm', async () => {
  await plane.stopApiServer({ signal: 'SIGKILL' });
  await waitUntil({ what: 'the watch has noticed' }, async () => (await failures()) > 0);
  const { body } = await readFlags(operator.call);
  expect(body.features).toHaveLength(3);
  expect((await rename('never')).status).toBe(503);
  await waitUntil({ what: 'a few tries have failed' }, async () => {
    await readFlags(operator.call);
    return (await failures()) >= 3;
  });
  await startAgain();
  await changeTheWorld('after-restart');
  await untilConverged(operator, flags);
  expect((await rename('renamed')).status).toBe(200);
  await untilConverged(operator, flags);
  expectNoRelistStorm();
});

test('the API server is paused: reads go on, a write waits, all of it is there when it goes on', async () => {
  await plane.pauseApiServer();
  const waiting = rename('patient');
  await waitUntil({ what: 'the write hangs' }, () => operator.proxy.reached.some(on('featureflags', 'patch')));
  const age = () => operator.metric(`vexil_watch_age_seconds{kind="FeatureFlag",namespace="${home}"}`);
  await waitUntil({ what: 'the silence shows' }, async () => {
    await readFlags(operator.call);
    return (await age()) > 2;
  });
  await plane.resumeApiServer();
  expect((await waiting).status).toBe(200);
  await changeTheWorld('after-pause');
  await untilConverged(operator, flags);
  expect(requestsFor(operator.proxy.arrived, 'featureflags', 'patch')).toHaveLength(1);
  expectNoRelistStorm();
});

test('history is compacted while the operator is cut off: it lists anew, and what was deleted is gone', async () => {
  await operator.proxy.close();
  await changeTheWorld('while-away');
  await plane.stopApiServer();
  await plane.compact();
  await startAgain();
  await operator.proxy.open();
  await untilConverged(operator, flags);
  const codes = operator.log.map(({ error }) => (error as { code?: string } | undefined)?.code);
  expect(codes).toContain('gone');
  // The cache twice; the history once or twice, as its first list may not be over when the connection goes. It comes back by itself.
  await waitUntil({ what: 'both have listed anew' }, () => {
    return requestsFor(operator.proxy.reached, 'featureflags', 'watch-list').length >= 3;
  });
  expectNoRelistStorm();
});
