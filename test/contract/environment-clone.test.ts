/** POST /environments/:environment/clone: cloning an environment. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Expected, type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let home: string;

const on = { enabled: true, strategies: { all: { name: 'default' } } };

const rich: FlagSpec = {
  environments: {
    production: {
      enabled: true,
      strategies: {
        first: {
          name: 'flexibleRollout',
          title: 'Staff',
          parameters: { rollout: 25, groupId: 'g', stickiness: 'default' },
        },
        second: {
          name: 'default',
          disabled: true,
          sortOrder: 1,
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
          variants: [{ name: 'v' }],
        },
      },
      variants: [{ name: 'only', payload: { type: 'string', value: 'x' } }],
    },
  },
};

beforeAll(async () => {
  instance = await startInstance('env-clone');
  home = instance.home;
  await instance.apply(
    aFlag(`${home}/rich`, rich),
    aFlag(`${home}/off`, { environments: { production: { ...on, enabled: false } } }),
    aFlag(`${instance.other}/paid`, { project: 'pay', environments: { production: on } }),
  );
});
afterAll(() => instance?.stop());

const clone = (body: unknown, source = 'production') => instance.call(`POST /environments/${source}/clone`, { body });

/** The generation of each environment at the API server, by name. */
async function environments(): Promise<Record<string, number>> {
  const { items } = await instance.cluster.getObject('fenv', home);
  return Object.fromEntries(items.map(({ metadata }: Stored) => [metadata.name, metadata.generation]));
}

async function environment(name: string): Promise<Stored> {
  return instance.cluster.getObject(`fenv/${name}`, home);
}

/** Checks that the call is refused and writes no flag and no environment. Returns the message. */
async function refuses(body: unknown, { source = 'production', ...expected }: Expected & { source?: string }) {
  const before = await environments();
  const message = await instance.refuses(`POST /environments/${source}/clone`, { body, ...expected });
  expect(await environments()).toEqual(before);
  return message;
}

const invalid = { status: 400, name: 'ValidationError' } as const;

describe('what the service does, 6, and endpoint 21: POST /environments/:name/clone, 200: environment', () => {
  test('with every field of the specification, enabled, not protected, next in order', async () => {
    await instance.apply(anEnvironment(`${home}/guarded`, { protected: true, enabled: false, sortOrder: 7 }));
    const { status, body } = await clone({ name: 'whole', type: 'pre-production', projects: ['shop'] }, 'guarded');
    expect(status).toBe(200);
    expect(body).toEqual({
      name: 'whole',
      displayName: 'whole',
      type: 'pre-production',
      enabled: true,
      protected: false,
      sortOrder: 8,
      freeze: null,
      projectCount: 2,
      apiTokenCount: 0,
      enabledToggleCount: 0,
    });
    const { spec } = await environment('whole');
    expect(spec).toEqual({ type: 'pre-production', sortOrder: 8, clone: { from: 'guarded', projects: ['shop'] } });
  });

  test('shows at once the configuration of the flags of the projects', async () => {
    const { status, body } = await clone({ name: 'staging', type: 'test', projects: ['shop', 'pay'] });
    expect([status, body.enabledToggleCount]).toEqual([200, 2]);
    const { body: flag } = await instance.call('GET /projects/shop/features/rich?variantEnvironments=true');
    const at = (wanted: string) => flag.environments.find(({ name }: Stored) => name === wanted);
    const withoutId = ({ id: _, ...strategy }: Stored) => strategy;
    const comparable = ({ enabled, strategies, variants }: Stored) => [enabled, strategies.map(withoutId), variants];
    expect(comparable(at('staging'))).toEqual(comparable(at('production')));
    expect(at('staging').strategies).toHaveLength(2);
    const ids = [at('production'), at('staging')].flatMap(({ strategies }) => strategies.map(({ id }: Stored) => id));
    expect(new Set(ids).size).toBe(4);
    expect((await instance.flag(`${home}/off`)).spec.environments.staging.enabled).toBe(false);
    expect((await instance.flag(`${instance.other}/paid`)).spec.environments.staging.enabled).toBe(true);
  });

  test.each([
    ['left out', {}],
    ['null', { projects: null, clonePermissions: null }],
    ['empty', { projects: [] }],
  ])('created without projects when they are %s', async (title, more) => {
    const name = `bare-${title.replace(' ', '-')}`;
    const flags = await instance.versions();
    const body = { name, type: 'test', ...more };
    expect((await instance.call('POST /environments/production/clone', { body })).status).toBe(200);
    expect(await instance.versions(), 'no flag is written').toEqual(flags);
    expect((await environment(name)).spec.clone).toEqual({ from: 'production' });
  });

  test('projects that list their environments gain the new one', async () => {
    await instance.apply(aProject(`${home}/lists`, { environments: ['development'] }));
    const { body } = await clone({ name: 'gained', type: 'test', projects: ['lists'] });
    expect(body.projectCount).toBe(3);
    const { body: overview } = await instance.call('GET /projects/lists');
    expect(overview.environments).toEqual([{ environment: 'development' }, { environment: 'gained' }]);
  });

  test('clonePermissions is stored when it is false', async () => {
    await clone({ name: 'impersonal', type: 'test', clonePermissions: false });
    expect((await environment('impersonal')).spec.clone).toEqual({ from: 'production', permissions: false });
  });

  test('a name that is no object name, a custom type, unknown properties', async () => {
    const { status, body } = await clone({ name: 'Canary.(EU)', type: 'canary', color: 'yellow' });
    expect([status, body.name, body.type]).toEqual([200, 'Canary.(EU)', 'canary']);
    const names = Object.keys(await environments()).filter((name) => /^canary-eu-[0-9a-f]{10}$/.test(name));
    expect(names).toHaveLength(1);
  });

  test('the same body again has the same answer, and writes nothing', async () => {
    const body = { name: 'twice', type: 'test', projects: ['shop', 'pay'] };
    const first = await clone(body);
    const before = await environments();
    const again = await instance.untouched('POST /environments/production/clone', {
      body: { ...body, projects: ['pay', 'shop', 'pay'] },
    });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await environments()).toEqual(before);
  });

  test('simultaneous calls with the same body create one environment, and all are answered', async () => {
    const body = { name: 'crowd', type: 'test', projects: ['shop'] };
    const answers = await Promise.all(Array.from({ length: 5 }, () => clone(body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await instance.flag(`${home}/rich`)).spec.environments.crowd.enabled).toBe(true);
  });

  test('dryRun=true has the answer of a write, and writes nothing', async () => {
    const before = await environments();
    const body = { name: 'dry', type: 'test', projects: ['shop'] };
    const answer = await instance.untouched('POST /environments/production/clone?dryRun=true', { body });
    expect([answer.status, answer.body.name, answer.body.type]).toEqual([200, 'dry', 'test']);
    expect(await environments()).toEqual(before);
  });
});

describe('endpoint 21, 400: validation error', () => {
  test.each<[string, object, readonly string[]]>([
    ['name is missing', { type: 'test' }, ['`name`', 'is required']],
    ['name is not URL friendly', { name: 'a b', type: 'test' }, ['`name`', 'URL friendly', '"a b"']],
    ['type is missing', { name: 'bad' }, ['`type`', 'is required']],
    ['type is empty', { name: 'bad', type: '' }, ['`type`', '""']],
    [
      'a project is unknown',
      { name: 'bad', type: 'test', projects: ['shop', 'nowhere'] },
      ['`projects.1`', '"nowhere"'],
    ],
  ])('%s', async (_, body, says) => {
    const message = await refuses(body, invalid);
    for (const part of says) expect(message).toContain(part);
  });

  test('dryRun=true is refused for the same reasons', async () => {
    const body = { name: 'bad', type: 'test', projects: ['nowhere'] };
    await instance.refuses('POST /environments/production/clone?dryRun=true', { body, ...invalid });
  });

  test('a flag that cannot have one more environment: the answer names it, no flag is written, the name stays free', async () => {
    const full = Object.fromEntries(Array.from({ length: 29 }, (_, index) => [`e${index}`, { enabled: false }]));
    await instance.apply(
      aProject(`${home}/crowded`),
      aFlag(`${home}/fits`, { project: 'crowded', environments: { production: on } }),
      aFlag(`${home}/full`, { project: 'crowded', environments: { ...full, production: on } }),
    );
    const generations = async () =>
      Promise.all(['fits', 'full'].map(async (name) => (await instance.flag(`${home}/${name}`)).metadata.generation));
    const before = await generations();
    const { status, body } = await clone({ name: 'thirty-first', type: 'test', projects: ['crowded'] });
    expect([status, body.name]).toEqual([400, 'ValidationError']);
    expect(body.message).toContain('flag "full"');
    expect(await environments()).not.toHaveProperty('thirty-first');
    expect(await generations()).toEqual(before);
    expect((await clone({ name: 'thirty-first', type: 'test', projects: ['shop'] })).status).toBe(200);
  });
});

describe('404', () => {
  test('the source is unknown', async () => {
    const expected = { status: 404, name: 'NotFoundError', source: 'nowhere' };
    expect(await refuses({ name: 'bad', type: 'test' }, expected)).toContain('nowhere');
  });
});

describe('409', () => {
  const taken = { status: 409, name: 'NameExistsError' } as const;
  beforeAll(async () => {
    await clone({ name: 'made', type: 'test', projects: ['shop'] });
  });

  test.each<[string, object]>([
    ['an environment has the name', { name: 'development', type: 'development' }],
    ['it is the name of the source', { name: 'production', type: 'production' }],
    ['the clone of that name has another type', { name: 'made', type: 'production', projects: ['shop'] }],
    ['the clone of that name has other projects', { name: 'made', type: 'test', projects: ['shop', 'pay'] }],
    ['the clone of that name has no projects', { name: 'made', type: 'test' }],
    [
      'the clone of that name goes without permissions',
      { name: 'made', type: 'test', projects: ['shop'], clonePermissions: false },
    ],
  ])('%s', async (_, body) => {
    await refuses(body, taken);
  });

  test('the clone of that name has another source', async () => {
    await refuses({ name: 'made', type: 'test', projects: ['shop'] }, { ...taken, source: 'development' });
  });

  test('the name is checked before the source', async () => {
    await refuses({ name: 'development', type: 'test' }, { ...taken, source: 'nowhere' });
  });

  test('the source is itself an unfinished clone', async () => {
    await instance.apply(anEnvironment(`${home}/hanging`, { clone: { from: 'nowhere' } }));
    const expected = { status: 409, name: 'ConcurrentUpdateError', source: 'hanging' };
    expect(await refuses({ name: 'bad', type: 'test' }, expected)).toContain('"hanging" is itself a clone');
  });

  test('simultaneous calls with different bodies: one environment is created, and one of them is refused', async () => {
    const bodies = [['shop'], ['pay']].map((projects) => ({ name: 'duel', type: 'test', projects }));
    const answers = await Promise.all(bodies.map((body) => clone(body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.name).toBe('NameExistsError');
  });
});

test('a clone that kubectl created is joined, and stays when it fails', async () => {
  const full = Object.fromEntries(Array.from({ length: 29 }, (_, index) => [`e${index}`, { enabled: false }]));
  await instance.apply(
    aProject(`${home}/brimful`),
    aFlag(`${home}/brimful`, { project: 'brimful', environments: { ...full, production: on } }),
    anEnvironment(`${home}/by-hand`, { type: 'test', clone: { from: 'production', projects: ['shop'] } }),
    anEnvironment(`${home}/by-hand-fails`, { type: 'test', clone: { from: 'production', projects: ['brimful'] } }),
  );
  expect((await clone({ name: 'by-hand', type: 'test', projects: ['shop'] })).status).toBe(200);
  const { status, body } = await clone({ name: 'by-hand-fails', type: 'test', projects: ['brimful'] });
  expect([status, body.name]).toEqual([400, 'ValidationError']);
  expect(await environments()).toHaveProperty('by-hand-fails');
});
