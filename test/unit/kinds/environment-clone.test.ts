/** The steps of a clone: what each writes, its status, the next step. */
import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { ClusterError } from '../../../src/errors.ts';
import { environmentCloning } from '../../../src/kinds/environment-clone.ts';
import type { Edit } from '../../../src/kube/write/change.ts';
import type { CustomObject, Ref } from '../../../src/model/object.ts';
import type { CloneStatus } from '../../../src/schema/environment.ts';
import type { EventContent } from '../../../src/schema/event.ts';
import { aWorld } from '../catalog/world.ts';
import { CREATED } from '../domain/objects.ts';

const on = { enabled: true };
const role = {
  metadata: {
    namespace: 'home',
    name: 'editor',
    uid: 'role',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: CREATED,
  },
  spec: { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' }] },
  rawSpec: {},
  status: undefined,
  defects: [],
  owners: [],
};

interface SetUp {
  /** Throws to refuse the write of this object. */
  readonly refuse?: (name: string) => void;
  /** If false, a write does not stay, as if another client reverted it at once. */
  readonly stays?: boolean;
}

/** The flags `a`, `b` and `c` are on in production, and the spec of staging names production to clone. */
function setUp({ refuse = () => undefined, stays = true }: SetUp = {}) {
  const world = aWorld();
  const catalog = createCatalog(world.caches, Date.now, { home: 'home' });
  const [written, events]: [string[], EventContent[]] = [[], []];
  const change =
    <S, T>(kind: string, found: (ref: Ref) => CustomObject<S, T> | undefined, keep: (place: string, spec: S) => void) =>
    async ({ namespace, name }: Ref, edit: Edit<S, T>, { dryRun }: { readonly dryRun: boolean }) => {
      refuse(name);
      written.push(`${dryRun ? 'tries' : 'writes'} ${kind} ${name}`);
      const object = found({ namespace, name });
      if (object && stays && !dryRun) keep(`${namespace}/${name}`, edit(object));
    };
  const { flags, projects, environments } = world.caches;
  const step = environmentCloning({
    catalog,
    flags: { change: change('flag', flags.get, (place, spec) => world.flag(place, spec)) },
    projects: { change: change('project', projects.get, (place, spec) => world.project(place, spec)) },
    roles: {
      all: () => [role],
      change: change(
        'role',
        () => role,
        () => undefined,
      ),
    },
    now: Date.now,
  });
  world.project('home/shop', { environments: ['production'] });
  for (const name of ['a', 'b', 'c']) world.flag(`home/${name}`, { environments: { production: on } });
  const requires = (clone: CloneStatus | undefined, more: object = {}, name = 'staging') =>
    world.environment(
      `home/${name}`,
      { clone: { from: 'production', projects: ['shop'], ...more } },
      { status: { clone } },
    );
  requires(undefined);
  return {
    world,
    written,
    events,
    requires,
    async step(name = 'staging') {
      const environment = environments.get({ namespace: 'home', name });
      if (!environment) throw new Error(`${name} is not there`);
      const report = await step(environment, async (recorded) => void events.push(recorded));
      requires(report.status, {}, name);
      return report;
    },
  };
}

test('no flag is written before the phase after Validating, and nothing before all was tried', async () => {
  const { step, written } = setUp();
  expect((await step()).status?.phase).toBe('Validating');
  expect(written).toEqual([]);
  expect((await step()).status?.phase).toBe('Copying');
  expect(written.every((one) => one.startsWith('tries'))).toBe(true);
  expect(written.map((one) => one.slice('tries '.length))).toEqual([
    'project shop',
    'role editor',
    'flag a',
    'flag b',
    'flag c',
  ]);
  written.length = 0;
  expect((await step()).status).toMatchObject({ phase: 'Done', flags: 3, copied: 3 });
  expect(written).toEqual([
    'writes project shop',
    'writes role editor',
    'writes flag a',
    'writes flag b',
    'writes flag c',
  ]);
});

test('after its end nothing is written or reported any more', async () => {
  const { step, written, events } = setUp();
  for (let steps = 0; steps < 3; steps += 1) await step();
  const { length } = written;
  expect(await step()).toMatchObject({ status: { phase: 'Done' }, findings: [] });
  expect(written).toHaveLength(length);
  expect(events.map(({ reason }) => reason)).toEqual(['EnvironmentCloned']);
});

test('a copy that a user removes at once is not made again', async () => {
  const { step, written } = setUp({ stays: false });
  for (let steps = 0; steps < 2; steps += 1) await step();
  expect((await step()).status).toMatchObject({ phase: 'Done', flags: 3, copied: 0 });
  expect(written.filter((one) => one.startsWith('writes flag'))).toEqual([
    'writes flag a',
    'writes flag b',
    'writes flag c',
  ]);
});

test('what is remembered of clones that never end is bounded: the oldest one begins again', async () => {
  const { step, written, requires } = setUp({
    stays: false,
    refuse: (name) => {
      if (name === 'b') throw new ClusterError('conflict', 'overtaken');
    },
  });
  const stepOf = async (name: string) => {
    requires({ phase: 'Copying' }, {}, name);
    written.length = 0;
    await step(name);
    return written.filter((one) => one.startsWith('writes flag'));
  };
  const others = async (count: number, prefix: string) => {
    for (let number = 0; number < count; number += 1) await stepOf(`${prefix}${number}`);
  };
  const all = ['writes flag a', 'writes flag c'];
  expect(await stepOf('staging')).toEqual(all);
  await others(19, 'x');
  expect(await stepOf('staging')).toEqual([]);
  await others(20, 'y');
  expect(await stepOf('staging')).toEqual(all);
});

test('permissions stay as they are when the clone excludes them', async () => {
  const { step, written, requires } = setUp();
  requires(undefined, { permissions: false });
  await step();
  requires({ phase: 'Validating' }, { permissions: false });
  await step();
  expect(written).not.toContain('tries role editor');
});

test('a refusal before the first write is the end: it names each object, and an Event reports it', async () => {
  const { step, written, events } = setUp({
    refuse: (name) => {
      if (name !== 'a') throw new ClusterError('invalid', 'no room');
    },
  });
  await step();
  const { status, findings } = await step();
  expect(status).toMatchObject({ phase: 'Failed', message: 'flag "b": no room (and 3 more)' });
  expect(findings.map(({ reason }) => reason)).toEqual(['CloneFailed']);
  expect(events.map(({ reason }) => reason)).toEqual(['CloneFailed']);
  expect((await step()).status?.phase).toBe('Failed');
  expect(written).toEqual(['tries flag a']);
});

test('a refusal in the middle skips that flag, and it is tried again later', async () => {
  let isMended = false;
  const { step, written, requires } = setUp({
    refuse: (name) => {
      if (name === 'b' && !isMended) throw new ClusterError('forbidden', 'not this one');
    },
  });
  requires({ phase: 'Copying' });
  const { status, findings, recheckInMs } = await step();
  expect(status).toMatchObject({ phase: 'Copying', flags: 3, copied: 2 });
  expect(findings[0]).toMatchObject({ reason: 'CloneFailed', message: 'flag "b": not this one' });
  expect(recheckInMs).toBe(10_000);
  isMended = true;
  written.length = 0;
  expect((await step()).status).toMatchObject({ phase: 'Done', copied: 3 });
  expect(written.filter((one) => one.startsWith('writes flag'))).toEqual(['writes flag b']);
});

test('a flag that cannot be read, or that would be larger than etcd stores, is skipped; status and Event name it', async () => {
  const { world, step, events, written } = setUp({
    refuse: (name) => {
      if (name === 'b') throw new ClusterError('too-large', 'etcdserver: request is too large');
    },
  });
  world.flag('home/odd', { environments: { production: { ...on, enabled: 'yes' } } });
  for (let steps = 0; steps < 2; steps += 1) await step();
  const { status, findings } = await step();
  expect(status).toMatchObject({ phase: 'Done', flags: 4, copied: 2 });
  expect(status?.message).toBe('flag "b": etcdserver: request is too large (and 1 more)');
  expect([findings, events[0]?.note]).toEqual([[], expect.stringContaining('; not copied: flag "b"')]);
  expect(written).not.toContain('writes flag odd');
});

test('an API server that cannot be reached is no verdict: the step throws after all its work has ended', async () => {
  const { step, requires } = setUp({
    refuse: (name) => {
      if (name === 'b') throw new ClusterError('unavailable', 'away');
    },
  });
  requires({ phase: 'Copying' });
  await expect(step()).rejects.toThrow('away');
});

test.each(['not-found', 'conflict'] as const)(
  'a flag that others changed (%s) is read again, and is no refusal',
  async (code) => {
    const { step } = setUp({
      refuse: (name) => {
        if (name === 'b') throw new ClusterError(code, 'overtaken');
      },
    });
    await step();
    expect((await step()).status?.phase).toBe('Copying');
    expect(await step()).toMatchObject({ status: { phase: 'Copying', copied: 2 }, recheckInMs: 0 });
  },
);

test('a project that is deleted in the middle: the clone waits, and continues when the project returns', async () => {
  const { world, step, written, requires } = setUp();
  requires({ phase: 'Copying', flags: 3, copied: 0 });
  world.remove('Project home/shop');
  const { status, findings, recheckInMs } = await step();
  expect(status).toMatchObject({ phase: 'Copying' });
  expect(findings.map(({ reason }) => reason)).toEqual(['ProjectNotFound']);
  expect([written, recheckInMs]).toEqual([[], undefined]);
  world.project('home/shop');
  expect((await step()).status?.phase).toBe('Done');
});
