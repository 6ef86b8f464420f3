/** POST /state/import?prune=true: flags and segments of the imported projects that the document does not have. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, aProject, aSegment } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

let instance: Instance;
let writers: Writers;

beforeAll(async () => {
  instance = await startInstance('prune');
  writers = writersOf(instance.cluster);
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const PRUNE = 'POST /state/import?prune=true';

const withFlags = (...names: readonly string[]) => ({
  features: names.map((name) => ({ name, project: 'shop' })),
  segments: [] as object[],
});
const exists = async (...names: readonly string[]) => {
  const found = await Promise.all(names.map((name) => instance.flagsNamed(name)));
  return found.map((list) => list.length === 1);
};
const segmentsNow = async () =>
  (await instance.call('GET /segments')).body.segments.map(({ name }: Stored) => name).toSorted();

test('what is missing of these projects is removed, by name; archived flags and the rest stay', async () => {
  const { home, other } = instance;
  await instance.apply(
    aFlag(`${home}/stays`, { description: 'as it is' }),
    aFlag(`${home}/gone`),
    aFlag(`${home}/resting`, { archived: true }),
    aFlag(`${other}/elsewhere`, { project: 'pay' }),
    aSegment(`${home}/of-shop`, { project: 'shop' }),
    aSegment(`${home}/of-all`),
  );
  const body = withFlags('stays');
  const plan = await instance.untouched(`${PRUNE}&dryRun=true`, { body });
  const removed = { environments: [], projects: [], strategies: [], segments: ['of-shop'], features: ['gone'] };
  expect([plan.status, plan.body.deleted]).toEqual([202, removed]);
  const done = await instance.call(PRUNE, { body });
  expect([done.status, done.body]).toEqual([202, plan.body]);
  expect(await exists('stays', 'gone', 'resting', 'elsewhere')).toEqual([true, false, true, true]);
  expect((await instance.flagNamed('stays')).spec.description).toBe('as it is');
  expect(await segmentsNow()).toEqual(['of-all']);
  expect((await instance.untouched(PRUNE, { body })).body.deleted).toEqual({ ...removed, segments: [], features: [] });
});

test('a project that the document lists is pruned, too', async () => {
  const { home } = instance;
  await instance.apply(aProject(`${home}/second`), aFlag(`${home}/of-second`, { project: 'second' }));
  const body = { ...withFlags('stays'), projects: [{ id: 'second', name: 'second' }] };
  expect((await instance.call(PRUNE, { body })).body.deleted.features).toEqual(['of-second']);
  expect(await exists('of-second')).toEqual([false]);
});

test.each([
  ['no flags', { features: [] }],
  ['no list of flags', { projects: [{ id: 'shop', name: 'shop' }] }],
])('a document with %s removes nothing: 400', async (_, body) => {
  const message = await instance.refuses(PRUNE, { status: 400, name: 'ValidationError', body });
  expect(message).toContain('The `features` property must have a flag if the query has prune=true');
});

test('a flag of Git is not removed, and nothing else is written; neither is its segment', async () => {
  const { home } = instance;
  await instance.apply(aFlag(`${home}/free`));
  await writers.apply('kustomize-controller', aFlag(`${home}/of-git`, { description: 'd' }));
  await instance.served('GET /projects/shop/features/of-git');
  const refused = { status: 409, name: 'FieldManagedError', body: withFlags('stays') };
  const message = await instance.refuses(PRUNE, refused);
  for (const word of ['Nothing was imported', 'the flag "of-git"', 'kustomize-controller']) {
    expect(message).toContain(word);
  }
  expect((await instance.call(`${PRUNE}&force=true`, { body: withFlags('stays') })).body.deleted.features).toEqual([
    'free',
    'of-git',
  ]);
  await writers.apply('kustomize-controller', aSegment(`${home}/of-git`, { project: 'shop', description: 'd' }));
  await instance.judged(aSegment(`${home}/of-git`));
  expect(await instance.refuses(PRUNE, refused)).toContain('the segment "of-git"');
  expect((await instance.call(`${PRUNE}&force=true`, { body: withFlags('stays') })).status).toBe(202);
});

test('a segment that a flag keeps using, and a parent of a flag that stays, are not removed', async () => {
  const { home } = instance;
  const strategies = { one: { name: 'default', segments: ['needed'] } };
  await instance.apply(
    aSegment(`${home}/needed`, { project: 'shop' }),
    aFlag(`${home}/parent`),
    aFlag(`${home}/user`, { environments: { production: { strategies } }, dependencies: [{ feature: 'parent' }] }),
  );
  const inUse = { status: 409, name: 'InUseError', body: withFlags('stays', 'user') };
  const message = await instance.refuses(PRUNE, inUse);
  for (const word of ['Other flags depend on "parent"', '"needed" cannot be deleted: 1 flag uses it (user)']) {
    expect(message).toContain(word);
  }
  // The import takes both uses away, so it may remove them.
  const user = { name: 'user', project: 'shop', dependencies: [] };
  const body = {
    ...withFlags('stays'),
    features: [{ name: 'stays', project: 'shop' }, user],
    featureEnvironments: [{ featureName: 'user', environment: 'production', enabled: false }],
    featureStrategies: [],
  };
  const { deleted } = (await instance.call(`${PRUNE}&keep=false`, { body })).body;
  expect([deleted.segments, deleted.features.toSorted()]).toEqual([['needed'], ['parent']]);
});
