/** Chapter "Resources and their fields": each field of each table, as it is answered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject, aToken, aUser } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

const isoTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

const rollout = { rollout: 25, groupId: 'checkout', stickiness: 'default' };
const environments = {
  production: {
    enabled: true,
    strategies: {
      rollout: { name: 'flexibleRollout', parameters: rollout },
      everyone: { name: 'default', sortOrder: 1 },
    },
  },
  development: { strategies: { everyone: { name: 'default' } } },
};
const variants = [
  {
    name: 'blue',
    weightType: 'fix' as const,
    weight: 250,
    stickiness: 'userId',
    payload: { type: 'json' as const, value: '{"colour":"blue"}' },
    overrides: [{ contextName: 'userId', values: ['7', '8'] }],
  },
  { name: 'red' },
];

beforeAll(async () => {
  instance = await startInstance('resources');
  const { home } = instance;
  const members = { ada: 'owner', bob: 'member' };
  await instance.apply(
    aUser(`${home}/ada`, { displayName: 'Ada Ahlgren', email: 'ada@example.com', rootRole: 'Editor' }),
    aUser(`${home}/bob`),
    aProject(`${home}/web`, { displayName: 'The web shop', description: 'What customers see', members }),
    aFlag(`${home}/checkout`, {
      project: 'web',
      description: 'On one page',
      type: 'kill-switch',
      impressionData: true,
      variants,
      environments,
    }),
    aFlag(`${home}/old`, { project: 'web', stale: true }),
    aToken(`${home}/one`),
    aToken(`${home}/two`, { projects: ['web'] }),
    aToken(`${home}/elsewhere`, { environment: 'development' }),
  );
});
afterAll(() => instance.stop());

const get = async (path: string): Promise<Stored> => {
  const { status, body } = await instance.call(`GET ${path}`);
  expect(status).toBe(200);
  return body;
};
const flag = () => get('/projects/web/features/checkout');
const inProduction = async () => (await flag()).environments[1];

interface Table {
  /** Reads an object of that kind. */
  readonly read: () => Promise<Stored>;
  /** The name and type of a field, and the answered value. */
  readonly fields: readonly (readonly [string, string, unknown])[];
}

const summary: Table['fields'] = [
  ['name', 'string', 'checkout'],
  ['type', 'string, the flag type', 'kill-switch'],
  ['stale', 'boolean', false],
  ['createdAt', 'string, ISO 8601 timestamp', isoTimestamp],
  ['lastSeenAt', 'string or null', null],
  [
    'environments',
    'array of name (string), displayName (string), enabled (boolean)',
    [
      expect.objectContaining({ name: 'development', displayName: 'Development', enabled: false }),
      expect.objectContaining({ name: 'production', displayName: 'Production', enabled: true }),
    ],
  ],
];

const tables: Readonly<Record<string, Table>> = {
  'Project overview': {
    read: () => get('/projects/web'),
    fields: [
      ['name', 'string, the name of the project', 'The web shop'],
      ['description', 'string', 'What customers see'],
      [
        'features',
        'array of feature summary, all flags of the project',
        [expect.objectContaining({ name: 'checkout' }), expect.objectContaining({ name: 'old' })],
      ],
      ['health', 'number', 50],
      ['members', 'number, the count of members', 2],
      ['version', 'number, the response schema version', 1],
    ],
  },
  'Feature summary, in the project overview': {
    read: async () => (await get('/projects/web')).features[0],
    fields: summary,
  },
  'Feature summary, in the flag list': {
    read: async () => (await get('/projects/web/features')).features[0],
    fields: summary,
  },
  'Feature flag': {
    read: flag,
    fields: [
      ['name', 'string', 'checkout'],
      ['project', 'string, the project id', 'web'],
      ['description', 'string or null', 'On one page'],
      ['type', 'string', 'kill-switch'],
      ['stale', 'boolean', false],
      ['archived', 'boolean, in the get-one response', false],
      ['createdAt', 'string, ISO 8601 timestamp', isoTimestamp],
      ['lastSeenAt', 'string or null', null],
      ['impressionData', 'boolean', true],
      [
        'variants',
        'array of variant',
        [expect.objectContaining({ name: 'blue' }), expect.objectContaining({ name: 'red' })],
      ],
      [
        'environments',
        'array of name (string), enabled (boolean), strategies (array of strategy), in the get-one response',
        [
          expect.objectContaining({
            name: 'development',
            enabled: false,
            strategies: [expect.objectContaining({ name: 'default' })],
          }),
          expect.objectContaining({
            name: 'production',
            enabled: true,
            strategies: [
              expect.objectContaining({ name: 'flexibleRollout' }),
              expect.objectContaining({ name: 'default' }),
            ],
          }),
        ],
      ],
    ],
  },
  Strategy: {
    read: async () => (await inProduction()).strategies[0],
    fields: [
      ['id', 'string, a UUID', uuid],
      ['name', 'string', 'flexibleRollout'],
      ['parameters', 'for flexibleRollout: rollout (number), groupId (string), stickiness (string)', rollout],
      ['constraints', 'array, empty by default', []],
    ],
  },
  Variant: {
    read: async () => (await flag()).variants[0],
    fields: [
      ['name', 'string', 'blue'],
      ['weightType', 'fix or variable', 'fix'],
      ['weight', 'integer from 0 to 1000, in thousandths', 250],
      ['stickiness', 'string', 'userId'],
      ['payload', 'object of type (string) and value (string)', { type: 'json', value: '{"colour":"blue"}' }],
      [
        'overrides',
        'array of contextName (string) and values (array of string)',
        [{ contextName: 'userId', values: ['7', '8'] }],
      ],
    ],
  },
  'Variants response': {
    read: () => get('/projects/web/features/checkout/variants'),
    fields: [
      ['version', 'string', '1'],
      [
        'variants',
        'array of variant, at least name, weightType and weight',
        [
          expect.objectContaining({ name: 'blue', weightType: 'fix', weight: 250 }),
          expect.objectContaining({ name: 'red', weightType: 'variable', weight: 750 }),
        ],
      ],
    ],
  },
  Environment: {
    read: async () => (await get('/environments')).environments[1],
    fields: [
      ['name', 'string', 'production'],
      ['type', 'string', 'production'],
      ['enabled', 'boolean', true],
      ['protected', 'boolean', false],
      ['sortOrder', 'integer', 2],
      ['projectCount', 'integer, the number of projects with this environment', 3],
      ['apiTokenCount', 'integer, the number of API tokens for the environment', 2],
      ['enabledToggleCount', 'integer, the number of enabled flags', 1],
    ],
  },
  User: {
    read: async () => (await get('/user-admin/search?q=ada')).users[0],
    fields: [
      ['id', 'integer', expect.any(Number)],
      ['name', 'string', 'Ada Ahlgren'],
      ['email', 'string', 'ada@example.com'],
      ['username', 'string', 'ada'],
      ['imageUrl', 'string (URL)', expect.stringMatching(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?/)],
      ['inviteLink', 'string (URL), empty as nobody is invited', ''],
      ['loginAttempts', 'integer', 0],
      ['rootRole', 'integer (root role id)', 2],
      ['seenAt', 'string, ISO 8601 timestamp, null as nobody signs in', null],
      ['createdAt', 'string, ISO 8601 timestamp', isoTimestamp],
      ['accountType', 'string', 'User'],
      ['scimId', 'string, null as users come from no directory', null],
    ],
  },
  'Root role': {
    read: async () => (await get('/user-admin/search')).rootRoles[1],
    fields: [
      ['id', 'integer', 2],
      ['type', 'string, for example root', 'root'],
      ['name', 'string, for example Editor', 'Editor'],
      ['description', 'string', expect.stringMatching(/\w/)],
    ],
  },
  Error: {
    read: async () => (await instance.call('GET /projects/web/features/no-such')).body,
    fields: [
      ['id', 'string, a UUID of this error instance', uuid],
      ['name', 'string, the kind of error', 'NotFoundError'],
      ['message', 'string, what went wrong', 'There is no flag named "no-such" in project "web".'],
    ],
  },
};

describe.each(Object.entries(tables))('%s', (_, { read, fields }) => {
  test.each(fields)('%s: %s', async (field, _type, want) => {
    const record = await read();
    expect(record).toHaveProperty(field);
    expect(record[field]).toEqual(want);
  });
});

describe('Feature flag', () => {
  test('name and project: immutable for every user', async () => {
    const { home, cluster } = instance;
    for (const [field, value] of [
      ['name', 'renamed'],
      ['project', 'shop'],
    ]) {
      const patched = cluster.patchObject('ff/old', home, { spec: { [field ?? '']: value } });
      await expect(patched).rejects.toThrow(`spec.${field} is immutable`);
    }
  });

  test('lastSeenAt: string, ISO 8601 timestamp, once a client has asked for the flag', async () => {
    const { home, cluster } = instance;
    await instance.apply(aFlag(`${home}/seen`));
    await cluster.patchObject('ff/seen/status', home, { status: { lastSeenAt: '2026-01-31T10:20:30Z' } });
    const seen = async () => (await get('/projects/shop/features/seen')).lastSeenAt;
    await expect.poll(seen).toBe('2026-01-31T10:20:30.000Z');
    const { features } = await get('/projects/shop/features');
    expect(features).toContainEqual(expect.objectContaining({ name: 'seen', lastSeenAt: '2026-01-31T10:20:30.000Z' }));
  });
});

test('User and Root role: fields that the objects do not have are left out (docs/limits.md)', async () => {
  const { users, rootRoles } = await get('/user-admin/search?q=ada');
  const unknown = ['emailSent', 'permissions', 'activeSessions', 'deletedSessions'];
  expect(Object.keys(users[0]).filter((field) => unknown.includes(field))).toEqual([]);
  expect(rootRoles.filter((role: Stored) => 'project' in role)).toEqual([]);
});

describe('Strategy', () => {
  const path = '/projects/web/features/old/environments/production/strategies';

  test('id: assigned by the service', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const { body } = await instance.call(`POST ${path}`, { body: { id, name: 'default' } });
    expect(body.id).toEqual(uuid);
    expect(body.id).not.toBe(id);
  });

  test('parameters: a free-form map, empty where there are none', async () => {
    const free = { userIds: '1,2', own: { nested: [true, null, 1.5] } };
    const given = await instance.call(`POST ${path}`, { body: { name: 'userWithId', parameters: free } });
    expect(given.body.parameters).toEqual(free);
    const none = await instance.call(`POST ${path}`, { body: { name: 'default' } });
    expect(none.body.parameters).toEqual({});
  });
});

describe('Environment', () => {
  test('sortOrder: a lower value means higher in the list', async () => {
    const orders = (await get('/environments')).environments.map((one: Stored) => one.sortOrder);
    expect(orders).toEqual([1, 2]);
  });

  test('projectCount and enabledToggleCount follow the projects and flags', async () => {
    const counts = async () => {
      const { environments: list } = await get('/environments');
      const { projectCount, enabledToggleCount } = list.find((one: Stored) => one.name === 'development');
      return [projectCount, enabledToggleCount];
    };
    const [projects, flags] = await counts();
    await instance.apply(aProject(`${instance.home}/another`));
    await instance.call('POST /projects/web/features/checkout/environments/development/on');
    expect(await counts()).toEqual([projects + 1, flags + 1]);
    await instance.call('POST /projects/web/features/checkout/environments/development/off');
    expect(await counts()).toEqual([projects + 1, flags]);
  });
});
