/** The CRDs in use: immutable fields, size limits, columns of kubectl. */
import { beforeAll, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import { aFlag, anEnvironment, aProject, aRole, aStrategyType, aUser } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { long, many } from '../unit/schema/spec-row.ts';

const cluster = sharedCluster();
let namespace: string;

beforeAll(async () => {
  namespace = await cluster.freshNamespace('use');
});

const builders = {
  ff: aFlag,
  fp: aProject,
  fenv: anEnvironment,
  fuser: aUser,
  frole: aRole,
  fstrat: aStrategyType,
};

/** Creates the object again, and returns the refusal of a patch of it; empty if the API server accepts the patch. */
async function complaint(short: keyof typeof builders, spec: object | null, patch: object): Promise<string> {
  await removeThing(short);
  const body = { ...builders[short](`${namespace}/thing`), spec };
  await cluster.request({ method: 'POST', path: objectPath(short, namespace), body });
  return complaintAbout(`${short}/thing`, patch);
}

async function removeThing(short: keyof typeof builders): Promise<void> {
  await cluster.deleteObject(`${short}/thing`, namespace).catch((error: unknown) => {
    if (!isClusterError(error, 'not-found')) throw error;
  });
}

async function complaintAbout(what: string, patch: object): Promise<string> {
  try {
    await cluster.patchObject(what, namespace, patch);
    return '';
  } catch (error) {
    if (isClusterError(error, 'invalid')) return error.message;
    throw error;
  }
}

const removal = [{ op: 'remove', path: '/spec' }];

/** The rule is the same for all kinds: a flag shows all of it, and each other kind that it has the rule. */
const some = (short: string, rows: readonly NameRow[], kept: number) => (short === 'ff' ? rows : rows.slice(-kept));
type NameRow = [string, object | null, object];

describe.each(['ff', 'fp', 'fenv', 'frole', 'fstrat'] as const)('the name of a %s', (short) => {
  const allowed: readonly NameRow[] = [
    ['may be written out when it was absent', {}, { spec: { name: 'thing' } }],
    ['may be written out when there was no spec', null, { spec: { name: 'thing' } }],
    ['may be left out again when it is that of the object', { name: 'thing' }, { spec: { name: null } }],
    ['stays when spec becomes null and it is that of the object', {}, { spec: null }],
    ['stays when spec is removed and it is that of the object', { name: 'thing' }, removal],
  ];
  const refused: readonly NameRow[] = [
    ['be given when it was absent', {}, { spec: { name: 'Wire' } }],
    ['be given when there was no spec', null, { spec: { name: 'Wire' } }],
    ['be taken away', { name: 'Wire' }, { spec: { name: null } }],
    ['go with spec: null', { name: 'Wire' }, { spec: null }],
    ['go with the spec', { name: 'Wire' }, removal],
    ['be changed', { name: 'Wire' }, { spec: { name: 'Other' } }],
  ];

  test.each(some(short, allowed, 1))('%s', async (_, spec, patch) => {
    expect(await complaint(short, spec, patch)).toBe('');
  });

  test.each(some(short, refused, 2))('cannot %s', async (_, spec, patch) => {
    const said = await complaint(short, spec, patch);
    expect(said).toContain('spec.name');
    expect(said).toContain('is immutable (absent means metadata.name): create another object under the new name');
  });
});

describe('the name of a user', () => {
  test.each<[string, object | null, object]>([
    ['may be written out when it was absent', {}, { spec: { username: 'thing' } }],
    ['stays when spec is removed and it is that of the object', { username: 'thing' }, removal],
  ])('%s', async (_, spec, patch) => {
    expect(await complaint('fuser', spec, patch)).toBe('');
  });

  test.each<[string, object | null, object]>([
    ['be changed', { username: 'ada@example.com' }, { spec: { username: 'lin@example.com' } }],
    ['be given when it was absent', {}, { spec: { username: 'ada@example.com' } }],
    ['go with the spec', { username: 'ada@example.com' }, removal],
  ])('cannot %s', async (_, spec, patch) => {
    expect(await complaint('fuser', spec, patch)).toContain('spec.username is immutable (absent means metadata.name)');
  });
});

describe.each(['fuser', 'frole'] as const)('the id of a %s', (short) => {
  const GIVEN = 40;

  /** Gives the object an id as the operator does, then tries the patch. */
  async function complaintOnceGiven(spec: object, patch: object, subresource = ''): Promise<string> {
    await complaint(short, spec, { metadata: { labels: { a: 'b' } } });
    await cluster.patchObject(`${short}/thing/status`, namespace, { status: { id: GIVEN } });
    return complaintAbout(`${short}/thing${subresource}`, patch);
  }

  test.each<[string, object, object]>([
    ['may be pinned as what it is', {}, { spec: { id: GIVEN } }],
    ['may be left out again', { id: GIVEN }, { spec: { id: null } }],
    ['may be left out with the spec', { id: GIVEN }, { spec: null }],
  ])('%s', async (_, spec, patch) => {
    expect(await complaintOnceGiven(spec, patch)).toBe('');
  });

  test('cannot be pinned to another value', async () => {
    for (const spec of [{}, { id: GIVEN }]) {
      const said = await complaintOnceGiven(spec, { spec: { id: GIVEN + 1 } });
      expect(said).toContain('spec.id must be status.id, since that id is in use');
    }
  });

  test('cannot be changed in the status', async () => {
    const said = await complaintOnceGiven({}, { status: { id: GIVEN + 1 } }, '/status');
    expect(said).toContain('status.id cannot change once it is given');
  });

  test('may be pinned to another value as long as it is not assigned', async () => {
    expect(await complaint(short, { id: GIVEN }, { spec: { id: GIVEN + 1 } })).toBe('');
  });
});

describe('the project of a flag', () => {
  test.each<[string, object | null, object]>([
    ['may be written out when it was absent', { project: undefined }, { spec: { project: 'default' } }],
    ['may be left out when it is default', { project: 'default' }, { spec: { project: null } }],
    ['stays with spec: null when it is default', { project: 'default' }, { spec: null }],
    ['may be written out when there was no spec', null, { spec: { project: 'default' } }],
  ])('%s', async (_, spec, patch) => {
    expect(await complaint('ff', spec, patch)).toBe('');
  });

  test.each<[string, object | null, object]>([
    ['be changed', { project: 'shop' }, { spec: { project: 'pay' } }],
    ['be given when it was absent', {}, { spec: { project: 'shop' } }],
    ['be taken away', { project: 'shop' }, { spec: { project: null } }],
    ['go with spec: null', { project: 'shop' }, { spec: null }],
    ['go with the spec', { project: 'shop' }, removal],
  ])('cannot %s', async (_, spec, patch) => {
    const said = await complaint('ff', spec, patch);
    expect(said).toContain('spec.project is immutable (absent means default): delete the flag, then create it');
  });
});

describe('the clone of an environment', () => {
  const clone = { from: 'production', projects: ['shop', 'pay'] };

  test.each<[string, object | null, object]>([
    ['beside it may change', { clone }, { spec: { enabled: false, sortOrder: 3 } }],
    ['may list its projects in another order', { clone }, { spec: { clone: { projects: ['pay', 'shop'] } } }],
    ['absent, stays absent with spec: null', {}, { spec: null }],
    ['absent, stays absent where there was no spec', null, { spec: { type: 'test' } }],
  ])('%s', async (_, spec, patch) => {
    expect(await complaint('fenv', spec, patch)).toBe('');
  });

  test.each<[string, object | null, object]>([
    ['be of another one', { clone }, { spec: { clone: { from: 'development' } } }],
    ['be of other projects', { clone }, { spec: { clone: { projects: ['shop'] } } }],
    ['have other permissions', { clone }, { spec: { clone: { permissions: false } } }],
    ['be asked for later', {}, { spec: { clone } }],
    ['be asked for where there was no spec', null, { spec: { clone } }],
    ['be taken away', { clone }, { spec: { clone: null } }],
    ['go with spec: null', { clone }, { spec: null }],
    ['go with the spec', { clone }, removal],
  ])('cannot %s', async (_, spec, patch) => {
    const said = await complaint('fenv', spec, patch);
    expect(said).toContain(
      'spec.clone is immutable, and only a new environment can be a clone: create another environment',
    );
  });

  test('kubectl shows why it cannot change', async () => {
    await complaint('fenv', { clone }, { spec: { enabled: false } });
    const args = ['patch', 'fenv', 'thing', '-n', namespace, '--type=merge', '-p', '{"spec":{"clone":null}}'];
    const { code, stderr } = await cluster.kubectl(args);
    expect([code, stderr]).toEqual([1, expect.stringContaining('spec.clone is immutable, and only a new environment')]);
  });

  test.each([
    ['by the name of the object', { clone: { from: 'itself' } }],
    ['by the name on the wire', { name: 'Wire', clone: { from: 'Wire' } }],
  ])('cannot have itself as source, %s', async (_, spec) => {
    const call = {
      method: 'POST',
      path: objectPath('fenv', namespace),
      body: anEnvironment(`${namespace}/itself`, spec),
    };
    await expect(cluster.request(call as Call)).rejects.toThrow('spec.clone.from names this environment itself');
  });
});

describe('the size of one flag', () => {
  const strategies = (count: number, more: object) =>
    Object.fromEntries(many(count, (index) => [`s${index}`, { name: 'default', ...more }]));
  const constraints = many(30, () => ({ contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] }));
  const environments = (count: number, value: object) =>
    Object.fromEntries(many(count, (index) => [`environment-${index}`, value]));

  test.each<[string, object]>([
    ['30 environments with 30 strategies each', { environments: environments(30, { strategies: strategies(30, {}) }) }],
    [
      '30 constraints in every strategy',
      { environments: environments(3, { strategies: strategies(30, { constraints }) }) },
    ],
    [
      '250 values of 100 characters in 30 constraints',
      {
        environments: environments(1, {
          strategies: strategies(1, {
            constraints: many(30, () => ({ contextName: 'a', operator: 'IN', values: many(250, (n) => long(95) + n) })),
          }),
        }),
      },
    ],
    ['100 variants', { variants: many(100, (index) => ({ name: `v${index}` })) }],
  ])('%s', async (_, spec) => {
    const query = { dryRun: 'All', fieldValidation: 'Strict' };
    const body = aFlag(`${namespace}/large`, spec);
    const created = await cluster.request({ method: 'POST', path: objectPath('ff', namespace), query, body });
    expect(created).toMatchObject({ metadata: { name: 'large' } });
  });
});

describe('kubectl', () => {
  test.each([
    ['ff.spec.environments.strategies', ['Strategies by id', 'All of them must hold', 'rollout, groupId, stickiness']],
    ['fuser.status', ['never reuses']],
  ])('explains every field of %s', async (path, wanted) => {
    const explained = (await cluster.kubectlOrThrow(['explain', path])).replace(/\s+/g, ' ');
    for (const want of wanted) expect(explained).toContain(want);
    expect(explained).not.toContain('<no description>');
  });

  test('shows the columns of each kind', async () => {
    const columns = {
      ff: 'NAME PROJECT TYPE ENABLED STALE READY AGE',
      fp: 'NAME DISPLAY FLAGS MEMBERS HEALTH READY AGE',
      fenv: 'NAME TYPE PROTECTED FREEZE ORDER PROJECTS ENABLED READY AGE',
      fuser: 'NAME ID USERNAME ROOT ROLE READY AGE',
      frole: 'NAME ID TYPE DISPLAY READY AGE',
      fstrat: 'NAME DISPLAY DEPRECATED READY AGE',
    } as const;
    const shorts = Object.keys(columns) as (keyof typeof columns)[];
    await cluster.apply(shorts.map((short) => builders[short](`${namespace}/shown`)));
    const tables = (await cluster.kubectlOrThrow(['get', shorts.join(','), '-n', namespace])).split('\n\n');
    const heads = tables.map((table) => table.split('\n')[0]?.trim().replace(/\s+/g, ' '));
    expect(heads).toEqual(Object.values(columns));
  });

  test('lists all kinds under one category', async () => {
    const { code } = await cluster.kubectl(['get', 'vexil', '-n', namespace]);
    expect(code).toBe(0);
  });

  test('selects flags by project', async () => {
    const manifests = [aFlag(`${namespace}/of-shop`), aFlag(`${namespace}/of-pay`, { project: 'pay' })];
    await cluster.apply(manifests);
    const args = ['get', 'ff', '-n', namespace, '--field-selector', 'spec.project=pay', '-o', 'name'];
    expect(await cluster.kubectlOrThrow(args)).toBe('featureflag.vexil.dev/of-pay\n');
  });
});
