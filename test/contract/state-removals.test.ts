/** What POST /state/import removes and overwrites: prune, drop, fields of a GitOps tool, and segments. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const IMPORT = 'POST /state/import';
const DROP = `${IMPORT}?drop=true`;

let instance: Instance;
let writers: Writers;

beforeAll(async () => {
  instance = await startInstance('state-removals');
  writers = writersOf(instance.cluster);
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

describe('prune: flags and segments of the imported projects that the document does not have', () => {
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
    expect((await instance.untouched(PRUNE, { body })).body.deleted).toEqual({
      ...removed,
      segments: [],
      features: [],
    });
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
    await writers.apply(GIT, aFlag(`${home}/of-git`, { description: 'd' }));
    await instance.served('GET /projects/shop/features/of-git');
    const refused = { status: 409, name: 'FieldManagedError', body: withFlags('stays') };
    const message = await instance.refuses(PRUNE, refused);
    for (const word of ['Nothing was imported', 'the flag "of-git"', GIT]) {
      expect(message).toContain(word);
    }
    expect((await instance.call(`${PRUNE}&force=true`, { body: withFlags('stays') })).body.deleted.features).toEqual([
      'free',
      'of-git',
    ]);
    await writers.apply(GIT, aSegment(`${home}/of-git`, { project: 'shop', description: 'd' }));
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
});

describe('flags that a GitOps tool owns: nothing is overwritten or dropped without force', () => {
  const document = (...names: readonly string[]) => ({
    features: names.map((name) => ({ name, project: 'shop', description: 'imported' })),
  });

  async function give(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await writers.apply(GIT, aFlag(`${instance.home}/${name}`, { description: 'from Git' }));
      await instance.served(`GET /projects/shop/features/${name}`);
    }
  }

  test.each([
    ['overwritten', `${IMPORT}?keep=false`, document('held', 'free')],
    ['overwritten by a document that drops the others', DROP, document('held', 'free')],
    ['dropped', DROP, document('free')],
  ])('a flag that Git owns is not %s, and nothing else is written', async (_, request, body) => {
    await give('held');
    const refused = { status: 409, name: 'FieldManagedError', body };
    expect(await instance.refuses(request, refused)).toContain(`spec.description by "${GIT}"`);
    const plan = await instance.untouched(`${request}&dryRun=true`, { body });
    expect([plan.status, JSON.stringify(plan.body.conflicts)]).toEqual([
      202,
      expect.stringContaining('spec.description'),
    ]);
  });

  test('fields that Git owns are unchanged by an import that keeps existing objects', async () => {
    await give('held');
    expect((await instance.untouched(IMPORT, { body: document('held') })).status).toBe(202);
  });

  test('with force they are overwritten and dropped, and the answer names the owners', async () => {
    await give('over', 'gone');
    const { status, headers } = await instance.call(`${DROP}&force=true`, { body: document('over') });
    expect([status, headers.get('warning')]).toEqual([202, expect.stringContaining(GIT)]);
    expect((await instance.flagNamed('over')).spec.description).toBe('imported');
    expect(await instance.flagsNamed('gone')).toEqual([]);
  });

  test('in a project that takes over they are dropped without force', async () => {
    await instance.apply(aProject(`${instance.home}/ours`, { managedFields: 'TakeOver' }));
    await writers.apply(GIT, aFlag(`${instance.home}/taken`, { project: 'ours' }));
    await instance.served('GET /projects/ours/features/taken');
    expect((await instance.call(`${DROP}`, { body: document('over') })).status).toBe(202);
    expect(await instance.flagsNamed('taken')).toEqual([]);
  });
});

describe('segments: kept, overwritten, dropped, and never lost silently', () => {
  const constraint = (contextName: string) => ({ contextName, operator: 'IN' as const, values: ['1'] });
  const storedIn = (name: string) => instance.specOf('segment', `${instance.home}/${name}`);
  const storedFlag = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec;
  const exported = async (): Promise<Stored> => (await instance.call('GET /state/export')).body;

  test('an existing segment stays with keep, is overwritten without it, and keeps its id', async () => {
    await instance.apply(aSegment(`${instance.home}/there`, { description: 'before', constraints: [constraint('a')] }));
    // The operator has written the id into the status, but its cache may not show it yet.
    const { id } = await waitUntil({ what: 'the segment is served' }, async () =>
      (await exported()).segments.find(({ name }: Stored) => name === 'there'),
    );
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
    expect(await instance.refuses(`${IMPORT}?drop=true`, inUse)).toContain(
      '"needed" cannot be deleted: 1 flag uses it',
    );
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
});
