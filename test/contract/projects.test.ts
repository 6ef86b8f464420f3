/** Projects: created, changed, deleted, with their counts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let round = 0;

beforeAll(async () => {
  instance = await startInstance('projects');
});
afterAll(() => instance.stop());

const freshId = (): string => {
  round += 1;
  return `project-${round}`;
};
const specOf = (id: string): Promise<Stored> => instance.specOf('project', `${instance.home}/${id}`);
const create = (body: object) => instance.call('POST /projects', { body });
const listed = async (id: string) =>
  (await instance.call('GET /projects')).body.projects.find((project: { id: string }) => project.id === id);

describe('create', () => {
  test('201 with the project, which is in the operator namespace, and accepts flags at once', async () => {
    const id = freshId();
    const { status, body } = await create({ id, name: 'The Büro', description: 'd', defaultStickiness: 'userId' });
    expect([status, body]).toEqual([
      201,
      {
        ...{ id, name: 'The Büro', description: 'd', health: 100, featureCount: 0, memberCount: 0, mode: 'open' },
        createdAt: expect.any(String),
      },
    ]);
    expect(await specOf(id)).toEqual({ displayName: 'The Büro', description: 'd', defaultStickiness: 'userId' });
    expect(await listed(id)).toEqual(body);
    const flag = await instance.call(`POST /projects/${id}/features`, { body: { name: `of-${id}` } });
    expect(flag.status).toBe(201);
    expect((await instance.flag(`${instance.home}/of-${id}`)).status.problems).toBeUndefined();
  });

  test('only values that differ from the default are written', async () => {
    const id = freshId();
    await create({
      id,
      name: id,
      description: null,
      defaultStickiness: null,
      mode: 'open',
      featureLimit: null,
      odd: 1,
    });
    expect(await specOf(id)).toEqual({});
  });

  test('an id that is no object name gets another object name', async () => {
    expect((await create({ id: 'Shop(2)', name: 'Second' })).status).toBe(201);
    expect((await instance.call('GET /projects/Shop(2)')).body.name).toBe('Second');
    await instance.refuses('POST /projects', {
      ...{ status: 409, name: 'NameExistsError', body: { id: 'Shop(2)', name: 'Third' } },
    });
  });

  test.each(['shop', 'pay'])('409 for the existing id %s', async (id) => {
    const refused = { status: 409, name: 'NameExistsError', body: { id, name: 'n' } };
    const message = await instance.refuses('POST /projects', refused);
    expect(message).toBe(`A project with the id "${id}" already exists. Choose another id.`);
    await instance.refuses('POST /projects/validate', { ...refused, body: { id } });
  });

  test.each<[string, object]>([
    ['without an id', { name: 'n' }],
    ['without a name', { id: 'fresh' }],
    ['with an id that is not URL friendly', { id: 'a b', name: 'n' }],
    ['that is private', { id: 'fresh', name: 'n', mode: 'private' }],
    ['with a limit of flags', { id: 'fresh', name: 'n', featureLimit: 5 }],
  ])('400 for a project %s', async (_, body) => {
    await instance.refuses('POST /projects', { status: 400, name: 'ValidationError', body });
  });

  test('validate: 200 without a body if the id is free, 400 if it is invalid; nothing is written', async () => {
    const { status, text } = await instance.untouched('POST /projects/validate', { body: { id: 'free' } });
    expect([status, text]).toEqual([200, '']);
    await instance.refuses('POST /projects/validate', { status: 400, name: 'ValidationError', body: { id: 'a/b' } });
  });

  test('a dry run answers the new project and writes nothing', async () => {
    const body = { id: 'dry', name: 'Dry' };
    const answer = await instance.untouched('POST /projects?dryRun=true', { body });
    expect(answer.body).toMatchObject({ ...body, featureCount: 0, health: 100 });
    expect(await listed('dry')).toBeUndefined();
  });

  describe('simultaneous creations', () => {
    let replica: Operator;
    beforeAll(async () => {
      replica = await startOperator(instance.cluster, instance.home, { watched: [instance.other] });
    });
    afterAll(() => replica.stop());

    test('with one id: exactly one is created', async () => {
      for (const id of ['raced', 'Raced']) {
        const body = { id, name: 'n' };
        const answers = await Promise.all(
          [instance.url, replica.url, instance.url].map((url) => adminClient(url)('POST /projects', { body })),
        );
        expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
      }
    });
  });
});

describe('change', () => {
  test('200 with the project; members, environments, naming and fields that are not on the wire stay', async () => {
    const id = freshId();
    const kept = {
      ...{ environments: ['production'], members: { ada: 'owner' }, managedFields: 'TakeOver' as const },
      flagNaming: { pattern: '.*' },
    };
    await instance.apply(aProject(`${instance.home}/${id}`, { ...kept, description: 'before' }));
    const body = { name: 'After', description: 'after', defaultStickiness: 'sessionId' };
    const answer = await instance.call(`PUT /projects/${id}`, { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, name: 'After', description: 'after' });
    expect(await specOf(id)).toEqual({
      ...kept,
      displayName: 'After',
      description: 'after',
      defaultStickiness: 'sessionId',
    });
  });

  test('fields that are left out stay; null sets the default', async () => {
    const id = freshId();
    await create({ id, name: 'Before', description: 'd', defaultStickiness: 'userId' });
    await instance.call(`PUT /projects/${id}`, { body: { name: 'After' } });
    expect(await specOf(id)).toEqual({ displayName: 'After', description: 'd', defaultStickiness: 'userId' });
    const body = { name: id, description: null, defaultStickiness: null };
    await instance.call(`PUT /projects/${id}`, { body });
    expect((await instance.call(`GET /projects/${id}`)).body).toMatchObject({
      ...{ name: id, description: '', defaultStickiness: 'default' },
    });
  });

  test('nothing is written without a change; another id is ignored', async () => {
    const id = freshId();
    await create({ id, name: id });
    const body = { id: 'other', name: id, description: '', defaultStickiness: 'default' };
    expect((await instance.untouched(`PUT /projects/${id}`, { body })).status).toBe(200);
    expect(await specOf(id)).toEqual({});
  });

  test('If-Match accepts the ETag of each answer about the project', async () => {
    const id = freshId();
    await create({ id, name: 'n' });
    for (const rest of ['', '/overview', '/health-report']) {
      const etag = (await instance.call(`GET /projects/${id}${rest}`)).headers.get('etag') ?? '';
      const answer = await instance.call(`PUT /projects/${id}`, {
        ...{ body: { name: `n${rest}` }, headers: { 'if-match': etag } },
      });
      expect(answer.status, rest).toBe(200);
    }
    const stale = { body: { name: 'n' }, headers: { 'if-match': '"stale"' } };
    await instance.refuses(`PUT /projects/${id}`, { status: 412, name: 'PreconditionFailedError', ...stale });
    const { headers } = stale;
    await instance.refuses(`DELETE /projects/${id}`, { status: 412, name: 'PreconditionFailedError', headers });
  });

  test('404 for a missing project', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: { name: 'n' } };
    await instance.refuses('PUT /projects/no-such', missing);
  });
});

describe('delete', () => {
  test('200 without a body: it is deleted, in the operator namespace and elsewhere', async () => {
    const [here, there] = [freshId(), freshId()];
    await instance.apply(aProject(`${instance.home}/${here}`), aProject(`${instance.other}/${there}`));
    for (const id of [here, there]) {
      const { status, text } = await instance.call(`DELETE /projects/${id}`);
      expect([status, text]).toEqual([200, '']);
      expect((await instance.call(`GET /projects/${id}`)).status).toBe(404);
    }
  });

  test('403 InvalidOperationError while it has flags that are not archived; archived flags stay in the archive', async () => {
    const id = freshId();
    const names = Array.from({ length: 7 }, (_, n) => `${id}-${n}`);
    await create({ id, name: 'n' });
    await instance.apply(...names.map((name) => aFlag(`${instance.home}/${name}`, { project: id })));
    const refused = { status: 403, name: 'InvalidOperationError' };
    const message = await instance.refuses(`DELETE /projects/${id}`, refused);
    for (const word of [`"${names[0]}"`, 'and 2 more', 'Archive them first']) expect(message).toContain(word);
    await instance.call(`POST /projects/${id}/archive`, { body: { features: names } });
    expect((await instance.untouched(`DELETE /projects/${id}?dryRun=true`)).status).toBe(200);
    expect((await instance.call(`DELETE /projects/${id}`)).status).toBe(200);

    await create({ id, name: 'Again' });
    const { body } = await instance.call(`GET /archive/features/${id}`);
    expect(body.features.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  test('403 for the project default', async () => {
    await instance.apply(aProject(`${instance.home}/default`));
    const message = await instance.refuses('DELETE /projects/default', { status: 403, name: 'InvalidOperationError' });
    expect(message).toContain('"default" cannot be deleted');
  });

  test('404 for a missing project', async () => {
    await instance.refuses('DELETE /projects/no-such', { status: 404, name: 'NotFoundError' });
  });
});

describe('the counts of a project', () => {
  const id = 'summed';
  beforeAll(async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/${id}`, { description: 'd', environments: ['production'] }),
      aFlag(`${home}/${id}-a`, { project: id, type: 'experiment' }),
      aFlag(`${home}/${id}-b`, { project: id, stale: true }),
      aFlag(`${home}/${id}-c`, { project: id }),
      aFlag(`${home}/${id}-d`, { project: id, type: 'permission', archived: true }),
    );
  });

  test('overview: as GET /projects/:projectId, with the number of flags of each type instead of the flags', async () => {
    const { features: _, ...first } = (await instance.call(`GET /projects/${id}`)).body;
    const { status, body } = await instance.call(`GET /projects/${id}/overview`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...first,
      featureTypeCounts: [
        { type: 'release', count: 2 },
        { type: 'experiment', count: 1 },
      ],
    });
  });

  test('health-report: as GET /projects/:projectId, with the number of stale flags', async () => {
    const first = (await instance.call(`GET /projects/${id}`)).body;
    const { status, body } = await instance.call(`GET /projects/${id}/health-report`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...first, potentiallyStaleCount: 0, activeCount: 2, staleCount: 1, evidence: [] });
    expect([body.version, body.health]).toEqual([1, 67]);
  });

  test.each(['overview', 'health-report'])(
    '%s: its ETag stays until something changes; 404 for a missing project',
    async (what) => {
      const request = `GET /projects/${id}/${what}`;
      const etag = (await instance.call(request)).headers.get('etag') ?? '';
      expect((await instance.call(request, { headers: { 'if-none-match': etag } })).status).toBe(304);
      await instance.call(`POST /projects/${id}/features`, { body: { name: `${id}-${what}` } });
      expect((await instance.call(request, { headers: { 'if-none-match': etag } })).status).toBe(200);
      await instance.refuses(`GET /projects/no-such/${what}`, { status: 404, name: 'NotFoundError' });
    },
  );
});

test('the manifest is the object when it is read, and what a dry run would create', async () => {
  const { home } = instance;
  const headers = { accept: 'application/yaml' };
  const spec = { usedFlags: 'Refuse' as const, environments: ['production'] };
  await instance.apply(aProject(`${home}/as-it-is`, spec));
  const read = await instance.call('GET /projects/as-it-is', { headers });
  expect(read.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
  const metadata = { name: 'as-it-is', namespace: home };
  expect(parse(read.text)).toEqual({ apiVersion: 'vexil.dev/v1beta1', kind: 'Project', metadata, spec });
  const body = { id: 'to-come', name: 'To come' };
  const created = await instance.untouched('POST /projects?dryRun=true', { headers, body });
  expect([created.status, parse(created.text)]).toEqual([
    201,
    {
      ...{ apiVersion: 'vexil.dev/v1beta1', kind: 'Project' },
      metadata: { name: 'to-come', namespace: home },
      spec: { displayName: 'To come' },
    },
  ]);
});
