/** Watches against a real API server that is restarted, paused, compacted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { installProbes, type ProbeClient, probeClient, watchProbes } from '../support/probe-cluster.ts';

/** The objects in the cache and those at the API server, as comparable values. */
function shown(client: ProbeClient): string[] {
  return [...client.store.all()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
}

async function stored(client: ProbeClient): Promise<string[]> {
  const live = await client.probes.listLive({});
  return live.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
}

/** A second client writes, so that the cache under test receives the objects only from its watch. */
async function fill(writer: ProbeClient, namespace: string, names: readonly string[]): Promise<void> {
  const waiting = [...names];
  const lane = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await writer.probes.create(namespace, { name, spec: { group: name.split('-')[0] ?? '' } });
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

async function converged(client: ProbeClient, writer: ProbeClient): Promise<void> {
  const want = (await stored(writer)).join();
  await waitUntil({ what: 'the cache is as the API server' }, () => shown(client).join() === want);
}

describe.each([
  ['a server that streams lists', [], 'stream-list'],
  ['a server that does not', ['--feature-gates=WatchList=false'], 'paged-list'],
])('with %s', (_, apiServerArgs, listPhase) => {
  let plane: ControlPlane;
  let writer: ProbeClient;

  beforeAll(async () => {
    plane = await startControlPlane({ apiServerArgs });
    await installProbes(plane);
    const names = ['many', 'restart', 'paused', 'compacted', 'resume', 'ended'];
    await plane.apply(names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  });

  afterAll(() => plane.stop());

  function clients(namespace: string): ProbeClient {
    writer = probeClient(plane.kubeconfig, namespace);
    return probeClient(plane.kubeconfig, namespace);
  }

  test('lists more than a page, then follows changes', async () => {
    const client = clients('many');
    await fill(writer, 'many', numbered('many', 1100));
    const watch = watchProbes(client, 'many');
    await client.store.whenSynced();
    expect(client.store.size).toBe(1100);
    expect(client.store.by('group', 'many').length).toBe(1100);
    expect(watch.phases()).toContain(listPhase);
    await fill(writer, 'many', numbered('later', 20));
    const [first] = client.store.by('group', 'many');
    if (first) await writer.probes.delete(await writer.probes.live(first.metadata));
    await converged(client, writer);
    expect(client.faults).toEqual([]);
    await watch.stop();
    writer.transport.close();
  });

  test('survives a killed API server: answers from the cache meanwhile, then catches up without a storm of lists', async () => {
    const client = clients('restart');
    await fill(writer, 'restart', numbered('before', 10));
    const watch = watchProbes(client, 'restart');
    await client.store.whenSynced();
    await plane.stopApiServer({ signal: 'SIGKILL' });
    expect(client.store.size).toBe(10);
    await plane.startApiServer();
    await fill(writer, 'restart', numbered('after', 10));
    await converged(client, writer);
    // The cache of the restarted server begins later than our version, so one new list is allowed; more would be a
    // storm.
    expect(watch.phases().filter((phase) => phase === listPhase).length).toBeLessThanOrEqual(2);
    await watch.stop();
    writer.transport.close();
  });

  test('notices a silent connection, and catches up', async () => {
    const client = clients('paused');
    await fill(writer, 'paused', numbered('before', 3));
    const watch = watchProbes(client, 'paused', { silenceMs: 1_000 });
    await waitUntil({ what: 'it watches' }, () => client.store.synced && watch.notices.at(-1)?.type !== 'requested');
    await plane.pauseApiServer();
    await waitUntil({ what: 'the silence is noticed' }, () => watch.notices.some((notice) => notice.type === 'silent'));
    await plane.resumeApiServer();
    await fill(writer, 'paused', numbered('after', 3));
    await converged(client, writer);
    await watch.stop();
    writer.transport.close();
  });

  test('lists again when its version is compacted', async () => {
    const client = clients('compacted');
    await fill(writer, 'compacted', numbered('before', 5));
    const end = watchProbes(client, 'compacted');
    await client.store.whenSynced();
    const from = client.store.get({ namespace: 'compacted', name: 'before-0' })?.metadata.resourceVersion ?? '';
    await end.stop();
    const late = probeClient(plane.kubeconfig, 'compacted');
    await fill(writer, 'compacted', numbered('after', 5));
    await plane.stopApiServer();
    await plane.compact();
    await plane.startApiServer();
    const watch = watchProbes(late, 'compacted', { from });
    await late.store.whenSynced();
    await converged(late, writer);
    expect(watch.notices).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: 'gone' }) }));
    await watch.stop();
    writer.transport.close();
  });

  test('resumes where an earlier watch ended', async () => {
    const client = clients('resume');
    await fill(writer, 'resume', ['first']);
    const first = await writer.probes.live({ namespace: 'resume', name: 'first' });
    await fill(writer, 'resume', ['second']);
    const watch = watchProbes(client, 'resume', { from: first.metadata.resourceVersion });
    await waitUntil({ what: 'second is in the cache' }, () => client.store.size > 0);
    expect(shown(client).map((name) => name.split('@')[0])).toEqual(['second']);
    expect(watch.phases()).toEqual(['checking', 'watching']);
    await watch.stop();
    writer.transport.close();
  });

  test('ends when it is stopped, in every phase', async () => {
    await plane.pauseApiServer();
    const waitingForList = watchProbes(clients('ended'), 'ended');
    await waitUntil({ what: 'a request is made' }, () => waitingForList.phases().length > 0);
    await waitingForList.stop();
    await plane.resumeApiServer();
    const client = clients('ended');
    const watching = watchProbes(client, 'ended');
    await client.store.whenSynced();
    await watching.stop();
    const proxy = await proxyFor(plane);
    const behind = probeClient(await proxiedKubeconfig(proxy, plane.kubeconfig), 'ended');
    const unreachable = watchProbes(behind, 'ended', { backoff: () => 60_000 });
    await behind.store.whenSynced();
    await proxy.close();
    await waitUntil({ what: 'it waits' }, () => unreachable.notices.some((notice) => notice.type === 'waiting'));
    await unreachable.stop();
    await proxy.stop();
    writer.transport.close();
  });
});
