/** What the operator writes into the status of real objects, and what it leaves unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { aFlag, anEnvironment, aProject, aUser, releasingName } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';

const COUNT_DELAY_MS = 1_000;
/** More than the operator judges in one second. */
const MANY_FLAGS = 200;

let instance: Instance;
let home: string;

beforeAll(async () => {
  instance = await startInstance('judging', { settings: { VEXIL_COUNT_DELAY: `${COUNT_DELAY_MS}ms` } });
  home = instance.home;
});

afterAll(() => instance?.stop());

const everyone = { everyone: { name: 'default' } };
const on = { enabled: true, strategies: everyone };

async function object(kind: string, name: string, namespace = home): Promise<Stored> {
  return instance.cluster.getObject(`${kind}/${name}`, namespace);
}

/** Waits until the status of an object fulfils the condition. */
function until(what: string, kind: string, name: string, holds: (status: Stored) => boolean): Promise<Stored> {
  return waitUntil({ what }, async () => {
    const { status, metadata } = await object(kind, name);
    return status?.observedGeneration === metadata.generation && holds(status) && status;
  });
}

const conditions = (status: Stored) =>
  Object.fromEntries(status.conditions.map(({ type, status, reason }: Stored) => [type, `${status} ${reason}`]));
const hasReason = (reason: string) => (status: Stored) =>
  status.conditions.some((one: Stored) => one.reason === reason);
const isReady = hasReason('Succeeded');

async function remove(kind: string, name: string, namespace = home): Promise<void> {
  await instance.cluster.deleteObject(`${kind}/${name}`, namespace);
}

describe('a flag', () => {
  test('waits for its project and for its environment, and is in effect when both exist', async () => {
    await instance.apply(aFlag(`${home}/early`, { project: 'later', environments: { soon: on } }));
    const first = await object('ff', 'early');
    expect(conditions(first.status)).toEqual({ Ready: 'False ProjectNotFound', Reconciling: 'True ProjectNotFound' });
    expect(first.status.problems.map(({ path, reason }: Stored) => [path, reason])).toEqual([
      ['spec.project', 'ProjectNotFound'],
      ['spec.environments.soon', 'EnvironmentNotFound'],
    ]);

    await instance.apply(aProject(`${home}/later`));
    await until('the project is found', 'ff', 'early', hasReason('EnvironmentNotFound'));
    await instance.apply(anEnvironment(`${home}/soon`, { sortOrder: 9 }));
    const last = await until('all is there', 'ff', 'early', isReady);
    expect(last).toMatchObject({ enabledIn: 'soon', environments: { soon: { enabled: true, strategies: 1 } } });
    expect(last.problems).toBeUndefined();
  });

  test.each([
    ['a project that does not use the environment', 'EnvironmentNotInProject', 'Reconciling'],
    ['an unknown strategy type', 'UnknownStrategy', 'Reconciling'],
    ['a switch without a strategy', 'EnabledWithoutStrategies', 'Stalled'],
  ])('with %s is off there, and on elsewhere', async (_, reason, abnormal) => {
    const wrong = {
      EnvironmentNotInProject: { outside: on },
      UnknownStrategy: { production: { enabled: true, strategies: { odd: { name: 'nobodyKnows' } } } },
      EnabledWithoutStrategies: {
        production: { enabled: true, strategies: { off: { name: 'default', disabled: true } } },
      },
    }[reason];
    const name = reason.toLowerCase();
    const environments = ['development', 'production'];
    await instance.apply(anEnvironment(`${home}/outside`), aProject(`${home}/${name}`, { environments }));
    await instance.apply(aFlag(`${home}/${name}`, { project: name, environments: { development: on, ...wrong } }));
    const status = await until('it is judged', 'ff', name, hasReason(reason));
    expect(conditions(status)).toEqual({ Ready: `False ${reason}`, [abnormal]: `True ${reason}` });
    expect(status.enabledIn).toBe('development');
  });

  test('whose name an older flag owns reports it, is not served, and takes over when that one is deleted or renamed', async () => {
    const holder = aFlag(`${home}/holder`, { name: 'Wanted', environments: { production: on } });
    await instance.apply(releasingName(holder));
    const secondOfHolder = (await object('ff', 'holder')).metadata.creationTimestamp;
    await waitUntil({ what: 'the clock of the API server moves on' }, async () => {
      await instance.apply(aFlag(`${instance.other}/tick`, { project: 'pay' }));
      const { metadata } = await object('ff', 'tick', instance.other);
      await remove('ff', 'tick', instance.other);
      return metadata.creationTimestamp !== secondOfHolder;
    });
    await instance.apply(
      aFlag(`${instance.other}/heir`, { name: 'Wanted', project: 'pay', environments: { production: on } }),
    );
    const conflicted = (await object('ff', 'heir', instance.other)).status;
    expect(conditions(conflicted)).toEqual({ Ready: 'False NameConflict', Stalled: 'True NameConflict' });
    expect(conflicted.enabledIn).toBeUndefined();
    expect((await instance.call('GET /projects/pay/features/Wanted')).status).toBe(404);

    await remove('ff', 'holder');
    await waitUntil({ what: 'the heir is ready' }, async () =>
      isReady((await object('ff', 'heir', instance.other)).status),
    );
    await instance.served('GET /projects/pay/features/Wanted');
  });

  test('whose status another user has changed gets its own status back', async () => {
    await instance.apply(aFlag(`${home}/tampered`, { environments: { development: on } }));
    const { status } = await object('ff', 'tampered');
    const patch = { status: { enabledIn: 'production', conditions: [] } };
    await instance.cluster.patchObject('ff/tampered/status', home, patch);
    await waitUntil(
      { what: 'it is repaired' },
      async () => (await object('ff', 'tampered')).status.enabledIn === status.enabledIn,
    );
    expect(conditions((await object('ff', 'tampered')).status)).toEqual({ Ready: 'True Succeeded' });
  });
});

describe('projects and environments', () => {
  test('count their flags, and follow every change', async () => {
    const places = { project: 'counted', environments: { counting: on } };
    await instance.apply(
      aUser(`${home}/ada`),
      aUser(`${home}/lin`),
      anEnvironment(`${home}/counting`),
      aProject(`${home}/counted`, { environments: ['counting'], members: { ada: 'owner', lin: 'member' } }),
      aFlag(`${home}/counted-a`, places),
      aFlag(`${home}/counted-b`, { ...places, stale: true }),
      aFlag(`${home}/counted-c`, { project: 'counted' }),
      aFlag(`${home}/counted-d`, { ...places, archived: true }),
    );
    await until(
      'the project counts',
      'fp',
      'counted',
      ({ flags, health, members }) => flags === 3 && health === 67 && members === 2,
    );
    await until(
      'the environment counts',
      'fenv',
      'counting',
      (status) => status.enabledToggleCount === 2 && status.projectCount > 0,
    );
    await remove('ff', 'counted-a');
    await until('the project follows', 'fp', 'counted', ({ flags, health }) => flags === 2 && health === 50);
    await until('the environment follows', 'fenv', 'counting', ({ enabledToggleCount }) => enabledToggleCount === 1);
  });

  test('get a warning if their last owner is deleted, and stay ready', async () => {
    await instance.apply(aUser(`${home}/alone`), aProject(`${home}/orphaned`, { members: { alone: 'member' } }));
    const { status } = await object('fp', 'orphaned');
    expect(conditions(status)).toEqual({ Ready: 'True Succeeded' });
    expect(status.problems).toMatchObject([{ severity: 'Warning', reason: 'NoOwner', path: 'spec.members' }]);
  });

  test('hundreds of changed flags are a handful of status writes', async () => {
    const transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
    const place = `/apis/vexil.dev/v1beta1/namespaces/${home}`;
    await instance.apply(anEnvironment(`${home}/busy`), aProject(`${home}/busy`, { environments: ['busy'] }));
    const end = new AbortController();
    const { resourceVersion } = (await object('fenv', 'busy')).metadata;
    const query = { watch: true, resourceVersion, fieldSelector: 'metadata.name=busy' };
    const frames = await transport.stream({ path: `${place}/environments`, query, signal: end.signal });
    let writes = 0;
    const counting = (async () => {
      for await (const frame of frames as AsyncIterable<{ type: string }>) if (frame.type === 'MODIFIED') writes += 1;
    })().catch(() => undefined);

    const manifests = Array.from({ length: MANY_FLAGS }, (_, n) =>
      aFlag(`${home}/busy-${n}`, { project: 'busy', environments: { busy: on } }),
    );
    const waiting = [...manifests];
    const create = async () => {
      for (let body = waiting.pop(); body; body = waiting.pop()) {
        await transport.request({ method: 'POST', path: `${place}/featureflags`, body });
      }
    };
    const begin = performance.now();
    await Promise.all(Array.from({ length: 16 }, create));
    await waitUntil({ what: 'all are counted' }, async () => {
      return (await object('fenv', 'busy')).status?.enabledToggleCount === MANY_FLAGS;
    });
    const tookMs = performance.now() - begin;
    end.abort();
    await counting;
    transport.close();
    expect(writes).toBeGreaterThan(0);
    // The delay of counts allows this many writes, and the number of projects is written once.
    expect(writes).toBeLessThanOrEqual(tookMs / COUNT_DELAY_MS + 2);
  });
});

describe('without changes', () => {
  const kinds = ['ff', 'fp', 'fenv'];

  async function versions(namespace: string): Promise<Record<string, string>> {
    const lists = await Promise.all(kinds.map((kind) => instance.cluster.getObject(kind, namespace)));
    return Object.fromEntries(
      lists.flatMap(({ items }) => items).map(({ metadata }) => [metadata.uid, metadata.resourceVersion]),
    );
  }

  test('a restarted operator does not write a status that is right', async () => {
    const namespace = await instance.cluster.freshNamespace('rest');
    const settled = (...names: readonly string[]) =>
      waitUntil({ what: `${names} are ready` }, async () => {
        const all = await Promise.all(names.map((name) => instance.cluster.getObject(name, namespace)));
        return all.every(({ status }) => status && isReady(status));
      });

    const first = await startOperator(instance.cluster, namespace);
    await instance.cluster.apply([
      anEnvironment(`${namespace}/prod`),
      aProject(`${namespace}/quiet`),
      aFlag(`${namespace}/still`, { project: 'quiet', environments: { prod: on } }),
    ]);
    await settled('fenv/prod', 'fp/quiet', 'ff/still');
    await waitUntil({ what: 'the counts are written' }, async () => {
      const lists = await Promise.all(['fp', 'fenv'].map((all) => instance.cluster.getObject(all, namespace)));
      return lists
        .flatMap(({ items }) => items)
        .every(({ status }: Stored) => status.flags === 1 || status.enabledToggleCount === 1);
    });
    await first.stop();
    const before = await versions(namespace);

    const second = await startOperator(instance.cluster, namespace, { settings: { VEXIL_LOG_LEVEL: 'debug' } });
    // A flag in a project of its own is judged after everything that the start has enqueued.
    await instance.cluster.apply([
      aProject(`${namespace}/canary`, { environments: [] }),
      aFlag(`${namespace}/canary`, { project: 'canary' }),
    ]);
    await settled('fp/canary', 'ff/canary');
    await waitUntil({ what: 'the canary is counted' }, async () => {
      return (await instance.cluster.getObject('fp/canary', namespace)).status.flags === 1;
    });
    await second.stop();
    expect(await versions(namespace)).toMatchObject(before);
  });
});
