/** `dryRun=true` on every write: the answer is the same as for a write, and nothing is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('dry-run');
  const { home } = instance;
  const strategies = { all: { name: 'default' } };
  await instance.apply(
    aFlag(`${home}/present`, { description: 'before', environments: { production: { strategies } } }),
    aFlag(`${home}/switched-on`, { environments: { production: { enabled: true, strategies } } }),
    aFlag(`${home}/stowed`, { archived: true }),
    aProject(`${home}/strict`, { flagNaming: { pattern: 'team-.+' }, environments: ['production'] }),
    anEnvironment(`${home}/asleep`, { enabled: false }),
  );
});
afterAll(() => instance.stop());

const present = '/projects/shop/features/present';
const replaceType = [{ op: 'replace', path: '/type', value: 'permission' }];

describe('nothing is written', () => {
  /** One look at all objects, before and after the tests of this block. */
  let before: Awaited<ReturnType<Instance['everything']>>;
  beforeAll(async () => {
    before = await instance.everything();
  });
  afterAll(async () => {
    expect(await instance.everything()).toEqual(before);
    const list = await instance.call('GET /projects/shop/features');
    expect(list.body.features.map(({ name }: { name: string }) => name)).toEqual(['present', 'switched-on']);
    expect((await instance.call(`GET ${present}`)).body).toMatchObject({ description: 'before', type: 'release' });
  });

  test.each<[string, string, unknown, number, object | undefined]>([
    [
      'create',
      'POST /projects/shop/features',
      { name: 'new', type: 'experiment' },
      201,
      { name: 'new', type: 'experiment' },
    ],
    [
      'create under a name that is no object name',
      'POST /projects/shop/features',
      { name: 'New!' },
      201,
      { name: 'New!' },
    ],
    ['replace', `PUT ${present}`, { description: 'after', stale: true }, 200, { description: 'after', stale: true }],
    ['patch', `PATCH ${present}`, replaceType, 200, { type: 'permission', description: 'before' }],
    ['clone', `POST ${present}/clone`, { name: 'copy' }, 201, { name: 'copy', description: 'before' }],
    ['archive', `DELETE ${present}`, undefined, 202, undefined],
    ['on', `POST ${present}/environments/production/on`, undefined, 200, undefined],
    ['off', 'POST /projects/shop/features/switched-on/environments/production/off', undefined, 200, undefined],
    ['revive', 'POST /archive/revive/stowed', undefined, 200, undefined],
    ['delete for good', 'DELETE /archive/stowed', undefined, 200, undefined],
    ['environment on', 'POST /environments/asleep/on', undefined, 204, undefined],
    ['environment off', 'POST /environments/production/off', undefined, 204, undefined],
    ['order of environments', 'PUT /environments/sort-order', { production: 7, asleep: 8 }, 200, undefined],
    ['add an environment to a project', 'POST /projects/shop/environments', { environment: 'asleep' }, 200, undefined],
    ['take it from a project', 'DELETE /projects/shop/environments/production', undefined, 200, undefined],
  ])('%s', async (_, request, body, status, wanted) => {
    const answer = await instance.call(`${request}?dryRun=true`, { body });
    expect(answer.status).toBe(status);
    if (wanted) expect(answer.body).toMatchObject(wanted);
    else expect(answer.text).toBe('');
  });

  test.each<[string, string, unknown, number, readonly object[]]>([
    [
      'an environment',
      'POST /environments/asleep/on',
      undefined,
      200,
      [{ kind: 'Environment', spec: { enabled: true } }],
    ],
    [
      'environments in order',
      'PUT /environments/sort-order',
      { production: 7, asleep: 8 },
      200,
      [
        { kind: 'Environment', metadata: { name: 'asleep' }, spec: { enabled: false, sortOrder: 8 } },
        { kind: 'Environment', metadata: { name: 'production' }, spec: { sortOrder: 7 } },
      ],
    ],
    [
      'a project',
      'PUT /projects/strict',
      { name: 'Strict', description: 'after' },
      200,
      [{ kind: 'Project', spec: { description: 'after', flagNaming: { pattern: 'team-.+' } } }],
    ],
    [
      'the environments of a project',
      'POST /projects/strict/environments',
      { environment: 'development' },
      200,
      [{ kind: 'Project', spec: { environments: ['production', 'development'] } }],
    ],
    [
      'a strategy type',
      'POST /strategies',
      { name: 'Country', parameters: [] },
      201,
      [{ kind: 'StrategyDefinition', spec: { name: 'Country' } }],
    ],
    [
      'an API token',
      'POST /api-tokens',
      { tokenName: 'backend', type: 'client', environment: 'production', projects: ['shop'] },
      201,
      [{ kind: 'ApiToken', spec: { type: 'client', environment: 'production', projects: ['shop'] } }],
    ],
  ])('as YAML: %s', async (_, request, body, status, wanted) => {
    const headers = { accept: 'application/yaml' };
    const answer = await instance.call(`${request}?dryRun=true`, { body, headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/yaml; charset=utf-8']);
    const documents = parseAllDocuments(answer.text).map((document) => document.toJS());
    expect(documents).toHaveLength(wanted.length);
    expect(documents).toMatchObject(wanted);
  });

  test.each<[string, string, unknown, number, string]>([
    ['create under a taken name', 'POST /projects/shop/features', { name: 'present' }, 409, 'NameExistsError'],
    ['create against the naming pattern', 'POST /projects/strict/features', { name: 'x' }, 400, 'PatternError'],
    ['create without a name', 'POST /projects/shop/features', {}, 400, 'ValidationError'],
    ['replace with another name', `PUT ${present}`, { name: 'other' }, 400, 'ValidationError'],
    ['a patch that cannot be applied', `PATCH ${present}`, [{ op: 'remove', path: '/nope' }], 400, 'ValidationError'],
    ['clone of an archived flag', 'POST /projects/shop/features/stowed/clone', { name: 'c' }, 404, 'NotFoundError'],
    ['on without a strategy', `POST ${present}/environments/development/on`, undefined, 409, 'CannotEnableError'],
    ['revive of what is not archived', 'POST /archive/revive/present', undefined, 404, 'NotFoundError'],
    ['delete of what is not archived', 'DELETE /archive/present', undefined, 404, 'NotFoundError'],
    ['order of an unknown environment', 'PUT /environments/sort-order', { nope: 1 }, 404, 'NotFoundError'],
    [
      'adding what a project has',
      'POST /projects/shop/environments',
      { environment: 'production' },
      409,
      'NameExistsError',
    ],
    [
      'taking the last from a project',
      'DELETE /projects/strict/environments/production',
      undefined,
      400,
      'MinimumOneEnvironmentError',
    ],
  ])('%s is refused as the real request is', async (_, request, body, status, name) => {
    const answer = await instance.call(`${request}?dryRun=true`, { body });
    expect([answer.status, answer.body.name]).toEqual([status, name]);
  });

  test.each(['maybe', '', '1', 'TRUE', 'true&dryRun=true'])('dryRun=%s is refused', async (value) => {
    const { status, body } = await instance.call(`PUT ${present}?dryRun=${value}`, { body: { description: 'after' } });
    expect([status, body.name]).toEqual([400, 'ValidationError']);
    expect(body.message).toContain('`dryRun`');
  });
});

test('dryRun=false writes', async () => {
  await instance.apply(aFlag(`${instance.home}/for-real`, { project: 'strict' }));
  await instance.call('PUT /projects/strict/features/for-real?dryRun=false', { body: { description: 'after' } });
  expect((await instance.flag(`${instance.home}/for-real`)).spec.description).toBe('after');
});

describe('of strategies', () => {
  const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
  const path = (name: string) => `/projects/shop/features/${name}/environments/production/strategies`;
  const setUp = (name: string) => {
    const strategies = { [ID]: { name: 'default', title: 'before' } };
    return instance.apply(
      aFlag(`${instance.home}/${name}`, { environments: { production: { enabled: true, strategies } } }),
    );
  };
  const writes: readonly (readonly [string, string, string, unknown])[] = [
    ['add', 'POST', '', { name: 'default', title: 'new' }],
    ['overwrite', 'PUT', `/${ID}`, { title: 'after' }],
    ['patch', 'PATCH', `/${ID}`, [{ op: 'replace', path: '/title', value: 'after' }]],
    ['remove', 'DELETE', `/${ID}`, undefined],
    ['order', 'POST', '/set-sort-order', [{ id: ID, sortOrder: 5 }]],
  ];

  test.each(writes)(
    '%s with dryRun answers as the real request does and writes nothing',
    async (what, method, rest, body) => {
      const name = `dry-${what}`;
      await setUp(name);
      const dry = await instance.untouched(`${method} ${path(name)}${rest}?dryRun=true`, { body });
      expect(dry.status).toBe(200);
      expect((await instance.call(`GET ${path(name)}`)).body).toMatchObject([
        { id: ID, title: 'before', sortOrder: 0 },
      ]);
      const real = await instance.call(`${method} ${path(name)}${rest}`, { body });
      const withoutId = ({ id: _, ...others }: { id?: string }) => others;
      expect(withoutId(dry.body ?? {})).toEqual(withoutId(real.body ?? {}));
    },
  );

  test.each<[string, string, string, unknown, number, string]>([
    [
      'a rule of the cluster',
      'PATCH',
      `/${ID}`,
      [{ op: 'add', path: '/variants/0', value: { name: 'a', weightType: 'fix' } }],
      400,
      'ValidationError',
    ],
    ['an id that there is not', 'DELETE', '/no-such', undefined, 404, 'NotFoundError'],
    ['a type that there is not', 'POST', '', { name: 'odd' }, 400, 'ValidationError'],
  ])('%s is refused as the real request is', async (_, method, rest, body, status, name) => {
    await setUp('dry-refused');
    await instance.refuses(`${method} ${path('dry-refused')}${rest}?dryRun=true`, { status, name, body });
  });
});
