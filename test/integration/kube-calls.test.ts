/** Calls on a real API server: create, change, status, delete. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClusterError, isRefusal, Refusal } from '../../src/errors.ts';
import { detailPath } from '../../src/model/invalid-input.ts';
import type { Ref } from '../../src/model/object.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  installProbes,
  type ProbeClient,
  probeClient,
  type RunningWatch,
  watchProbes,
} from '../support/probe-cluster.ts';

const cluster = sharedCluster();
let namespace: string;
let client: ProbeClient;
let watch: RunningWatch;

beforeAll(async () => {
  await installProbes(cluster);
  namespace = await cluster.freshNamespace('kube-calls');
  client = probeClient(cluster.kubeconfig, namespace);
  watch = watchProbes(client, namespace);
  await client.store.whenSynced();
});

afterAll(() => watch.stop());

async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const pathOf = (name: string) => `/apis/vexil.dev/v1beta1/namespaces/${namespace}/probes/${name}`;

/** Applies as another tool would, and waits until the cache shows the change. */
async function applied(name: string, body: Record<string, unknown>): Promise<Ref> {
  await cluster.apply([{ apiVersion: 'vexil.dev/v1beta1', kind: 'Probe', metadata: { name, namespace }, ...body }]);
  const ref = { namespace, name };
  await waitUntil({ what: `${name} is cached` }, () => client.store.get(ref) !== undefined);
  return ref;
}

describe('create', () => {
  test('puts the answer into the cache before it returns', async () => {
    const made = await client.probes.create(namespace, { name: 'made', spec: { note: 'x' } });
    expect(client.probes.get(made.metadata)?.spec).toEqual({ note: 'x' });
    expect(made.owners.map((owner) => owner.manager)).toEqual(['vexil-api']);
  });

  test('fails with name-taken for a name that exists', async () => {
    await client.probes.create(namespace, { name: 'taken', spec: {} });
    const error = await failure(client.probes.create(namespace, { name: 'taken', spec: {} }));
    expect(isClusterError(error, 'name-taken')).toBe(true);
  });

  test('fails with invalid and each cause of the API server, in its words', async () => {
    const spec = { group: 'a group name that is too long', parts: { a: { size: 500 } } };
    const error = await failure(client.probes.create(namespace, { name: 'bad', spec }));
    expect(error).toMatchObject({ code: 'invalid' });
    const paths = isClusterError(error) ? error.details.map(detailPath) : [];
    expect(paths.sort()).toEqual(['spec.group', 'spec.parts.a.size']);
  });

  test('with dryRun does not change cluster and cache', async () => {
    const made = await client.probes.create(namespace, { name: 'dry', spec: {} }, { dryRun: true });
    expect(made.metadata.name).toBe('dry');
    expect(client.probes.get(made.metadata)).toBeUndefined();
    expect(isClusterError(await failure(client.probes.live(made.metadata)), 'not-found')).toBe(true);
  });
});

describe('change', () => {
  test('keeps the changes of many concurrent writers, also through a cache that is behind', async () => {
    const ref = await applied('crowded', { spec: { parts: {} } });
    const other = probeClient(cluster.kubeconfig, namespace);
    const writers = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      writers.map((part, index) =>
        (index % 2 === 0 ? client : other).probes.change(ref, ({ spec }) => {
          return { ...spec, parts: { ...spec.parts, [part]: { on: true } } };
        }),
      ),
    );
    other.transport.close();
    const live = await client.probes.live(ref);
    expect(Object.keys(live.spec.parts ?? {}).sort()).toEqual(writers);
  });

  test('that changes nothing writes nothing', async () => {
    const ref = await applied('same', { spec: { note: 'x' } });
    const before = await client.probes.live(ref);
    await client.probes.change(ref, ({ spec }) => ({ ...spec, note: 'x' }), {
      stamp: () => ({ 'vexil.dev/changed-by': 'me' }),
    });
    const after = await client.probes.live(ref);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test('writes annotations together with the change, even if there were none', async () => {
    const ref = await applied('stamped', { spec: { note: 'x' } });
    const annotations = { 'vexil.dev/changed-by': 'me' };
    const stamp = () => annotations;
    const changed = await client.probes.change(ref, ({ spec }) => ({ ...spec, note: 'y' }), { stamp });
    expect(changed.metadata.annotations).toEqual(annotations);
    const again = await client.probes.change(ref, ({ spec }) => ({ ...spec, note: 'z' }), {
      stamp: () => ({ 'vexil.dev/changed-by': 'you' }),
    });
    expect(again.metadata.annotations).toEqual({ 'vexil.dev/changed-by': 'you' });
  });

  test.each([
    ['an absent spec', {}],
    ['a null spec', { spec: null }],
    ['a null map', { spec: { parts: null } }],
    ['a null entry in a map', { spec: { parts: { a: null } } }],
  ])('works on %s', async (title, body) => {
    const ref = await applied(title.replaceAll(' ', '-'), body);
    const changed = await client.probes.change(ref, ({ spec }) => ({
      ...spec,
      parts: { ...spec.parts, a: { on: true } },
    }));
    expect(changed.spec).toEqual({ parts: { a: { on: true } } });
    expect((await client.probes.live(ref)).spec).toEqual(changed.spec);
  });

  test('keeps free-form nulls as the user wrote them', async () => {
    const ref = await applied('free', { spec: { parameters: { a: null, b: 1 } } });
    const changed = await client.probes.change(ref, ({ spec }) => ({ ...spec, note: 'y' }));
    expect(changed.rawSpec).toEqual({ note: 'y', parameters: { a: null, b: 1 } });
  });

  test('with dryRun has the answer of a write, and does not change cluster and cache', async () => {
    const ref = await applied('as-if', { spec: { note: 'x' } });
    const before = await client.probes.live(ref);
    const changed = await client.probes.change(ref, ({ spec }) => ({ ...spec, note: 'y' }), { dryRun: true });
    expect(changed.spec.note).toBe('y');
    expect(client.probes.get(ref)?.spec.note).toBe('x');
    expect((await client.probes.live(ref)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test('that the API server refuses has its reason, and is not retried', async () => {
    const ref = await applied('refused', { spec: { note: 'x' } });
    let edits = 0;
    const error = await failure(
      client.probes.change(ref, ({ spec }) => {
        edits += 1;
        return { ...spec, parts: { a: { size: 101 } } };
      }),
    );
    expect(error).toMatchObject({ code: 'invalid', details: [{ path: 'spec.parts.a.size' }] });
    expect(edits).toBe(1);
  });

  test('from a stale object whose patch no longer applies is computed again from the live one', async () => {
    const ref = await applied('stale', { spec: { parts: { a: { on: true } } } });
    const behind = probeClient(cluster.kubeconfig, namespace);
    behind.store.put(await client.probes.live(ref));
    await client.probes.change(ref, () => ({ note: 'the parts are gone' }));
    const changed = await behind.probes.change(ref, ({ spec }) => {
      return { ...spec, parts: { ...spec.parts, a: { ...spec.parts?.['a'], on: false } } };
    });
    behind.transport.close();
    expect(changed.spec).toEqual({ note: 'the parts are gone', parts: { a: { on: false } } });
  });

  test('of a missing object fails with not-found', async () => {
    const error = await failure(client.probes.change({ namespace, name: 'nobody' }, () => ({})));
    expect(isClusterError(error, 'not-found')).toBe(true);
  });

  test('checks the expectation for each object that it starts from', async () => {
    const ref = await applied('expected', { spec: { note: 'x' } });
    const refusal = new Error('other version');
    const expectation = () => {
      throw refusal;
    };
    expect(await failure(client.probes.change(ref, () => ({}), { expect: expectation }))).toBe(refusal);
  });
});

describe('applyStatus', () => {
  test('writes the status, and fails if the object has another version', async () => {
    const ref = await applied('status', { spec: { note: 'x' } });
    const object = await client.probes.live(ref);
    const reported = await client.probes.applyStatus(object, { seen: 1 });
    expect(reported.status).toEqual({ seen: 1 });
    expect(reported.owners.map((owner) => owner.manager)).toEqual(['kubectl']);
    expect(isClusterError(await failure(client.probes.applyStatus(object, { seen: 2 })), 'conflict')).toBe(true);
  });

  test('does not create a deleted object again', async () => {
    const ref = await applied('late-status', { spec: {} });
    const object = await client.probes.live(ref);
    await client.probes.delete(object);
    const error = await failure(client.probes.applyStatus(object, { seen: 1 }));
    expect(isClusterError(error, 'conflict', 'not-found')).toBe(true);
    expect(client.probes.get(ref)).toBeUndefined();
  });
});

describe('a change through a cache that is behind', () => {
  /** The cache holds `note: x`, the API server `note: y`; no watch corrects it. */
  async function behind(name: string): Promise<{ ref: Ref; stale: ProbeClient }> {
    const ref = await applied(name, { spec: { note: 'x' } });
    const stale = probeClient(cluster.kubeconfig, namespace);
    await stale.probes.live(ref).then((seen) => stale.store.put(seen));
    await client.probes.change(ref, () => ({ note: 'y' }));
    expect(stale.probes.get(ref)?.spec).toEqual({ note: 'x' });
    return { ref, stale };
  }

  test('that seems to be done already is written anyway', async () => {
    const { ref, stale } = await behind('behind-same');
    await stale.probes.change(ref, () => ({ note: 'x' }));
    expect((await client.probes.live(ref)).spec).toEqual({ note: 'x' });
    stale.transport.close();
  });

  test('is refused only because of the present object of the API server', async () => {
    const { ref, stale } = await behind('behind-refused');
    const expectNew = ({ spec }: { spec: { note?: string | undefined } }) => {
      if (spec.note !== 'y') throw new Refusal('precondition-failed', `expected y, not ${spec.note}`);
    };
    await stale.probes.change(ref, () => ({ note: 'z' }), { expect: expectNew });
    expect((await client.probes.live(ref)).spec).toEqual({ note: 'z' });
    stale.transport.close();
  });
});

describe('delete', () => {
  test('removes the object from the cache at once, and a dry run removes nothing', async () => {
    const ref = await applied('going', { spec: { note: 'x' } });
    const found = await client.probes.live(ref);
    await client.probes.delete(found, { dryRun: true });
    expect((await client.probes.live(ref)).metadata.deletionTimestamp).toBeUndefined();
    await client.probes.delete(found);
    expect(client.probes.get(ref)).toBeUndefined();
    expect(isClusterError(await failure(client.probes.live(ref)), 'not-found')).toBe(true);
  });

  test('checks an object again that was written meanwhile, and keeps one that it then refuses', async () => {
    const ref = await applied('busy', { spec: { note: 'x' } });
    const before = await client.probes.live(ref);
    await client.probes.change(ref, () => ({ note: 'keep' }));
    const seen: (string | undefined)[] = [];
    const preconditionOld = ({ spec }: { spec: { note?: string | undefined } }) => {
      seen.push(spec.note);
      if (spec.note === 'keep') throw new Refusal('precondition-failed', 'it is to be kept');
    };
    expect(
      isRefusal(await failure(client.probes.delete(before, { expect: preconditionOld })), 'precondition-failed'),
    ).toBe(true);
    expect(seen).toEqual(['x', 'keep']);
    expect((await client.probes.live(ref)).spec).toEqual({ note: 'keep' });
    await client.probes.delete(before);
    expect(client.probes.get(ref)).toBeUndefined();
  });

  test('does not delete another object that was created with the name meanwhile', async () => {
    const ref = await applied('twice', { spec: { note: 'first' } });
    const first = await client.probes.live(ref);
    await cluster.request({ method: 'DELETE', path: pathOf('twice') });
    await applied('twice', { spec: { note: 'second' } });
    expect(isClusterError(await failure(client.probes.delete(first)), 'not-found')).toBe(true);
    expect((await client.probes.live(ref)).spec).toEqual({ note: 'second' });
  });

  test('of an object with a finalizer leaves it in the cache as being deleted', async () => {
    const ref = await applied('held', {
      metadata: { name: 'held', namespace, finalizers: ['vexil.dev/hold'] },
      spec: {},
    });
    await client.probes.delete(await client.probes.live(ref));
    expect(client.probes.get(ref)?.metadata.deletionTimestamp).toBeDefined();
    const contentType = 'application/merge-patch+json';
    const body = { metadata: { finalizers: null } };
    await cluster.request({ method: 'PATCH', path: pathOf('held'), contentType, body });
    await waitUntil({ what: 'held is gone' }, () => client.probes.get(ref) === undefined);
  });
});

test('listLive finds by field selector', async () => {
  await client.probes.create(namespace, { name: 'blue', spec: { group: 'blue' } });
  await client.probes.create(namespace, { name: 'red', spec: { group: 'red' } });
  const found = await client.probes.listLive({ fieldSelector: 'spec.group=blue' });
  expect(found.map((probe) => probe.metadata.name)).toEqual(['blue']);
});

test('a call that its caller ends throws the reason of the caller', async () => {
  const reason = new Error('no longer wanted');
  expect(await failure(client.probes.live({ namespace, name: 'made' }, AbortSignal.abort(reason)))).toBe(reason);
  const end = new AbortController();
  const call = failure(client.probes.live({ namespace, name: 'made' }, end.signal));
  end.abort(reason);
  expect(await call).toBe(reason);
});
