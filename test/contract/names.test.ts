/** Names on the wire and the objects that have them; one name, several callers at once: never two flags. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, releasingName } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Operator, startOperator } from '../support/operator.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('names');
});
afterAll(() => instance.stop());

const create = (name: string) => instance.call('POST /projects/shop/features', { body: { name } });
const objectName = async (wireName: string) => (await instance.flagNamed(wireName)).metadata.name;

const HASHED = /^[a-z0-9][-a-z0-9]*-[0-9a-f]{10}$/;

describe('objects of flags that the API creates', () => {
  test.each(['with.dots', 'x'.repeat(100)])('%s is an object name, so it is the name of the object', async (name) => {
    expect((await create(name)).status).toBe(201);
    const { metadata, spec } = await instance.flagNamed(name);
    expect(metadata.name).toBe(name);
    expect(spec).not.toHaveProperty('name');
  });

  test.each([
    ["it's(a)*star", 'it-s-a-star'],
    ['X'.repeat(100), 'x'.repeat(100)],
    ['sum-0123456789', 'sum-0123456789'],
  ])('%s is written as a slug and 10 hex digits, with the name in spec.name', async (name, slug) => {
    const { status, body } = await create(name);
    expect([status, body.name]).toEqual([201, name]);
    const { metadata, spec } = await instance.flagNamed(name);
    expect(metadata.name).toMatch(HASHED);
    expect(metadata.name.slice(0, -11)).toBe(slug);
    expect(spec.name).toBe(name);
    const { body: shown } = await instance.call(`GET /projects/shop/features/${encodeURIComponent(name)}`);
    expect(shown.name).toBe(name);
  });

  test('two names with one slug are two flags', async () => {
    for (const name of ['Slug!', 'Slug~']) expect((await create(name)).status).toBe(201);
    expect(await objectName('Slug!')).not.toBe(await objectName('Slug~'));
  });

  test('a name that equals the object name of another flag does not replace that flag', async () => {
    await create('Mimic');
    const taken = await objectName('Mimic');
    expect((await create(taken)).status).toBe(201);
    expect(await objectName(taken)).not.toBe(taken);
    expect((await instance.call('GET /projects/shop/features/Mimic')).body.name).toBe('Mimic');
  });

  test('case counts', async () => {
    for (const name of ['casing', 'Casing']) expect((await create(name)).status).toBe(201);
    expect((await create('Casing')).status).toBe(409);
  });

  test('if another flag has the object name, the next one is used', async () => {
    await instance.apply(aFlag(`${instance.home}/occupied`, { name: 'someone-else' }));
    expect((await create('occupied')).status).toBe(201);
    expect(await objectName('occupied')).toMatch(/^occupied-[0-9a-f]{10}$/);
    expect(await objectName('someone-else')).toBe('occupied');
    expect((await create('occupied')).status).toBe(409);
    expect((await create('someone-else')).status).toBe(409);
  });
});

describe('objects that users write', () => {
  test('may have any name: the flag is found only by the name on the wire', async () => {
    await instance.apply(aFlag(`${instance.home}/any-object`, { name: 'Any~Wire', description: 'before' }));
    const { status } = await instance.call('PUT /projects/shop/features/Any~Wire', { body: { description: 'after' } });
    expect(status).toBe(200);
    expect((await instance.flag(`${instance.home}/any-object`)).spec).toMatchObject({ description: 'after' });
    expect((await instance.call('GET /projects/shop/features/any-object')).status).toBe(404);
  });

  test('spec.name equal to metadata.name has no effect', async () => {
    await instance.apply(aFlag(`${instance.home}/repeated`, { name: 'repeated' }));
    expect((await instance.call('GET /projects/shop/features/repeated')).status).toBe(200);
    expect((await create('repeated')).status).toBe(409);
  });

  test('of two with one name on the wire the older is served, and the status of the other names the reason', async () => {
    const { home, other } = instance;
    // Creation times are whole seconds. Within one second, the object with the smaller namespace and name wins; here
    // that is the one in the operator namespace.
    await instance.apply(aFlag(`${home}/older`, { name: 'Contested', description: 'older' }));
    await instance.apply(aFlag(`${other}/younger`, { name: 'Contested', description: 'younger', project: 'pay' }));
    const { body } = await instance.call('GET /projects/shop/features/Contested');
    expect(body.description).toBe('older');
    expect((await instance.call('GET /projects/pay/features/Contested')).status).toBe(404);
    expect((await instance.call('GET /projects/pay/features')).text).not.toContain('Contested');
    const { status } = await instance.flag(`${other}/younger`);
    const ready = status.conditions.find(({ type }: { type: string }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'NameConflict' });
    expect(ready.message).toContain(`${home}/older`);
  });

  test('the other one takes over when an older one that releases its name is deleted', async () => {
    const { home, other, cluster } = instance;
    await instance.apply(releasingName(aFlag(`${home}/leaving`, { name: 'Inherited' })));
    await instance.apply(aFlag(`${other}/heir`, { name: 'Inherited', project: 'pay' }));
    await cluster.deleteObject('ff/leaving', home);
    await instance.served('GET /projects/pay/features/Inherited');
    expect((await instance.call('GET /projects/shop/features/Inherited')).status).toBe(404);
  });
});

describe('an invalid name', () => {
  const invalid = ['', 'a/b', 'a%20b', '✓', '..', 'a'.repeat(101), 'a\nb', 'a@b'];
  test.each(invalid)('%j is refused, quoting it', async (name) => {
    const refused = { status: 400, name: 'ValidationError', body: { name } };
    const message = await instance.refuses('POST /projects/shop/features', refused);
    expect(message).toContain('The `name` property');
    expect(message).toContain(JSON.stringify(name).slice(0, 90));
  });

  test('an impossible name does not exist: 404', async () => {
    for (const name of ['a%20b', '%C3%A9', 'x'.repeat(300), '__proto__', 'toString']) {
      await instance.refuses(`GET /projects/shop/features/${name}`, { status: 404, name: 'NotFoundError' });
      await instance.refuses(`GET /projects/${name}`, { status: 404, name: 'NotFoundError' });
    }
  });

  test('names of members that every object has are ordinary names', async () => {
    for (const name of ['__proto__', 'constructor']) {
      expect((await create(name)).status).toBe(201);
      expect((await instance.call(`GET /projects/shop/features/${name}`)).body.name).toBe(name);
    }
  });
});

describe('several callers at once', () => {
  let replica: Operator;

  beforeAll(async () => {
    replica = await startOperator(instance.cluster, instance.home, { watched: [instance.other] });
  });
  afterAll(() => replica.stop());

  const ROUNDS = ['one', 'two'];

  const createIn = (url: string, project: string, name: string) =>
    adminClient(url)(`POST /projects/${project}/features`, { body: { name } });

  async function expectAtMostOne(name: string, statuses: readonly number[]): Promise<void> {
    const created = statuses.filter((status) => status === 201);
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(created.length).toBeLessThanOrEqual(1);
    const objects = await instance.flagsNamed(name);
    expect(objects).toHaveLength(created.length);
  }

  test('two replicas, one project: exactly one 201', async () => {
    for (const round of ROUNDS) {
      const name = `Same_${round}`;
      const answers = await Promise.all([
        createIn(instance.url, 'shop', name),
        createIn(replica.url, 'shop', name),
        createIn(instance.url, 'shop', name),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([201, 409, 409]);
      await expectAtMostOne(name, statuses);
    }
  });

  test('two replicas, two namespaces: never two 201, and no object without a 201', async () => {
    for (const round of ROUNDS) {
      const name = `across-${round}`;
      const answers = await Promise.all([createIn(instance.url, 'shop', name), createIn(replica.url, 'pay', name)]);
      await expectAtMostOne(
        name,
        answers.map(({ status }) => status),
      );
    }
  });

  test('also where one namespace has to take the second object name', async () => {
    for (const round of ROUNDS) {
      const name = `second-${round}`;
      await instance.apply(aFlag(`${instance.home}/${name}`, { name: `occupies-${round}` }));
      const answers = await Promise.all([createIn(instance.url, 'shop', name), createIn(replica.url, 'pay', name)]);
      await expectAtMostOne(
        name,
        answers.map(({ status }) => status),
      );
    }
  });

  test('kubectl in one namespace, then the API in the other: 409, at either replica', async () => {
    await instance.apply(aFlag(`${instance.other}/by-kubectl`, { project: 'pay', name: 'By_Kubectl' }));
    for (const { url } of [instance, replica]) {
      expect((await createIn(url, 'shop', 'By_Kubectl')).status).toBe(409);
    }
    expect(await instance.flagsNamed('By_Kubectl')).toHaveLength(1);
  });
});
