/** The types that a flag may have. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('types');
});
afterAll(() => instance.stop());

test('each type with its name, its purpose, and the expected lifetime of its flags in days', async () => {
  const { status, body } = await instance.call('GET /feature-types');
  const description = expect.stringMatching(/^[A-Z].+\.$/);
  expect([status, body]).toEqual([
    200,
    {
      version: 1,
      types: [
        { id: 'release', name: 'Release', description, lifetimeDays: 40 },
        { id: 'experiment', name: 'Experiment', description, lifetimeDays: 40 },
        { id: 'operational', name: 'Operational', description, lifetimeDays: 7 },
        { id: 'kill-switch', name: 'Kill switch', description, lifetimeDays: null },
        { id: 'permission', name: 'Permission', description, lifetimeDays: null },
      ],
    },
  ]);
});

test('each of them is accepted as the type of a flag', async () => {
  const { body } = await instance.call('GET /feature-types');
  for (const { id } of body.types) {
    const created = await instance.call('POST /projects/shop/features', { body: { name: `of-${id}`, type: id } });
    expect([created.status, created.body.type]).toEqual([201, id]);
  }
});
