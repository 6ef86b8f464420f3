/** Segments in state documents: kept, overwritten, dropped, and never lost silently. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('state-segments');
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import';
const constraint = (contextName: string) => ({ contextName, operator: 'IN' as const, values: ['1'] });
const storedIn = (name: string) => instance.specOf('segment', `${instance.home}/${name}`);
const storedFlag = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec;
const exported = async (): Promise<Stored> => (await instance.call('GET /state/export')).body;

test('an existing segment stays with keep, is overwritten without it, and keeps its id', async () => {
  await instance.apply(aSegment(`${instance.home}/there`, { description: 'before', constraints: [constraint('a')] }));
  // The operator has written the id into the status, but its cache may not show it yet.
  const { id } = await waitUntil({ what: 'the segment is served' }, async () => (await exported()).segments[0]);
  const body = { segments: [{ id: 77, name: 'there', constraints: [constraint('b')] }] };
  const kept = await instance.untouched(IMPORT, { body });
  expect(kept.status).toBe(202);
  await instance.call(`${IMPORT}?keep=false`, { body });
  expect(await storedIn('there')).toEqual({ description: 'before', constraints: [constraint('b')] });
  await instance.call(`${IMPORT}?drop=true`, { body });
  expect(await storedIn('there')).toEqual({ constraints: [constraint('b')] });
  expect((await instance.call(`GET /segments/${id}`)).body.name).toBe('there');
});

test('drop deletes the segments that the document does not have, unless flags that stay use them', async () => {
  const { home } = instance;
  const production = { strategies: { one: { name: 'default', segments: ['needed'] } } };
  await instance.apply(
    aSegment(`${home}/needed`),
    aSegment(`${home}/unneeded`),
    aFlag(`${home}/user`, { environments: { production } }),
  );
  const inUse = { status: 409, name: 'InUseError', body: { segments: [] } };
  expect(await instance.refuses(`${IMPORT}?drop=true`, inUse)).toContain('"needed" cannot be deleted: 1 flag uses it');
  const body = { segments: [{ id: 1, name: 'needed' }] };
  const plan = await instance.untouched(`${IMPORT}?drop=true&dryRun=true`, { body });
  expect(plan.body.deleted.segments.toSorted()).toEqual(['there', 'unneeded']);
  expect((await instance.call(`${IMPORT}?drop=true`, { body })).status).toBe(202);
  expect((await exported()).segments.map(({ name }: Stored) => name)).toEqual(['needed']);
});

test('a segment for other flags is never overwritten: 409', async () => {
  const body = { segments: [{ id: 1, name: 'needed', project: 'shop' }] };
  const refused = { status: 409, name: 'NameExistsError', body };
  expect(await instance.refuses(`${IMPORT}?keep=false`, refused)).toContain('it is for flags of all projects');
});

test('a strategy whose segment does not exist is exported as off, and the answer reports it', async () => {
  const strategies = { one: { name: 'default', segments: ['gone'] } };
  await instance.apply(
    aFlag(`${instance.home}/dangling`, { environments: { production: { enabled: true, strategies } } }),
  );
  const { body, headers } = await instance.call('GET /state/export?environment=production');
  expect(body.features.find(({ name }: Stored) => name === 'dangling').enabled).toBe(false);
  const place = body.featureEnvironments.find(
    ({ featureName, environment }: Stored) => featureName === 'dangling' && environment === 'production',
  );
  expect(place.enabled).toBe(false);
  expect(headers.get('warning')).toContain('dangling spec.environments.production.strategies.one.segments');
  const stored = await storedFlag('dangling');
  for (const mode of ['keep=false', 'drop=true']) {
    expect((await instance.call(`${IMPORT}?${mode}`, { body })).status).toBe(202);
    expect(await storedFlag('dangling'), mode).toEqual(stored);
  }
  // A document that says something else is followed, and the flag stays off without its segment.
  const row = body.featureStrategies.find(({ featureName }: Stored) => featureName === 'dangling');
  const other = { ...body, featureStrategies: [{ ...row, title: 'Other' }] };
  expect((await instance.call(`${IMPORT}?keep=false`, { body: other })).status).toBe(202);
  const { production } = (await storedFlag('dangling')).environments;
  expect(production).toEqual({ enabled: false, strategies: { one: { ...strategies.one, title: 'Other' } } });
});
