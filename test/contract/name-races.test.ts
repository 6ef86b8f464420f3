/** One name, several callers at once: never two flags. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Operator, startOperator } from '../support/operator.ts';

let instance: Instance;
let replica: Operator;

beforeAll(async () => {
  instance = await startInstance('races');
  replica = await startOperator(instance.cluster, instance.home, { watched: [instance.other] });
});
afterAll(async () => {
  await replica.stop();
  await instance.stop();
});

const ROUNDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

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
