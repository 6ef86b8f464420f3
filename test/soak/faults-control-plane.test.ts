/** The rows of the failure table about the API server itself: killed, paused, its history compacted. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { untilBaseline } from '../support/audit/until-baseline.ts';
import { aProject } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import {
  type BehindProxy,
  readFlags,
  startBehindProxy,
  untilConverged,
  untilJudged,
} from '../support/fault-proxy/operator-behind-proxy.ts';
import { on, requestsFor } from '../support/fault-proxy/report.ts';
import { type OperatorProgram, startOperatorProgram } from '../support/operator-program.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
});

afterAll(() => plane?.stop());

/** Returns the kubeconfig of an operator with a namespace of its own. */
async function homeFor(name: string): Promise<string> {
  await plane.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
  return grantOperatorRoles(plane, name, []);
}

describe('an operator as a process', () => {
  const home = 'processes';
  const running: OperatorProgram[] = [];
  let kubeconfig: string;

  beforeAll(async () => {
    kubeconfig = await homeFor(home);
    await plane.apply([aProject(`${home}/web`)]);
  });
  afterAll(() => Promise.all(running.map((one) => one.stop())));

  async function start() {
    const lines: string[] = [];
    const settings = { KUBECONFIG: kubeconfig, VEXIL_NAMESPACE: home, VEXIL_AUTH: 'none' };
    const ports = { VEXIL_HTTP_PORT: '0', VEXIL_OPS_PORT: '0' };
    const operator = startOperatorProgram({ settings: { ...settings, ...ports }, onLine: (line) => lines.push(line) });
    running.push(operator);
    const { httpPort, opsPort } = await operator.listening;
    const probe = (path: string) => fetch(`http://127.0.0.1:${opsPort}/${path}`);
    return { lines, call: adminClient(`http://127.0.0.1:${httpPort}`), probe };
  }

  type Started = Awaited<ReturnType<typeof start>>;

  async function expectWaiting({ lines, call, probe }: Started): Promise<void> {
    const refused = await call('GET /projects');
    expect([refused.status, refused.body.name]).toEqual([503, 'UnavailableError']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call('GET //health')).body).toEqual({ health: 'GOOD' });
    expect((await probe('livez')).status).toBe(200);
    const readiness = await probe('readyz');
    expect(readiness.status).toBe(503);
    expect(await readiness.text()).toContain('waiting for the first list');
    await waitUntil({ what: 'it has said why' }, () => lines.some((line) => line.includes('ECONNREFUSED')));
  }

  test('answers reads and answers writes with 503 while the API server is down; a starting one waits and reports it; then both serve', async () => {
    const { lines, call } = await start();
    await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/web')).status === 200);
    expect((await call('POST /projects/web/features', { body: { name: 'steady' } })).status).toBe(201);

    await plane.stopApiServer({ signal: 'SIGKILL' });
    expect((await call('GET /projects/web/features/steady')).status).toBe(200);
    const body = [{ op: 'replace', path: '/description', value: 'lost' }];
    const write = await call('PATCH /projects/web/features/steady', { body });
    expect([write.status, write.headers.get('retry-after')]).toEqual([503, '1']);
    const late = await start();
    await expectWaiting(late);
    await plane.startApiServer();

    await waitUntil({ what: 'it is ready', timeoutMs: 60_000 }, async () => (await late.probe('readyz')).ok);
    await plane.patchObject('ff/steady', home, { spec: { description: 'seen' } });
    for (const one of [call, late.call]) {
      await waitUntil({ what: 'the change is served', timeoutMs: 60_000 }, async () => {
        return (await one('GET /projects/web/features/steady')).body.description === 'seen';
      });
    }
    await waitUntil({ what: 'the flag is ready', timeoutMs: 60_000 }, async () => {
      const { metadata, status }: Stored = await plane.getObject('ff/steady', home);
      const ready = status?.conditions.find(({ type }: Stored) => type === 'Ready');
      return status?.observedGeneration === metadata.generation && ready.status === 'True';
    });
    expect([...lines, ...late.lines].join('\n')).not.toContain('unhandled');
  });
});

describe('an operator behind a proxy', () => {
  const home = 'behind-proxy';
  let kubeconfig: string;
  let flags: FlagsDirectly;
  let operator: BehindProxy;

  beforeAll(async () => {
    kubeconfig = await homeFor(home);
    flags = flagsDirectly(plane.kubeconfig, home);
    await flags.apply('Environment', 'production', {});
    await flags.apply('Project', 'shop', {});
  });

  beforeEach(async () => {
    for (const name of ['kept', 'busy', 'doomed']) {
      await flags.apply('FeatureFlag', name, { project: 'shop', description: 'before' });
    }
    const archiveUrl = `sqlite:${kubeconfig}.${randomUUID()}.db`;
    operator = await startBehindProxy({ plane, kubeconfig, home, settings: { VEXIL_AUDIT_URL: archiveUrl } });
    await operator.ready();
    // Without its baseline the history lists again after each failure.
    await untilBaseline(archiveUrl);
    await untilConverged(operator, flags);
  });

  afterEach(({ task }) => operator.stop(task.name));

  afterAll(() => flags?.close());

  /**
   * Starts the API server. A server that is ready still reads each kind from its store before it answers for the kind.
   */
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
   * A restarted API server knows no version from before its start, so each of the two readers, the cache and the
   * history, may send a new list of each kind. Lists of a past version are part of a replay.
   */
  function expectNoRelistStorm(): void {
    for (const plural of ['featureflags', 'projects', 'environments']) {
      const lists = requestsFor(operator.proxy.reached, plural, 'list', 'watch-list');
      const present = lists.filter(({ query }) => query.get('resourceVersionMatch') !== 'Exact');
      expect(present.length).toBeLessThanOrEqual(4);
    }
  }

  const failures = () =>
    operator.metric(`vexil_watch_failures_total{kind="FeatureFlag",namespace="${home}",reason="failed"}`);
  const rename = (description: string) =>
    operator.call('PATCH /projects/shop/features/kept', {
      body: [{ op: 'replace', path: '/description', value: description }],
    });

  test('the API server is killed and restarted: reads continue, writes get 503, the cache converges without a relist storm', async () => {
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

  test('the API server is paused: reads continue, a write waits, and it is complete after the pause', async () => {
    await untilJudged(operator, flags, 'kept');
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

  test('history is compacted while the operator is cut off: it lists again, and deleted objects are gone', async () => {
    await operator.proxy.close();
    await changeTheWorld('while-away');
    await plane.stopApiServer();
    await plane.compact();
    await startAgain();
    await operator.proxy.open();
    await untilConverged(operator, flags);
    const codes = operator.log.map(({ error }) => (error as { code?: string } | undefined)?.code);
    expect(codes).toContain('gone');
    // The cache lists twice. The history has its baseline, and replays the versions that are left.
    await waitUntil({ what: 'the cache has listed anew' }, () => {
      return requestsFor(operator.proxy.reached, 'featureflags', 'watch-list').length >= 3;
    });
    expectNoRelistStorm();
  });
});
