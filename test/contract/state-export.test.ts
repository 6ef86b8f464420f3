/** GET /state/export: which environments of flags it contains, what is left out, and what some callers do not see. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('state-export');
  const { home, other, apply } = instance;
  const strategies = { one: { name: 'default' } };
  await apply(
    aProject(`${home}/another`),
    aFlag(`${home}/b`, { environments: { production: { enabled: true, strategies, variants: [{ name: 'p' }] } } }),
    aFlag(`${other}/a`, { project: 'pay', environments: { development: { enabled: true, strategies } } }),
    aFlag(`${home}/c`, { project: 'another', archived: true }),
    aFlag(`${home}/d`, { project: 'nowhere' }),
    aFlag(`${home}/e`, { environments: { production: { enabled: true, strategies: { one: { name: 'unknown' } } } } }),
  );
});
afterAll(() => instance.stop());

const exported = async (query = ''): Promise<Stored> => (await instance.call(`GET /state/export${query}`)).body;
const inline = ({ features }: Stored) =>
  features.map(({ name, enabled, strategies, variants }: Stored) => [
    name,
    enabled,
    strategies.length,
    variants.length,
  ]);

test('the configuration of a flag itself is that of the first environment, of the one named default, or of the one in the query', async () => {
  expect(inline(await exported())).toEqual([
    ['a', true, 1, 0],
    ['b', false, 0, 0],
    ['e', false, 0, 0],
  ]);
  expect(inline(await exported('?environment=production'))).toEqual([
    ['a', false, 0, 0],
    ['b', true, 1, 1],
    // The export has the wanted state, even if a finding keeps the flag off.
    ['e', true, 1, 0],
  ]);
  const unknown = { status: 400, name: 'ValidationError' };
  expect(await instance.refuses('GET /state/export?environment=moon', unknown)).toContain('moon');
  await instance.apply(anEnvironment(`${instance.home}/default`, { sortOrder: 9 }));
  expect(inline(await exported())).toEqual([
    ['a', false, 0, 0],
    ['b', false, 0, 0],
    ['e', false, 0, 0],
  ]);
});

test('flags are ordered by name across projects; archived flags and flags of no project are left out', async () => {
  const { features, projects, featureEnvironments } = await exported();
  expect(features.map(({ name, project }: Stored) => [name, project])).toEqual([
    ['a', 'pay'],
    ['b', 'shop'],
    ['e', 'shop'],
  ]);
  expect(projects.map(({ id }: Stored) => id)).toEqual(['another', 'pay', 'shop']);
  expect(featureEnvironments.map(({ featureName, environment }: Stored) => `${featureName} ${environment}`)).toEqual(
    ['a', 'b', 'e'].flatMap((name) => ['development', 'production', 'default'].map((one) => `${name} ${one}`)),
  );
});

test('HEAD answers as GET, without the document', async () => {
  const { status, text, headers } = await instance.call('HEAD /state/export?format=yaml&download=true');
  expect([status, text, headers.get('content-type')]).toEqual([200, '', 'text/yaml; charset=utf-8']);
  expect(headers.get('content-disposition')).toContain('.yml');
});
