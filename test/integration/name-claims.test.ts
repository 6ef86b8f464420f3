/** A name stays with the namespace that had it first, whatever claims it elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type NameWorld, nameWorld } from '../support/name-world.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };

let instance: Instance;
let world: NameWorld;
let home: string;
let tenant: string;

beforeAll(async () => {
  instance = await startInstance('claims');
  home = instance.home;
  tenant = instance.other;
  world = nameWorld(instance.cluster, home);
  const theirs = CONTESTED.map((name) =>
    aFlag(`${tenant}/${name}`, { description: 'theirs', environments: { production: on } }),
  );
  await instance.apply(...CONTESTED.map(ours), ours('reserved'), ...theirs, aProject(`${tenant}/theirs`));
  for (const name of CONTESTED) {
    await world.becomes(`ff ${tenant}/${name}`, 'NameConflict');
    await world.claimed('featureflags', name, home);
  }
  await world.claimed('featureflags', 'reserved', home);
  await world.claimed('projects', 'theirs', tenant);
});
afterAll(() => instance?.stop());

const descriptionOf = async (name: string) => {
  const { status, body } = await instance.call(`GET /projects/shop/features/${name}`);
  return status === 200 ? body.description : status;
};

/** Each name belongs to a flag of the operator namespace, and a flag of the same name is in the other namespace. */
const CONTESTED = ['watched', 'looped', 'expiring', 'kept'] as const;
const ours = (name: string): Manifest =>
  aFlag(`${home}/${name}`, { description: 'ours', environments: { production: on } });

test('claims are written once, and not again for a change without a new name', async () => {
  const { cluster } = instance;
  await world.claimed('projects', 'shop', home);
  await world.claimed('projects', 'pay', tenant);
  const flag = (name: string, description: string) => aFlag(`${home}/${name}`, { description });
  await cluster.apply([flag('one', 'before'), flag('two', 'before')]);
  for (const name of ['one', 'two']) await world.claimed('featureflags', name, home);
  const versions = async () =>
    new Map((await world.configMaps()).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  const before = await versions();

  await cluster.apply([flag('one', 'after'), flag('two', 'after'), flag('three', 'new')]);
  await world.claimed('featureflags', 'three', home);
  const written = await world.configMapOf('featureflags', 'three', home);
  const after = await versions();
  before.delete(written);
  after.delete(written);
  expect(after).toEqual(before);
});

describe('an object of the same name in another namespace', () => {
  test('gets none of the names when their owners are replaced by force', async () => {
    const project = aProject(`${home}/store`);
    const flag = aFlag(`${home}/card-payments`, {
      project: 'store',
      description: 'ours',
      environments: { production: on },
    });
    await instance.apply(project, flag);
    await instance.apply(
      aProject(`${tenant}/squat`, { name: 'store' }),
      aFlag(`${tenant}/squat`, { name: 'card-payments', project: 'store', environments: { production: on } }),
    );
    await world.becomes(`ff ${tenant}/squat`, 'NameConflict');
    await world.claimed('featureflags', 'card-payments', home);
    await world.claimed('projects', 'store', home);

    await world.replace(flag, project);
    await world.becomes(`fp ${home}/store`, 'Succeeded');
    expect((await world.becomes(`ff ${home}/card-payments`, 'Succeeded')).status.enabledIn).toBe('production');
    await world.becomes(`fp ${tenant}/squat`, 'NameConflict');
    await world.becomes(`ff ${tenant}/squat`, 'NameConflict');
    const { body } = await instance.call('GET /projects/store/features/card-payments');
    expect(body.description).toBe('ours');
    expect((await instance.call('GET /projects/store/features')).text).not.toContain('squat');
  });

  test('causes a Warning in the status of the owner, and a Kubernetes Event', async () => {
    const { status, metadata } = await waitUntil({ what: 'the holder is warned' }, async () => {
      const found = await world.object(`ff ${home}/watched`);
      return found.status.problems !== undefined && found;
    });
    const message = `${tenant}/watched has the same flag name "watched" and has no effect: ask its owner to delete or rename it`;
    expect(status.problems).toEqual([{ severity: 'Warning', path: 'spec.name', reason: 'DuplicateName', message }]);
    const events = await world.events(metadata.uid, 'DuplicateName');
    expect(events).toMatchObject([{ type: 'Warning', message }]);
    expect(events[0].metadata.labels).toBeUndefined();

    await world.remove(`ff ${tenant}/watched`);
    await waitUntil({ what: 'the warning is gone' }, async () => {
      return (await world.object(`ff ${home}/watched`)).status.problems === undefined;
    });
  });

  test('is never served, however often it comes between a deletion and a creation', async () => {
    const flag = ours('looped');
    const path = (namespace: string) => `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
    const remove = (namespace: string) =>
      instance.cluster.request({ method: 'DELETE', path: `${path(namespace)}/looped` });
    const create = (body: Manifest) =>
      instance.cluster.request({ method: 'POST', path: path(body.metadata.namespace), body });
    const seen = new Set<unknown>();
    for (let round = 0; round < 2; round += 1) {
      await remove(tenant);
      await remove(home);
      await create(aFlag(`${tenant}/looped`, { description: 'theirs' }));
      seen.add(await descriptionOf('looped'));
      await create(flag);
      await waitUntil({ what: 'the flag is served again', everyMs: 10 }, async () => {
        const found = await descriptionOf('looped');
        seen.add(found);
        return found === 'ours';
      });
    }
    expect(seen).not.toContain('theirs');
    await world.becomes(`ff ${home}/looped`, 'Succeeded');
    await world.becomes(`ff ${tenant}/looped`, 'NameConflict');
  });
});

describe('a name that no object has any more', () => {
  test('is refused to flags of other namespaces, and free for those of its own', async () => {
    await world.remove(`ff ${home}/reserved`);
    await waitUntil({ what: 'it is not served any more' }, async () => (await descriptionOf('reserved')) === 404);

    const body = { name: 'reserved' };
    const refused = { status: 409, name: 'NameExistsError', body };
    expect(await instance.refuses('POST /projects/pay/features', refused)).not.toContain(home);
    expect((await instance.call('POST /projects/shop/features', { body })).status).toBe(201);
  });

  test('is shown with its namespace and the end of the claim, and is free after that', async () => {
    await world.remove(`ff ${home}/expiring`);
    const until = await world.claimEnd('featureflags', 'expiring', home);
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(6.9 * 24 * 3_600_000);
    await waitUntil({ what: 'the status shows the end' }, async () => {
      const { status } = await world.object(`ff ${tenant}/expiring`);
      return status.problems[0].message.includes(`belongs to the namespace ${home} until ${until}`);
    });

    await world.endClaim('featureflags', { namespace: home, name: 'expiring' });
    await world.claimed('featureflags', 'expiring', tenant);
    await world.becomes(`ff ${tenant}/expiring`, 'ProjectNotFound');
  });

  test('is refused to projects that the API or an import would create in the operator namespace', async () => {
    await world.remove(`fp ${tenant}/theirs`);
    await waitUntil({ what: 'it is not served' }, async () => {
      return (await instance.call('GET /projects/theirs')).status === 404;
    });
    const refused = { status: 409, name: 'NameExistsError' };
    const body = { id: 'theirs', name: 'Theirs' };
    expect(await instance.refuses('POST /projects', { ...refused, body })).not.toContain(tenant);
    const document = { version: 4, projects: [{ id: 'theirs', name: 'Theirs' }], features: [] };
    await instance.refuses('POST /state/import', { ...refused, body: document });

    await instance.apply(aProject(`${tenant}/theirs`));
    await world.becomes(`fp ${tenant}/theirs`, 'Succeeded');
  });
});

test('a ConfigMap that is deleted while the operator runs is written again, and no name changes its owner', async () => {
  // The flag is younger than the other one now.
  await world.replace(ours('kept'));
  const configMap = await world.configMapOf('featureflags', 'kept', home);
  await world.remove(`configmap ${home}/${configMap}`);
  await world.claimed('featureflags', 'kept', home);
  await world.becomes(`ff ${home}/kept`, 'Succeeded');
  expect(await descriptionOf('kept')).toBe('ours');
});
