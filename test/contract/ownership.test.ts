/** The owners of the fields of a flag, and handing fields over to Vexil so that Git can drop them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { ownedBy, type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';

let instance: Instance;
let writers: Writers;
let home: string;

beforeAll(async () => {
  instance = await startInstance('ownership');
  home = instance.home;
  writers = writersOf(instance.cluster);
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const strategies = { one: { name: 'default', title: 't' } };
const switchedOn: FlagSpec = {
  description: 'd',
  environments: { production: { enabled: true, strategies }, development: { enabled: true, strategies } },
};
const ON = 'spec.environments.production.enabled';
const ON_IN_DEVELOPMENT = 'spec.environments.development.enabled';
const path = (name: string) => `/projects/shop/features/${name}/ownership`;

async function give(manager: string, manifest: Manifest): Promise<void> {
  await writers.apply(manager, manifest);
  await instance.judged(manifest);
}

/** The spec without the switch of one environment. */
function without(environment: 'production' | 'development'): FlagSpec {
  const { environments, ...spec } = switchedOn;
  return { ...spec, environments: { ...environments, [environment]: { strategies } } };
}

describe('GET', () => {
  test('lists each field with all its owners, and fields without an owner too', async () => {
    await give(GIT, aFlag(`${home}/read`, { description: 'd', environments: { production: { strategies } } }));
    await writers.merge('kubectl-patch', aFlag(`${home}/read`), {
      environments: { production: { enabled: false } },
      stale: true,
    });
    await writers.apply('another', aFlag(`${home}/read`, { description: 'd' }));
    const answer = await waitUntil({ what: 'the last owner is known' }, async () => {
      const served = await instance.served(`GET ${path('read')}`);
      return served.text.includes('"another"') && served;
    });
    const time = expect.stringMatching(/^20\d\d-[\d-]+T[\d:]+\.000Z$/);
    const git = { manager: GIT, operation: 'Apply', lastWrite: time, protected: true };
    // The API server records no time for a manager that claims a field without changing its value.
    const another = { ...git, manager: 'another', lastWrite: null };
    const person = { manager: 'kubectl-patch', operation: 'Update', lastWrite: time, protected: false };
    const inOne = 'spec.environments.production.strategies.one';
    expect(answer.body).toEqual({
      version: 1,
      project: 'shop',
      feature: 'read',
      managedFields: 'Reject',
      total: 6,
      fields: [
        { path: 'spec.description', protected: true, owners: [another, git] },
        { path: ON, protected: false, owners: [person] },
        { path: `${inOne}.name`, protected: true, owners: [git] },
        { path: `${inOne}.title`, protected: true, owners: [git] },
        { path: 'spec.project', protected: true, owners: [another, git] },
        { path: 'spec.stale', protected: false, owners: [person] },
      ],
    });
  });

  test('says that nothing is protected if the project takes over', async () => {
    await instance.apply(aProject(`${home}/open`, { managedFields: 'TakeOver' }));
    await give(GIT, aFlag(`${home}/open-flag`, { project: 'open' }));
    const { body } = await instance.served('GET /projects/open/features/open-flag/ownership');
    expect([body.managedFields, body.fields[0]?.protected, body.fields[0]?.owners[0]?.protected]).toEqual([
      'TakeOver',
      false,
      true,
    ]);
  });

  test('has pages', async () => {
    await give(GIT, aFlag(`${home}/paged`, switchedOn));
    const all = (await instance.served(`GET ${path('paged')}`)).body;
    const page = (await instance.call(`GET ${path('paged')}?offset=2&limit=3`)).body;
    expect([page.total, page.fields]).toEqual([all.total, all.fields.slice(2, 5)]);
  });

  test('includes an archived flag, and only existing flags', async () => {
    await give(GIT, aFlag(`${home}/put-away`, { archived: true }));
    expect((await instance.served(`GET ${path('put-away')}`)).body.total).toBe(2);
    await instance.refuses(`GET ${path('nope')}`, { status: 404, name: 'NotFoundError' });
  });
});

describe('a hand-over', () => {
  const handOver = (name: string, body: unknown = {}, query = '') =>
    instance.call(`POST ${path(name)}${query}`, { body });
  const ownersOf = (answer: Stored, field: string) =>
    answer.body.fields
      .find((one: Stored) => one.path === field)
      .owners.map(({ manager, operation }: Stored) => [manager, operation]);

  test('then a drop from Git: the value stays, and Vexil may change it', async () => {
    const manifest = aFlag(`${home}/handed`, switchedOn);
    await give(GIT, manifest);
    expect((await instance.call('POST /projects/shop/features/handed/environments/production/off')).status).toBe(409);

    const answer = await handOver('handed', { fields: [ON] });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.handedOver).toEqual([ON]);
    expect(answer.body.nextStep).toContain('Remove the field from the source that "kustomize-controller" applies');
    expect(ownersOf(answer, ON)).toEqual([
      [GIT, 'Apply'],
      ['vexil-api', 'Apply'],
    ]);
    // Only the owners have changed, and Git still owns the field.
    expect((await instance.call('POST /projects/shop/features/handed/environments/production/off')).status).toBe(409);

    const dropped = await writers.apply(GIT, aFlag(`${home}/handed`, without('production')), { force: false });
    expect(dropped.spec.environments.production.enabled).toBe(true);
    await instance.flag(`${home}/handed`);
    expect((await instance.call('POST /projects/shop/features/handed/environments/production/off')).status).toBe(200);
    const off = await instance.flag(`${home}/handed`);
    expect(off.spec.environments.production.enabled).toBe(false);
    // Git applies as before.
    const again = await writers.apply(GIT, aFlag(`${home}/handed`, without('production')), { force: false });
    expect(again.metadata.resourceVersion).toBe(off.metadata.resourceVersion);
    expectHealthyStatus(again);
  });

  test('without a hand-over a drop from Git switches off', async () => {
    await give(GIT, aFlag(`${home}/dropped`, switchedOn));
    const { spec } = await writers.apply(GIT, aFlag(`${home}/dropped`, without('production')));
    expect(spec.environments.production).not.toHaveProperty('enabled');
  });

  test('without fields concerns every protected switch', async () => {
    await give(GIT, aFlag(`${home}/switches`, switchedOn));
    const { body } = await handOver('switches');
    expect(body.handedOver).toEqual([ON_IN_DEVELOPMENT, ON]);
    const stored = await instance.flag(`${home}/switches`);
    expect(ownedBy(stored, 'vexil-api', 'Apply')['f:environments']).toEqual({
      'f:development': { '.': {}, 'f:enabled': {} },
      'f:production': { '.': {}, 'f:enabled': {} },
    });
    await writers.create('curl', aFlag(`${home}/free`, switchedOn));
    await instance.flag(`${home}/free`);
    const free = await handOver('free');
    expect([free.status, free.body.handedOver, free.body.nextStep]).toEqual([200, [], expect.stringMatching(/^None/)]);
  });

  test('keeps earlier hand-overs', async () => {
    await give(GIT, aFlag(`${home}/twice`, switchedOn));
    await handOver('twice', { fields: [ON] });
    const second = await handOver('twice', { fields: [ON_IN_DEVELOPMENT] });
    expect(ownersOf(second, ON)).toContainEqual(['vexil-api', 'Apply']);
    const { spec } = await writers.apply(GIT, aFlag(`${home}/twice`, { description: 'd' }));
    expect(spec.environments).toEqual({ development: { enabled: true }, production: { enabled: true } });
  });

  test('of a field of a strategy leaves a complete strategy when Git drops it', async () => {
    await give(GIT, aFlag(`${home}/inside`, switchedOn));
    const field = 'spec.environments.production.strategies.one.title';
    expect((await handOver('inside', { fields: [field] })).body.handedOver).toEqual([field]);
    const { spec } = await writers.apply(GIT, aFlag(`${home}/inside`, { description: 'd' }), { force: false });
    expect(spec.environments.production.strategies).toEqual({ one: { name: 'default', title: 't' } });
  });

  test('changes no spec: neither author nor history change', async () => {
    await give(GIT, aFlag(`${home}/silent`, switchedOn));
    const before = await instance.flag(`${home}/silent`);
    const recorded = await waitUntil({ what: 'the flag is in the history' }, async () => {
      const { body } = await instance.call('GET /events/silent');
      return body.events.length > 0 && body.events;
    });
    expect((await handOver('silent')).status).toBe(200);
    const after = await instance.flag(`${home}/silent`);
    expect([after.spec, after.metadata.generation, after.metadata.annotations, after.status]).toEqual([
      before.spec,
      before.metadata.generation,
      before.metadata.annotations,
      before.status,
    ]);
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    // The history is ordered: the next entry directly follows the previous one.
    await instance.call('PUT /projects/shop/features/silent?force=true', { body: { description: 'new' } });
    const later = await waitUntil({ what: 'the next change is in the history' }, async () => {
      const { body } = await instance.call('GET /events/silent');
      return body.events.length > recorded.length && body.events;
    });
    expect(later.slice(1)).toEqual(recorded);
  });

  test('as a dry run answers with the new owners and writes nothing', async () => {
    await give(GIT, aFlag(`${home}/rehearsed`, switchedOn));
    const before = await instance.flag(`${home}/rehearsed`);
    const answer = await handOver('rehearsed', { fields: [ON] }, '?dryRun=true');
    expect(ownersOf(answer, ON)).toContainEqual(['vexil-api', 'Apply']);
    expect((await instance.flag(`${home}/rehearsed`)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test('honours If-Match, with the ETag of the ownership or of the flag', async () => {
    await give(GIT, aFlag(`${home}/matched`, switchedOn));
    const etagOf = async (request: string) => (await instance.served(request)).headers.get('etag') ?? '';
    const post = (etag: string) =>
      instance.call(`POST ${path('matched')}`, { body: { fields: [ON] }, headers: { 'if-match': etag } });
    const ownership = await etagOf(`GET ${path('matched')}`);
    expect((await post('"something-else"')).status).toBe(412);
    expect((await post(ownership)).status).toBe(200);
    // The call has changed the owners.
    expect((await post(ownership)).status).toBe(412);
    expect((await post(await etagOf('GET /projects/shop/features/matched'))).status).toBe(200);
  });

  test('is refused if a tool that applies on the client side owns the field', async () => {
    await writers.create('argocd-controller', aFlag(`${home}/client-side`, switchedOn));
    await instance.flag(`${home}/client-side`);
    for (const body of [{ fields: [ON] }, {}]) {
      const request = `POST ${path('client-side')}`;
      const message = await instance.refuses(request, { status: 403, name: 'OperationDeniedError', body });
      expect(message).toContain('"argocd-controller", which uses client-side apply');
    }
  });

  test('with kubectl apply --server-side: the switch stays on when the file drops it', async () => {
    const apply = (spec: FlagSpec, ...how: string[]) =>
      instance.cluster.kubectlOrThrow(['apply', ...how, '-f', '-'], {
        input: JSON.stringify(aFlag(`${home}/of-kubectl`, spec)),
      });
    await apply(switchedOn, '--server-side');
    await instance.flag(`${home}/of-kubectl`);
    const answer = await handOver('of-kubectl', { fields: [ON] });
    expect([answer.status, answer.body.handedOver], answer.text).toEqual([200, [ON]]);
    expect(answer.body.nextStep).toBe(
      'Remove the field from the source that "kubectl" applies: the value stays, as Vexil owns it too.',
    );
    await apply(without('production'), '--server-side');
    const { spec, metadata } = await instance.flag(`${home}/of-kubectl`);
    expect(spec.environments.production.enabled).toBe(true);
    expect(ownedBy({ metadata }, 'kubectl', 'Apply')['f:environments']['f:production']).not.toHaveProperty('f:enabled');
    // The other switch was not handed over.
    await apply({ description: 'd' }, '--server-side');
    const after = (await instance.flag(`${home}/of-kubectl`)).spec.environments;
    expect([after.production.enabled, after.development?.enabled]).toEqual([true, undefined]);
  });

  test('is refused if kubectl applies the field on the client side, also after the API wrote it', async () => {
    await instance.apply(aFlag(`${home}/by-kubectl`, switchedOn));
    for (const position of ['off', 'on']) {
      const { status, text } = await instance.call(
        `POST /projects/shop/features/by-kubectl/environments/production/${position}`,
      );
      expect(status, text).toBe(200);
    }
    for (const body of [{ fields: [ON] }, {}]) {
      const request = `POST ${path('by-kubectl')}`;
      const message = await instance.refuses(request, { status: 403, name: 'OperationDeniedError', body });
      expect(message).toContain('"kubectl apply", which uses client-side apply');
    }
    // kubectl applies on the server's side from then on, and keeps its annotation.
    const input = JSON.stringify(aFlag(`${home}/by-kubectl`, switchedOn));
    const how = ['--server-side', '--force-conflicts', '-f', '-'];
    await instance.cluster.kubectlOrThrow(['apply', ...how], { input });
    const { status, text } = await handOver('by-kubectl', { fields: [ON] });
    expect(status, text).toBe(200);
    const dropped = JSON.stringify(aFlag(`${home}/by-kubectl`, without('production')));
    await instance.cluster.kubectlOrThrow(['apply', '--server-side', '-f', '-'], { input: dropped });
    const { spec, metadata } = await instance.flag(`${home}/by-kubectl`);
    expect(metadata.annotations).toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
    expect(spec.environments.production.enabled).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ['a field that is not there', { fields: [ON, 'spec.nope'] }, 'The `fields.1` property names no field of this flag'],
    ['a map', { fields: ['spec.environments.production'] }, 'names no field of this flag'],
    ['a field without a protected owner', { fields: ['spec.stale'] }, 'needs no hand-over'],
    ['no field', { fields: [] }, 'fields'],
    ['another property', { field: ON }, 'field'],
  ])('is refused of %s', async (_, body, want) => {
    await give(GIT, aFlag(`${home}/refusing`, switchedOn));
    await writers.merge('kubectl-patch', aFlag(`${home}/refusing`), { stale: true });
    await instance.flag(`${home}/refusing`);
    const message = await instance.refuses(`POST ${path('refusing')}`, { status: 400, name: 'ValidationError', body });
    expect(message).toContain(want);
  });
});
