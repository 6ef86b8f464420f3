/** Fields that a GitOps tool owns: no endpoint changes them without `force` (docs/ownership.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Answer } from '../support/admin-client.ts';
import {
  aFlag,
  anEnvironment,
  aProject,
  aSegment,
  aStrategyType,
  aToken,
  aUser,
  type Manifest,
} from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { complaintsAbout, expectNoComplaints } from '../support/rows.ts';
import type { Stored } from '../support/stored.ts';
import { ownedBy, type Writers, writersOf } from '../support/written-as.ts';
import { endpoints } from './endpoints/endpoints.ts';
import type { OwnedCall } from './endpoints/row.ts';

const GIT = 'kustomize-controller';
const ARGO = 'argocd-controller';

let instance: Instance;
let writers: Writers;

const strategy = { name: 'default', title: 't', sortOrder: 0, disabled: false };
const ramped = {
  name: 'flexibleRollout',
  sortOrder: 2,
  ramp: { startAt: '2020-01-01T00:00:00Z', steps: [{ rollout: 5, for: '24h' }, { rollout: 100 }] },
};
const environment = {
  enabled: true,
  strategies: { one: strategy, two: { ...strategy, sortOrder: 1 } },
  variants: [{ name: 'blue' }],
};
const whole: FlagSpec = {
  type: 'release',
  description: 'd',
  impressionData: false,
  stale: false,
  archived: false,
  tags: ['simple:present'],
  variants: [{ name: 'blue' }],
  environments: {
    production: {
      ...environment,
      activeFrom: '2020-01-01T00:00:00Z',
      strategies: { ...environment.strategies, rising: ramped },
    },
    development: { ...environment, enabled: false },
  },
};

beforeAll(async () => {
  instance = await startInstance('held');
  const { home, apply } = instance;
  writers = writersOf(instance.cluster);
  await apply(
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    aUser(`${home}/eva`, { id: 3 }),
    anEnvironment(`${home}/elsewhere`, { enabled: true }),
  );
  await give(
    GIT,
    aProject(`${home}/git`, {
      flagNaming: { pattern: '.+' },
      displayName: 'Git',
      environments: ['development', 'production'],
      members: { ada: 'owner', lin: 'member' },
      managedFields: 'Reject',
    }),
    aFlag(`${home}/for-reads`),
    aFlag(`${home}/new-parent`),
    aFlag(`${home}/held`, { ...whole, dependencies: [{ feature: 'for-reads' }] }),
    aFlag(`${home}/stowed`, { ...whole, archived: true }),
    anEnvironment(`${home}/staging`, { enabled: true, sortOrder: 5 }),
    anEnvironment(`${home}/asleep`, { enabled: false }),
    aStrategyType(`${home}/country`, { description: 'd', deprecated: false }),
    aStrategyType(`${home}/old`, { deprecated: true }),
    aSegment(`${home}/vip`, { id: 7, description: 'd' }),
    aToken(`${home}/token`, { expiresAt: '2999-01-01T00:00:00Z' }),
  );
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

/**
 * Applies with server-side apply, and waits until the operator has seen the change. `apply` writes nothing if nothing
 * changed.
 */
async function give(manager: string, ...manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await writers.apply(manager, manifest);
  await instance.judged(...manifests);
}

const tag = { type: 'simple', value: 'present' };

const ownedField = '/projects/shop/features/held';
const on = `${ownedField}/environments/production`;

const writing = endpoints.filter(({ isRead }) => !isRead);
const owned = writing.flatMap(({ route, owned }) => (owned ? [[route, owned] as const] : []));

test('the table has for every endpoint that writes what it does to fields of other owners, and for no other endpoint', () => {
  const says = endpoints.filter((endpoint) => (endpoint.owned === undefined) !== (endpoint.unowned === undefined));
  expect(says.map(({ route }) => route)).toEqual(writing.map(({ route }) => route));
});

const requestOf = (route: string, { path }: OwnedCall, query = '') => `${route.split(' ')[0]} ${path}${query}`;

function expectRefusal({ status, body }: Answer, field: string): void {
  expect([status, body?.name]).toEqual([409, 'FieldManagedError']);
  expect(body.message).toMatch(/"kustomize-controller" \(Apply, last write 20\d\d-[\d-]+T[\d:]+Z\)/);
  expect(body.message).toContain('?force=true');
  expect(body.details.map((one: Stored) => one.path)).toContain(field);
}

describe('each endpoint, and nothing is written', () => {
  const expectOfEach = async (query: string, expectAnswer: (answer: Answer, field: string) => void) => {
    const before = await instance.everything();
    const rows = owned.map(([route, call]) => ({
      what: route,
      check: async () =>
        expectAnswer(await instance.call(requestOf(route, call, query), { body: call.body }), call.ownedField),
    }));
    expectNoComplaints(await complaintsAbout(rows, 4));
    expect(await instance.everything()).toEqual(before);
  };

  test('refuses with 409, and names the field', () => expectOfEach('', expectRefusal));

  test('with force as a dry run would write, and the answer names the taken fields', () =>
    expectOfEach('?force=true&dryRun=true', ({ status, headers }, field) => {
      expect(status).toBeLessThan(300);
      expect(headers.get('warning')).toMatch(/^299 vexil "took \d+ fields? from kustomize-controller, .*"$/);
      expect(headers.get('warning')).toContain(field.replaceAll('"', '%22'));
    }));
});

test.each(['?force=false', '?dryRun=true', '?force=false&dryRun=true'])(
  '"%s" refuses with the same message',
  async (query) => {
    const { status, body } = await instance.untouched(`POST ${on}/off${query}`);
    const plain = await instance.call(`POST ${on}/off`);
    expect([status, body.message]).toEqual([409, plain.body.message]);
  },
);

test('an import that would overwrite owned fields: 409, also as a dry run; fields that it leaves unchanged need nothing', async () => {
  const features = ['held', 'new-beside'].map((name) => ({
    name,
    project: 'shop',
    type: 'release',
    description: 'new',
  }));
  const body = { version: 4, features };
  const refused = { status: 409, name: 'FieldManagedError', body };
  expect(await instance.refuses('POST /state/import?keep=false', refused)).toContain('spec.description');
  expect((await instance.call('POST /state/import?keep=false&force=true&dryRun=true', { body })).status).toBe(202);
  expect((await instance.call('POST /state/import?dryRun=true', { body })).status).toBe(202);
});

describe('fields that Git does not own are written', () => {
  test.each<[string, string, unknown]>([
    ['a strategy that is added', `POST ${on}/strategies`, { name: 'default' }],
    ['a member that is added', 'POST /projects/git/users/3/roles/5', undefined],
    [
      'an environment that is added to those of a project',
      'POST /projects/git/environments',
      { environment: 'elsewhere' },
    ],
    ['a tag that is added', 'POST /features/held/tags', { type: 'simple', value: 'more' }],
    ['a tag that is added to several', 'PUT /projects/shop/tags', { features: ['held'], tags: { addedTags: [tag] } }],
    ['a new flag', 'POST /projects/shop/features', { name: 'free' }],
  ])('%s', async (_, request, body) => {
    const { status, headers, text } = await instance.call(request, { body });
    expect(status, text).toBeLessThan(300);
    expect(headers.get('warning')).toBeNull();
  });

  test('a switch without an owner, although Git owns everything else', async () => {
    const manifest = aFlag(`${instance.home}/rules-only`, {
      environments: { production: { strategies: { one: strategy } } },
    });
    await give(GIT, manifest);
    expect((await instance.call('POST /projects/shop/features/rules-only/environments/production/on')).status).toBe(
      200,
    );
    // A re-apply leaves the value too.
    expect((await writers.apply(GIT, manifest, { force: false })).spec.environments.production.enabled).toBe(true);
  });

  test.each(['kubectl', 'kubectl-edit', 'kubectl-client-side-apply'])('fields that %s has applied', async (manager) => {
    await give(manager, aFlag(`${instance.home}/by-${manager}`, whole));
    const { status } = await instance.call(`POST /projects/shop/features/by-${manager}/environments/production/off`);
    expect(status).toBe(200);
  });
});

describe('the refusal', () => {
  test('names the ways to resolve it, in the order in which a hand-over works', async () => {
    const { body } = await instance.call(`POST ${on}/off`);
    expect(body.message).toContain('Change it at its source, which "kustomize-controller" applies.');
    expect(body.message).toMatch(
      /POST \/api\/admin\/projects\/shop\/features\/held\/ownership with \{"fields":\["spec\.environments\.production\.enabled"\]\}, then remove it from the source/,
    );
    expect(body.message).toContain('managedFields: TakeOver');
    const [first, ...ways] = body.details;
    expect(first.path).toBe('spec.environments.production.enabled');
    expect(ways).toHaveLength(4);
  });

  test('offers no hand-over if only flags can be handed over, or the source applies on the client side', async () => {
    const type = await instance.call('POST /strategies/country/deprecate');
    expect(type.body.message).not.toContain('ownership');
    await writers.create(ARGO, aFlag(`${instance.home}/client-side`, whole));
    await instance.flag(`${instance.home}/client-side`);
    const flag = await instance.call('POST /projects/shop/features/client-side/environments/production/off');
    expect(flag.status).toBe(409);
    expect(flag.body.message).toContain('It cannot be handed over while "argocd-controller" uses client-side apply');
  });

  test('is bounded, for any number of owned fields', async () => {
    const { home } = instance;
    const parameters = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, 'x']));
    await give(
      GIT,
      aFlag(`${home}/much`, { environments: { production: { strategies: { one: { name: 'default', parameters } } } } }),
    );
    const request = 'PUT /projects/shop/features/much/environments/production/strategies/one';
    const { status, body } = await instance.call(request, { body: { name: 'default', parameters: {} } });
    expect(status).toBe(409);
    expect(body.message).toContain('35 more');
    expect(body.details.length).toBeLessThan(30);
    const forced = await instance.call(`${request}?force=true`, { body: { name: 'default', parameters: {} } });
    expect(forced.status).toBe(200);
    expect(forced.headers.get('warning')?.length).toBeLessThanOrEqual(1000);
  });

  test('of more than a thousand changes names the owned ones', async () => {
    const { home } = instance;
    const many = (value: string) => {
      const parameters = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, value]));
      return { name: 'default', parameters };
    };
    await give(
      GIT,
      aFlag(`${home}/wide`, {
        variants: [{ name: 'blue' }],
        environments: { production: { strategies: { one: many('x') } } },
      }),
    );
    const request = 'PUT /projects/shop/features/wide/environments/production/strategies/one';
    const { body } = await instance.call(request, { body: many('y') });
    expect(body.message).not.toContain('spec.variants');
    expect(body.message).toContain('45 more');
  });
});

describe('force', () => {
  test('takes the field: its owner restores the value, or stops with a conflict', async () => {
    const manifest = aFlag(`${instance.home}/forced`, whole);
    await give(GIT, manifest);
    const answer = await instance.call('POST /projects/shop/features/forced/environments/production/off?force=true');
    expect([answer.status, answer.headers.get('warning')]).toEqual([
      200,
      '299 vexil "took 1 field from kustomize-controller, which may revert it or fail with a conflict: spec.environments.production.enabled"',
    ]);
    const taken = await instance.flag(`${instance.home}/forced`);
    expect(taken.spec.environments.production.enabled).toBe(false);
    expect(ownedBy(taken, GIT, 'Apply')['f:environments']['f:production']).not.toHaveProperty('f:enabled');
    expect(ownedBy(taken, 'vexil-api', 'Update')['f:environments']['f:production']).toEqual({ 'f:enabled': {} });
    // From here on Vexil is the only owner.
    expect((await instance.call('POST /projects/shop/features/forced/environments/production/on')).status).toBe(200);
    expect((await instance.call('POST /projects/shop/features/forced/environments/production/off')).status).toBe(200);

    await expect(writers.apply(GIT, manifest, { force: false })).rejects.toMatchObject({ code: 'conflict' });
    expect((await writers.apply(GIT, manifest)).spec.environments.production.enabled).toBe(true);
  });

  test.each(['yes', '1', ''])('is true or false, not "%s"', async (value) => {
    await instance.refuses(`POST ${on}/off?force=${value}`, { status: 400, name: 'ValidationError' });
  });
});
