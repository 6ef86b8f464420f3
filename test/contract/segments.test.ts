/** The life of a segment: created, used by strategies, changed, refused, deleted, recorded. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { strategyIdOf } from '../../src/domain/flag/strategy-id.ts';
import type { Strategy } from '../../src/schema/strategy.ts';
import { aFlag, aSegment } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { writersOf } from '../support/written-as.ts';

let instance: Instance;
let round = 0;

beforeAll(async () => {
  instance = await startInstance('segments');
  await instance.apply(aFlag(`${instance.home}/reader`));
});
afterAll(() => instance.stop());

const constraint = { contextName: 'region', operator: 'IN', values: ['eu'] } as const;

/** Creates a segment that only one test uses. */
async function create(body: object = {}): Promise<Stored> {
  round += 1;
  const answer = await instance.call('POST /segments', {
    body: { name: `Segment ${round}`, constraints: [constraint], ...body },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** A flag of the project `shop` with one strategy in production. */
async function flagWith(strategy: Partial<Strategy>, more: object = {}): Promise<string> {
  round += 1;
  const production = { enabled: true, strategies: { one: { name: 'default', ...strategy } } };
  await instance.apply(aFlag(`${instance.home}/flag-${round}`, { environments: { production }, ...more }));
  return `flag-${round}`;
}
const strategiesOf = (flag: string) => `/projects/shop/features/${flag}/environments/production/strategies`;
const storedIn = async (flag: string): Promise<Strategy> =>
  (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production.strategies.one;

describe('POST', () => {
  test('201 with the id; GET answers the same; the object is in the operator namespace', async () => {
    const created = await create({ name: 'Beta testers', description: 'who agreed', unknown: 1 });
    expect(created).toEqual({
      id: expect.any(Number),
      name: 'Beta testers',
      description: 'who agreed',
      constraints: [constraint],
      project: null,
      usedInFeatures: 0,
      usedInProjects: 0,
      createdAt: expect.stringMatching(/^20\d\d-/),
    });
    expect((await instance.call(`GET /segments/${created.id}`)).body).toEqual(created);
    expect((await instance.call('GET /segments')).body.segments).toContainEqual(created);
    const { items } = await instance.cluster.getObject('fseg', instance.home);
    const specs = items.map(({ spec }: Stored) => spec);
    expect(specs).toContainEqual({ name: 'Beta testers', description: 'who agreed', constraints: [constraint] });
  });

  test('a segment of a project is in the namespace of the project', async () => {
    const { id, name } = await create({ project: 'pay' });
    expect((await instance.call(`GET /segments/${id}`)).body.project).toBe('pay');
    const { items } = await instance.cluster.getObject('fseg', instance.other);
    expect(items.map(({ spec }: Stored) => spec.name)).toContain(name);
  });

  test('409 for a name that a segment has in any namespace; validate answers the same', async () => {
    const { name } = await create({ project: 'pay' });
    const refused = { status: 409, name: 'NameExistsError', body: { name, constraints: [] } };
    const message = await instance.refuses('POST /segments', refused);
    expect(message).toBe(`A segment with the name "${name}" already exists. Choose another name.`);
    expect(await instance.refuses('POST /segments/validate', refused)).toBe(message);
    const free = await instance.untouched('POST /segments/validate', { body: { name: 'free' } });
    expect([free.status, free.text]).toEqual([204, '']);
  });

  test('400 from the rules of the cluster names the property of the body', async () => {
    const constraints = [constraint, { contextName: 'n', operator: 'NUM_GT', value: 'x' }];
    const refused = { status: 400, name: 'ValidationError', body: { name: 'bad', constraints } };
    expect(await instance.refuses('POST /segments', refused)).toContain('`constraints.1`');
  });

  test('simultaneous creations of one name: one succeeds', async () => {
    const body = { name: 'raced', constraints: [] };
    const answers = await Promise.all([1, 2, 3].map(() => instance.call('POST /segments', { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  test('an id is never used again', async () => {
    const { id } = await create();
    expect((await instance.call(`DELETE /segments/${id}`)).status).toBe(204);
    expect((await create()).id).toBeGreaterThan(id);
    await instance.refuses(`GET /segments/${id}`, { status: 404, name: 'NotFoundError' });
  });
});

describe('strategies', () => {
  test('have segments by id, which are stored as names', async () => {
    const [one, two] = [await create(), await create({ project: 'shop' })];
    const flag = await flagWith({});
    const added = await instance.call(`POST ${strategiesOf(flag)}`, {
      body: { name: 'default', segments: [two.id, one.id, two.id] },
    });
    expect([added.status, added.body.segments]).toEqual([200, [one.id, two.id]]);
    const { strategies } = (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production;
    expect(strategies[added.body.id].segments).toEqual([two.name, one.name]);
    const shown = (await instance.call(`GET /projects/shop/features/${flag}`)).body.environments[1].strategies;
    expect(shown.find(({ id }: Stored) => id === added.body.id).segments).toEqual([one.id, two.id]);
    const { segments } = (await instance.call(`GET /segments/strategies/${added.body.id}`)).body;
    expect(segments.map(({ id }: Stored) => id)).toEqual([one.id, two.id]);
  });

  test('PUT keeps segments that it leaves out, and replaces those that it names; PATCH sees ids', async () => {
    const [one, two] = [await create(), await create()];
    const flag = await flagWith({ segments: [one.name] });
    const path = `${strategiesOf(flag)}/one`;
    await instance.call(`PUT ${path}`, { body: { title: 'kept' } });
    expect(await storedIn(flag)).toMatchObject({ title: 'kept', segments: [one.name] });
    expect((await instance.call(`PUT ${path}`, { body: { segments: [two.id] } })).body.segments).toEqual([two.id]);
    const operations = [{ op: 'add', path: '/segments/-', value: one.id }];
    expect((await instance.call(`PATCH ${path}`, { body: operations })).body.segments).toEqual([one.id, two.id]);
    await instance.call(`PATCH ${path}`, { body: [{ op: 'replace', path: '/segments', value: [] }] });
    expect((await storedIn(flag)).segments).toEqual([]);
  });

  test('keep the name of a segment that does not exist until their segments change', async () => {
    const flag = await flagWith({ segments: ['to come'] });
    const path = `${strategiesOf(flag)}/one`;
    const { body } = await instance.call(`GET ${path}`);
    expect(body.segments).toEqual([]);
    expect((await instance.untouched(`PUT ${path}`, { body })).status).toBe(200);
    expect((await storedIn(flag)).segments).toEqual(['to come']);
  });

  test.each<[string, () => Promise<number>, number, string, string]>([
    ['unknown', async () => 999_999, 404, 'NotFoundError', 'No segment exists with ID "999999"'],
    [
      'of another project',
      async () => (await create({ project: 'pay' })).id,
      400,
      'ValidationError',
      'another project',
    ],
  ])('%s: refused', async (_, idOf, status, name, words) => {
    const body = { name: 'default', segments: [await idOf()] };
    const flag = await flagWith({});
    for (const request of [`POST ${strategiesOf(flag)}`, `PUT ${strategiesOf(flag)}/one`]) {
      expect(await instance.refuses(request, { status, name, body })).toContain(words);
    }
  });

  test('a segment lists the strategies of flags that are not archived, and counts the flags', async () => {
    const { id, name } = await create();
    const flag = await flagWith({ segments: [name] });
    await flagWith({ segments: [name] }, { archived: true });
    const [strategy] = (await instance.call(`GET ${strategiesOf(flag)}`)).body;
    expect((await instance.call(`GET /segments/${id}/strategies`)).body).toEqual({
      strategies: [
        {
          id: strategy.id,
          featureName: flag,
          projectId: 'shop',
          environment: 'production',
          strategyName: 'default',
        },
      ],
    });
    const { usedInFeatures, usedInProjects } = (await instance.call(`GET /segments/${id}`)).body;
    expect([usedInFeatures, usedInProjects]).toEqual([1, 1]);
    const found = await instance.call(`GET /search/features?segment=INCLUDE:${encodeURIComponent(name)}`);
    expect(found.body.features.map((one: Stored) => one.name)).toEqual([flag]);
  });
});

describe('PUT', () => {
  test('204; fields that are left out stay, null removes, and a request without a change writes nothing', async () => {
    const { id } = await create({ description: 'before' });
    const read = async () => (await instance.call(`GET /segments/${id}`)).body;
    const answer = await instance.call(`PUT /segments/${id}`, { body: { constraints: [] } });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await read()).toMatchObject({ description: 'before', constraints: [], project: null });
    await instance.call(`PUT /segments/${id}`, { body: { description: null, project: 'shop' } });
    expect(await read()).toMatchObject({ description: null, constraints: [], project: 'shop' });
    expect((await instance.untouched(`PUT /segments/${id}`, { body: await read() })).status).toBe(204);
  });

  test('400 for another name, and for a project that would lose flags or is in another namespace', async () => {
    const [near, far] = [await create(), await create({ project: 'pay' })];
    const flag = await flagWith({ segments: [near.name] });
    const refuse = (id: number, body: object) =>
      instance.refuses(`PUT /segments/${id}`, { status: 400, name: 'ValidationError', body });
    expect(await refuse(near.id, { name: 'renamed' })).toContain('Cannot change the name of a segment');
    expect(await refuse(near.id, { project: 'pay' })).toContain(`1 flag uses it (${flag}) in other projects`);
    expect(await refuse(far.id, { project: 'shop' })).toContain('a project of the same namespace');
  });

  test('a new description does not change the flags that use it', async () => {
    const { id, name } = await create();
    const flag = await flagWith({ segments: [name] });
    const etag = async () => (await instance.call(`GET /projects/shop/features/${flag}`)).headers.get('etag');
    const before = await etag();
    await instance.call(`PUT /segments/${id}`, { body: { description: 'same users' } });
    expect(await etag()).toBe(before);
  });
});

test('the manifest is read, and answered by a dry run', async () => {
  const YAML = { headers: { accept: 'application/yaml' } };
  const { id, name } = await create({ description: 'd' });
  const read = await instance.call(`GET /segments/${id}`, YAML);
  expect(read.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
  const { kind, metadata, spec } = parse(read.text);
  expect([kind, metadata.namespace, spec]).toEqual([
    'Segment',
    instance.home,
    { name, description: 'd', constraints: [constraint] },
  ]);

  const headers = { ...YAML.headers, 'if-match': read.headers.get('etag') ?? '' };
  const body = { name, description: 'other', constraints: [constraint] };
  const changed = await instance.untouched(`PUT /segments/${id}?dryRun=true`, { body, headers });
  expect([changed.status, parse(changed.text)]).toEqual([
    200,
    { ...parse(read.text), spec: { ...spec, description: 'other' } },
  ]);
  const created = await instance.untouched('POST /segments?dryRun=true', {
    ...YAML,
    body: { ...body, name: 'New one' },
  });
  expect([created.status, parse(created.text).spec]).toEqual([201, { ...spec, name: 'New one', description: 'other' }]);

  expect((await instance.call(`PUT /segments/${id}`, { body, headers })).status).toBe(204);
  expect((await instance.untouched(`PUT /segments/${id}`, { body, headers })).status).toBe(412);
});

describe('POST /segments/strategies', () => {
  const idOf = (flag: string, environment = 'production') => strategyIdOf({ flag, environment, key: 'one' });
  const bodyFor = (flag: string, ...segmentIds: readonly number[]) => {
    return { projectId: 'shop', environmentId: 'production', strategyId: idOf(flag), segmentIds };
  };
  const SET = 'POST /segments/strategies';

  test('sets the segments, answers the body with 201 as Unleash does, and changes nothing else', async () => {
    const [one, two] = [await create(), await create()];
    const constraints = [{ ...constraint, values: ['eu'] }];
    const flag = await flagWith({ title: 'kept', segments: [one.name], constraints });
    const answer = await instance.call(SET, { body: bodyFor(flag, two.id) });
    expect([answer.status, answer.body]).toEqual([201, bodyFor(flag, two.id)]);
    const rest = { name: 'default', title: 'kept', constraints };
    expect(await storedIn(flag)).toEqual({ ...rest, segments: [two.name] });
    await instance.untouched(`${SET}?dryRun=true`, { body: bodyFor(flag) });
    await instance.call(SET, { body: bodyFor(flag) });
    expect(await storedIn(flag)).toEqual({ ...rest, segments: [] });
  });

  test('finds the strategy only in its project and environment', async () => {
    const flag = await flagWith({});
    for (const place of [{ projectId: 'pay' }, { environmentId: 'development' }]) {
      const refused = { status: 404, name: 'NotFoundError', body: { ...bodyFor(flag), ...place } };
      expect(await instance.refuses(SET, refused)).toContain('No flag has a strategy with the id');
    }
  });

  test('refuses the segment of another project, and a strategy whose id several flags have', async () => {
    const far = await create({ project: 'pay' });
    const flag = await flagWith({});
    await instance.refuses(SET, { status: 400, name: 'ValidationError', body: bodyFor(flag, far.id) });
    const strategyId = '3f2c1a7e-5b7d-4c1a-9a51-0c6f2a3b4c5d';
    const environments = { production: { strategies: { [strategyId]: { name: 'default' } } } };
    for (const name of ['twin-a', 'twin-b']) await instance.apply(aFlag(`${instance.home}/${name}`, { environments }));
    const body = { ...bodyFor(flag), strategyId };
    const message = await instance.refuses(SET, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('`strategyId` property is the id of strategies of several flags');
  });

  test('does not change a field that Git owns', async () => {
    const { name } = await create();
    const writers = writersOf(instance.cluster);
    const environments = { production: { strategies: { one: { name: 'default', segments: [name] } } } };
    await writers.apply('kustomize-controller', aFlag(`${instance.home}/of-git`, { environments }));
    writers.close();
    await instance.served('GET /projects/shop/features/of-git');
    const refused = { status: 409, name: 'FieldManagedError', body: bodyFor('of-git') };
    expect(await instance.refuses(SET, refused)).toContain('spec.environments.production.strategies.one.segments');
  });
});

describe('DELETE', () => {
  test('409 while flags use it, archived ones excepted; then 204', async () => {
    const { id, name } = await create();
    const flag = await flagWith({ segments: [name] });
    const refused = { status: 409, name: 'InUseError' };
    expect(await instance.refuses(`DELETE /segments/${id}`, refused)).toContain(`1 flag uses it (${flag})`);
    expect((await instance.call(`DELETE /projects/shop/features/${flag}`)).status).toBe(202);
    expect((await instance.call(`DELETE /segments/${id}`)).status).toBe(204);
  });
});

test('an object that kubectl created is a segment of the API', async () => {
  await instance.apply(aSegment(`${instance.home}/by-kubectl`, { id: 500, description: 'd' }));
  const { body } = await instance.served('GET /segments/500');
  expect(body).toMatchObject({ id: 500, name: 'by-kubectl', description: 'd', constraints: [] });
});

test('the history has each write, with its author and the id', async () => {
  const { id, name } = await create({ description: 'first', project: 'shop' });
  await instance.call(`PUT /segments/${id}`, { body: { description: 'second' } });
  await instance.call(`DELETE /segments/${id}`);
  const search = `GET /search/events?type=IS_ANY_OF:segment-created,segment-updated,segment-deleted&query=${encodeURIComponent(name)}`;
  const events = async (): Promise<Stored[]> => (await instance.call(search)).body.events;
  const last = async () => (await events()).at(0)?.type;
  await expect.poll(last).toBe('segment-deleted');
  const own = (await events()).filter(({ createdBy }) => createdBy === 'unknown');
  expect(
    own.map(({ type, project, data, preData }) => [type, project, data?.description, preData?.description]),
  ).toEqual([
    ['segment-deleted', 'shop', undefined, 'second'],
    ['segment-updated', 'shop', 'second', 'first'],
    ['segment-created', 'shop', 'first', undefined],
  ]);
  expect(own[0]?.preData.id).toBe(id);
});
