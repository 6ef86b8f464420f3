/**
 * No user can name another user as the author of an object: every kind, every way to write, with and without a change
 * of the spec.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { type Call, connect, type Transport } from '../../src/kube/api/transport.ts';
import type { Kind } from '../../src/model/kind.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { type Account, createAccount } from '../support/account.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import type { Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { kubectlApply } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let alice: Account;
let mallory: Account;
let byAlice: Transport;
let byMallory: Transport;

const everything = [[['*'], ['*']]] as const;

beforeAll(async () => {
  instance = await startInstance('forging');
  const { cluster, home, other } = instance;
  await installAuthorPolicy(instance.cluster, [instance.home, instance.other]);
  alice = await createAccount(cluster, { namespace: home, name: 'alice', rules: { [home]: everything } });
  mallory = await createAccount(cluster, { namespace: other, name: 'vexil', rules: { [home]: everything } });
  byAlice = connect(loadKubeConfig(alice.kubeconfig));
  byMallory = connect(loadKubeConfig(mallory.kubeconfig));
});
afterAll(async () => {
  byAlice.close();
  byMallory.close();
  await instance.stop();
});

const asking = {
  target: { kind: 'FeatureFlag', name: 'none' },
  environments: { production: {} },
  author: { kind: 'User', name: 'alice' },
};
const deciding = {
  request: { name: 'none', uid: 'none' },
  environments: ['production'],
  approver: { kind: 'User', name: 'alice' },
};

/** A spec before a change and after it. */
const specs: Readonly<Record<string, readonly [before: object, after: object]>> = {
  FeatureFlag: [{ description: 'before' }, { description: 'after' }],
  Project: [{ description: 'before' }, { description: 'after' }],
  Environment: [{ displayName: 'before' }, { displayName: 'after' }],
  FlagUser: [{ displayName: 'before' }, { displayName: 'after' }],
  FlagRole: [{ description: 'before' }, { description: 'after' }],
  Segment: [{ description: 'before' }, { description: 'after' }],
  NotificationSink: [
    { type: 'Webhook', url: 'https://hooks.invalid/before' },
    { type: 'Webhook', url: 'https://hooks.invalid/after' },
  ],
  StrategyDefinition: [{ description: 'before' }, { description: 'after' }],
  ChangeRequest: [asking, { ...asking, cancelled: true }],
  ChangeApproval: [
    { ...deciding, comment: 'before' },
    { ...deciding, comment: 'after' },
  ],
  ApiToken: [
    { type: 'admin', description: 'before' },
    { type: 'admin', description: 'after' },
  ],
};

/**
 * All stamps that policy and operator write, with the name of another user. The generation is the present one or the
 * next.
 */
function forged(generation: number): Readonly<Record<string, string>> {
  return {
    'vexil.dev/created-by': 'the-boss',
    'vexil.dev/alert-actions': '[]',
    'vexil.dev/changed-by': 'the-boss',
    'vexil.dev/changed-generation': `${generation}`,
    'vexil.dev/changed-via': 'bootstrap-token',
    'vexil.dev/changed-from': '192.0.2.1',
    'vexil.dev/deleted-by': 'the-boss',
    'vexil.dev/deleted-at': '2026-01-01T00:00:00.000Z',
    'vexil.dev/deleted-via': 'bootstrap-token',
    'vexil.dev/deleted-from': '192.0.2.1',
  };
}

type AnyKind = Pick<Kind<unknown, unknown>, 'kind' | 'plural'>;

interface Attempt {
  readonly kind: AnyKind;
  readonly name: string;
  /** The object before the attempt. */
  readonly object: Stored;
  readonly annotations: Readonly<Record<string, string>>;
  /** The spec after the change; undefined if the spec stays. */
  readonly spec: object | undefined;
}

/** A way to change an object: one request, as kubectl makes it, or `kubectl apply` of a manifest. */
interface Way {
  readonly name: string;
  readonly call?: (attempt: Attempt) => Omit<Call, 'path'>;
  readonly applied?: (attempt: Attempt) => Manifest;
  /** The subresource of the object. */
  readonly subresource?: '/status';
}

const bare = ({ object, annotations, spec = object.spec }: Attempt) => {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace, annotations }, spec };
};
/** The object without its version: the operator may write the status meanwhile. */
const withoutVersion = ({ metadata: { resourceVersion: _, ...metadata }, ...rest }: Stored): Stored => {
  return { metadata, ...rest };
};
const withOthers = ({ object, annotations, spec }: Attempt): Stored => {
  const { metadata, ...rest } = withoutVersion(object);
  return { ...rest, metadata: { ...metadata, annotations }, ...(spec && { spec }) };
};
const nulls = ({ annotations }: Attempt) => Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));

const patching = { method: 'PATCH', query: { fieldManager: 'kubectl-patch' } } as const;
const mergePatch = (body: unknown) => ({ ...patching, contentType: 'application/merge-patch+json', body });
const jsonPatch = (body: unknown) => ({ ...patching, contentType: 'application/json-patch+json', body });
const replacing = (body: unknown) =>
  ({ method: 'PUT', query: { fieldManager: 'kubectl-replace', fieldValidation: 'Strict' }, body }) as const;
const applying = (body: unknown, fieldManager = 'kubectl') =>
  ({
    method: 'PATCH',
    query: { fieldManager, force: true, fieldValidation: 'Strict' },
    contentType: 'application/apply-patch+yaml',
    body,
  }) as const;

const newSpec = ({ spec }: Attempt) => (spec ? [{ op: 'replace', path: '/spec', value: spec }] : []);

const ways: readonly Way[] = [
  {
    name: 'a merge patch',
    call: (a) => mergePatch({ metadata: { annotations: a.annotations }, spec: a.spec }),
  },
  {
    name: 'a merge patch that takes them away one by one',
    call: (a) => mergePatch({ metadata: { annotations: nulls(a) }, spec: a.spec }),
  },
  {
    name: 'a merge patch that takes all annotations away',
    call: (a) => mergePatch({ metadata: { annotations: null }, spec: a.spec }),
  },
  {
    name: 'a JSON patch of the annotations as a whole',
    call: (a) => jsonPatch([{ op: 'replace', path: '/metadata/annotations', value: a.annotations }, ...newSpec(a)]),
  },
  {
    name: 'a JSON patch that takes one away',
    call: (a) => jsonPatch([{ op: 'remove', path: '/metadata/annotations/vexil.dev~1changed-by' }, ...newSpec(a)]),
  },
  { name: 'a replacement', call: (a) => replacing(withOthers(a)) },
  { name: 'a replacement without annotations', call: (a) => replacing(withOthers({ ...a, annotations: {} })) },
  { name: 'kubectl apply', applied: bare },
  { name: 'a server-side apply', call: (a) => applying(bare(a)) },
  { name: 'a server-side apply under the name of the API', call: (a) => applying(bare(a), 'vexil-api') },
];

/** Ways to write that change no spec. */
const others: readonly Way[] = [
  {
    name: 'kubectl annotate',
    call: (a) => mergePatch({ metadata: { annotations: a.annotations } }),
  },
  {
    name: 'kubectl annotate KEY-',
    call: () =>
      mergePatch({ metadata: { annotations: { 'vexil.dev/changed-by': null, 'vexil.dev/changed-generation': null } } }),
  },
  {
    name: 'a merge patch of the status',
    subresource: '/status',
    call: (a) => mergePatch({ metadata: { annotations: a.annotations }, status: { changedBy: 'the-boss' } }),
  },
  {
    name: 'a server-side apply of the status',
    subresource: '/status',
    call: (a) => applying({ ...bare(a), status: { changedBy: 'the-boss' } }),
  },
  {
    name: 'a replacement of the status',
    subresource: '/status',
    call: (a) => replacing({ ...withOthers(a), status: { ...a.object.status, changedBy: 'the-boss' } }),
  },
];

const pathOf = (kind: AnyKind, name = '') =>
  `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/${kind.plural}${name && `/${name}`}`;
const read = async (kind: AnyKind, name: string): Promise<Stored> =>
  byAlice.request({ method: 'GET', path: pathOf(kind, name) });

/** Creates an object as Alice, for an attempt of Mallory to change it. */
async function attemptOn(kind: AnyKind, name: string, changes: boolean): Promise<Attempt> {
  const [before, after] = specs[kind.kind] ?? [];
  const body = { apiVersion: 'vexil.dev/v1beta1', kind: kind.kind, metadata: { name }, spec: before };
  const object = await byAlice.request({ method: 'POST', path: pathOf(kind), body });
  return { kind, name, object, annotations: forged(changes ? 2 : 1), spec: changes ? after : undefined };
}

async function attack({ call, applied, subresource }: Way, attempt: Attempt): Promise<Stored> {
  const { kind, name } = attempt;
  if (call) await send({ ...call(attempt), path: `${pathOf(kind, name)}${subresource ?? ''}` });
  if (applied) await apply(applied(attempt));
  return read(kind, name);
}

/**
 * Sends the call as Mallory. kubectl replaces the version that it reads, and the operator may write another one
 * meanwhile.
 */
async function send(call: Call): Promise<void> {
  await waitUntil({ what: `${call.method} ${call.path} meets no other write` }, async () => {
    try {
      await byMallory.request(call.method === 'PUT' ? { ...call, body: await atPresent(call) } : call);
      return true;
    } catch (error) {
      if (call.method === 'PUT' && isClusterError(error, 'conflict')) return false;
      throw error;
    }
  });
}

async function atPresent({ path, body }: Call): Promise<Stored> {
  const { metadata } = (await byMallory.request({ method: 'GET', path })) as Stored;
  const whole = body as Stored;
  return { ...whole, metadata: { ...whole.metadata, resourceVersion: metadata.resourceVersion } };
}

/** Applies the manifest as Mallory. */
async function apply(manifest: Manifest): Promise<void> {
  expect(await kubectlApply(byMallory).apply(manifest)).not.toBe('conflict');
}

/** Resolves when the operator has corrected the status, even if another user has written into it. */
async function untilRecordedBy(kind: AnyKind, name: string, { username }: Account): Promise<void> {
  await waitUntil({ what: `the status of ${kind.kind} ${name} names ${username}` }, async () => {
    return (await read(kind, name)).status?.changedBy === username;
  });
}

const nameFor = (way: Way, changes: boolean) => `${way.name.replace(/[^a-z]+/gi, '-').toLowerCase()}-${changes}`;

/** The policy is the same for all kinds: a flag is attacked in every way, and each other kind in one of them. */
function waysFor<T>(kind: AnyKind, all: readonly T[]): readonly T[] {
  const turn = kinds.findIndex((one) => one.kind === kind.kind) % all.length;
  return kind.kind === 'FeatureFlag' ? all : all.slice(turn, turn + 1);
}

const creations: readonly [string, (manifest: Stored, at: string) => Promise<void>][] = [
  [
    'kubectl create',
    (body, at) =>
      send({
        method: 'POST',
        path: at.replace(/\/[^/]*$/, ''),
        query: { fieldManager: 'kubectl-create', fieldValidation: 'Strict' },
        body,
      }),
  ],
  ['kubectl apply', apply],
  ['a server-side apply', (body, path) => send({ ...applying(body), path })],
  ['a server-side apply under the name of the API', (body, path) => send({ ...applying(body, 'vexil-api'), path })],
];

describe.each(kinds.map((one) => ({ name: one.kind, kind: one as AnyKind })))('a $name', ({ kind }) => {
  test.concurrent.each(waysFor(kind, ways))('changed by $name has the author who changed it', async (way) => {
    const name = nameFor(way, true);
    const { metadata, ...rest } = await attack(way, await attemptOn(kind, name, true));
    expect(metadata.generation).toBe(2);
    expect(stampOf({ metadata, ...rest })).toEqual({
      'created-by': alice.username,
      'changed-by': mallory.username,
      'changed-generation': '2',
    });
    await untilRecordedBy(kind, name, mallory);
  });

  test.concurrent.each([...waysFor(kind, ways), ...waysFor(kind, others)])(
    'not changed by $name keeps its author',
    async (way) => {
      const name = nameFor(way, false);
      const { metadata, ...rest } = await attack(way, await attemptOn(kind, name, false));
      expect(metadata.generation).toBe(1);
      expect(stampOf({ metadata, ...rest })).toEqual({
        'created-by': alice.username,
        'changed-by': alice.username,
        'changed-generation': '1',
      });
      await untilRecordedBy(kind, name, alice);
    },
  );

  test.concurrent.each(waysFor(kind, creations))('created by %s has the author who created it', async (way, create) => {
    const name = `new-${way.replace(/[^a-z]+/gi, '-').toLowerCase()}`;
    const [spec] = specs[kind.kind] ?? [];
    const metadata = {
      name,
      namespace: instance.home,
      generation: 7,
      annotations: { 'example.com/own': 'stays', ...forged(1) },
    };
    await create({ apiVersion: 'vexil.dev/v1beta1', kind: kind.kind, metadata, spec }, pathOf(kind, name));
    const object = await read(kind, name);
    expect(stampOf(object)).toEqual({
      'created-by': mallory.username,
      'changed-by': mallory.username,
      'changed-generation': '1',
    });
    expect(object.metadata.annotations['example.com/own']).toBe('stays');
    await untilRecordedBy(kind, name, mallory);
  });
});

describe('a minimal change', () => {
  const flags = { kind: 'FeatureFlag', plural: 'featureflags' };
  const spec = {
    tags: ['one:first', 'two:second'],
    environments: { development: { strategies: { a: { name: 'default', parameters: { rollout: 25 } } } } },
  };

  /** Every change that makes a new generation has an author, and no other change has a new author. */
  test.each<[string, (whole: Stored) => unknown]>([
    ['a set in another order', (whole) => ({ ...whole, tags: whole.tags.toReversed() })],
    ['a number as text', (whole) => set(whole, { rollout: '25' })],
    ['null where nothing was', (whole) => ({ ...whole, description: null })],
    ['an empty text where nothing was', (whole) => ({ ...whole, description: '' })],
    ['the default where nothing was', (whole) => ({ ...whole, project: 'default' })],
    ['an empty map where nothing was', (whole) => ({ ...whole, variants: [] })],
    ['an unknown field, which the API server drops', (whole) => ({ ...whole, unheardOf: 1 })],
    ['nothing in the spec', () => ({})],
    ['null for a spec', () => null],
    ['no spec', () => undefined],
  ])('%s', async (what, edit) => {
    const name = `hardly-${what.replace(/[^a-z]+/gi, '-').toLowerCase()}`;
    const body = { apiVersion: 'vexil.dev/v1beta1', kind: flags.kind, metadata: { name }, spec };
    const object = (await byAlice.request({ method: 'POST', path: pathOf(flags), body })) as Stored;
    await send({
      ...replacing({ ...withoutVersion(object), spec: edit(object.spec) }),
      query: { fieldManager: 'kubectl-replace', fieldValidation: 'Ignore' },
      path: pathOf(flags, name),
    });
    const after = await read(flags, name);
    const isChange = after.metadata.generation === 2;
    expect(stampOf(after)).toMatchObject({
      'changed-by': isChange ? mallory.username : alice.username,
      'changed-generation': `${after.metadata.generation}`,
    });
    expect(isChange).toBe(JSON.stringify(after.spec) !== JSON.stringify(object.spec));
  });

  function set(whole: Stored, parameters: object): Stored {
    const changed = structuredClone(whole);
    changed.environments.development.strategies.a.parameters = parameters;
    return changed;
  }
});

test('the largest flag that the API server accepts is stamped too', async () => {
  const values = Array.from({ length: 250 }, (_, index) => `${index}`.padEnd(100, 'x'));
  const constraints = [{ contextName: 'userId', operator: 'IN', values }];
  const strategies = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`s-${index}`, { name: 'default', constraints }]),
  );
  const environments = { development: { strategies }, production: { strategies } };
  const flags = { kind: 'FeatureFlag', plural: 'featureflags' };
  const body = {
    apiVersion: 'vexil.dev/v1beta1',
    kind: flags.kind,
    metadata: { name: 'large' },
    spec: { environments },
  };
  const object = (await byAlice.request({ method: 'POST', path: pathOf(flags), body })) as Stored;
  expect(JSON.stringify(object.spec).length).toBeGreaterThan(1_000_000);
  const last = [{ op: 'add', path: '/spec/environments/production/strategies/s-29/disabled', value: true }];
  await send({ ...jsonPatch(last), path: pathOf(flags, 'large') });
  expect(stampOf(await read(flags, 'large'))).toMatchObject({
    'changed-by': mallory.username,
    'changed-generation': '2',
  });
});
