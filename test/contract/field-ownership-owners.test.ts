/** Owned fields: how the answer depends on the owner, the project and the caller (docs/ownership.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject, aUser, type Manifest } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { ownedBy, type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const ARGO = 'argocd-controller';

let instance: Instance;
let writers: Writers;

const strategies = { one: { name: 'default', title: 't' } };
const whole: FlagSpec = {
  description: 'd',
  environments: { production: { enabled: true, strategies }, development: { enabled: false, strategies } },
};

beforeAll(async () => {
  instance = await startInstance('holders');
  const { home, apply } = instance;
  writers = writersOf(instance.cluster);
  await apply(
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    anEnvironment(`${home}/elsewhere`, { enabled: true }),
  );
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

/** Applies with server-side apply, and waits until the operator has seen the change. */
async function give(manager: string, ...manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await writers.apply(manager, manifest);
  await instance.judged(...manifests);
}

describe('managedFields: TakeOver', () => {
  test('on the project of a flag allows writes of its fields, and the answer names them', async () => {
    const { home } = instance;
    await give(
      GIT,
      aProject(`${home}/open`, { managedFields: 'TakeOver' }),
      aFlag(`${home}/open-flag`, { ...whole, project: 'open' }),
    );
    const answer = await instance.call('POST /projects/open/features/open-flag/environments/production/off');
    expect([answer.status, answer.headers.get('warning')]).toEqual([
      200,
      expect.stringContaining('production.enabled'),
    ]);
    expect((await instance.flag(`${home}/open-flag`)).spec.environments.production.enabled).toBe(false);
  });

  test('applies to the project itself', async () => {
    await give(
      GIT,
      aProject(`${instance.home}/open-members`, {
        managedFields: 'TakeOver',
        members: { ada: 'owner', lin: 'member' },
      }),
    );
    expect((await instance.call('PUT /projects/open-members/users/2/roles/4')).status).toBe(200);
    expect((await instance.specOf('project', `${instance.home}/open-members`)).members).toEqual({
      ada: 'owner',
      lin: 'owner',
    });
  });
});

describe('a manager that applies on the client side', () => {
  test('replaces sets as a whole: adding to a set that it owns is refused, too', async () => {
    await writers.create(ARGO, aProject(`${instance.home}/argo`, { environments: ['production'] }));
    await instance.served('GET /projects/argo');
    const request = 'POST /projects/argo/environments';
    const { status, body } = await instance.untouched(request, { body: { environment: 'elsewhere' } });
    expect([status, body.details[0]?.path]).toEqual([409, 'spec.environments']);
    const forced = await instance.call(`${request}?force=true`, { body: { environment: 'elsewhere' } });
    expect(forced.status).toBe(200);
  });

  test.each<[string, object, number]>([
    [
      'labels or annotations of Argo CD',
      { 'argocd.argoproj.io/tracking-id': 'shop:vexil.dev/FeatureFlag:shop/old' },
      409,
    ],
    ['no such annotations', {}, 200],
  ])(
    'may be one of more than ten managers, which the API server merges into one: with %s',
    async (what, annotations, want) => {
      const { home } = instance;
      const name = `ancient-${what.replaceAll(' ', '-').toLowerCase()}`;
      const manifest = aFlag(`${home}/${name}`, whole);
      await writers.create(ARGO, { ...manifest, metadata: { ...manifest.metadata, annotations: { ...annotations } } });
      for (let index = 0; index < 11; index += 1) {
        const parameters = { [`p${index}`]: 'x' };
        await writers.merge(`writer-${index}`, manifest, {
          environments: { development: { strategies: { one: { parameters } } } },
        });
      }
      const stored = await instance.flag(`${home}/${name}`);
      expect(ownedBy(stored, 'ancient-changes', 'Update')['f:environments']['f:production']).toHaveProperty(
        'f:enabled',
      );
      const { status, text } = await instance.call(`POST /projects/shop/features/${name}/environments/production/off`);
      expect(status).toBe(want);
      if (want === 409) expect(text).toContain('ancient-changes');
    },
  );
});

test.each<[string, unknown, string]>([
  ['a value inside', { deep: { deeper: 'new', beside: 'x' }, list: ['a'] }, '.deep.deeper'],
  ['an item of a list', { deep: { deeper: 'x', beside: 'x' }, list: ['b'] }, '.list'],
  ['all of it', {}, '.deep'],
])('free-form parameters are owned value by value: %s', async (_, parameters, want) => {
  const { home } = instance;
  const one = { name: 'default', parameters: { deep: { deeper: 'x', beside: 'x' }, list: ['a'] } };
  await give(GIT, aFlag(`${home}/free-form`, { environments: { production: { strategies: { one } } } }));
  const request = 'PUT /projects/shop/features/free-form/environments/production/strategies/one';
  const { status, text, body } = await instance.untouched(request, { body: { name: 'default', parameters } });
  expect(status, text).toBe(409);
  const paths = body.details.flatMap(({ path }: { path?: string }) => path ?? []);
  expect(paths[0]).toBe(`spec.environments.production.strategies.one.parameters${want}`);
  // Parameters that no owner holds can be changed freely.
  const added = { ...one.parameters, mine: 'x', deep: { ...one.parameters.deep, mine: 'x' } };
  const { status: free } = await instance.call(`${request}?dryRun=true`, {
    body: { name: 'default', parameters: added },
  });
  expect(free).toBe(200);
});

describe('a new order', () => {
  test('is refused for each strategy with an owned field, and for no other', async () => {
    const { home } = instance;
    const titled = { title: 't', name: 'default' };
    await give(GIT, aFlag(`${home}/ordered`, { environments: { production: { strategies: { theirs: titled } } } }));
    await writers.merge('kubectl-patch', aFlag(`${home}/ordered`), {
      environments: { production: { strategies: { mine: { name: 'default' } } } },
    });
    await instance.flag(`${home}/ordered`);
    const request = 'POST /projects/shop/features/ordered/environments/production/strategies/set-sort-order';
    const both = [
      { id: 'mine', sortOrder: 1 },
      { id: 'theirs', sortOrder: 2 },
    ];
    const { status, body } = await instance.untouched(request, { body: both });
    expect(status).toBe(409);
    expect(body.details[0].path).toBe('spec.environments.production.strategies.theirs.sortOrder');
    expect((await instance.call(request, { body: both.slice(0, 1) })).status).toBe(200);
  });
});

describe('cloning an environment', () => {
  const clone = (name: string, project: string) =>
    instance.call('POST /environments/production/clone', { body: { name, type: 'test', projects: [project] } });

  test('adds to flags that Git owns completely', async () => {
    await give(
      GIT,
      aProject(`${instance.home}/cloned`),
      aFlag(`${instance.home}/from-git`, { ...whole, project: 'cloned' }),
    );
    expect((await clone('copy-one', 'cloned')).status).toBe(200);
    const { environments } = (await instance.flag(`${instance.home}/from-git`)).spec;
    expect(environments['copy-one']).toMatchObject({ enabled: true });
  });

  test('writes nothing if a project has a list of environments that is applied on the client side, and reports it', async () => {
    await writers.create(ARGO, aProject(`${instance.home}/listed`, { environments: ['production'] }));
    await instance.served('GET /projects/listed');
    const { status, body } = await clone('copy-two', 'listed');
    expect([status, body.name]).toEqual([400, 'ValidationError']);
    expect(body.message).toContain('spec.environments by "argocd-controller"');
  });

  test('writes the list if the project says TakeOver', async () => {
    const { home } = instance;
    await writers.create(
      ARGO,
      aProject(`${home}/listed-open`, { environments: ['production'], managedFields: 'TakeOver' }),
    );
    await instance.served('GET /projects/listed-open');
    expect((await clone('copy-three', 'listed-open')).status).toBe(200);
    expect((await instance.specOf('project', `${home}/listed-open`)).environments).toEqual([
      'production',
      'copy-three',
    ]);
  });
});
