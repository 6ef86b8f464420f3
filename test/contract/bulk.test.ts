/** The same operation on several flags of a project: archive, revive, delete, stale, on, off. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { writersOf } from '../support/written-as.ts';

/** More than `CONCURRENCY` in src/actions/bulk.ts. */
const MANY = 12;

let instance: Instance;
let round = 0;

const strategies = { all: { name: 'default' } };
const on: FlagSpec = { environments: { production: { enabled: true, strategies } } };
const off: FlagSpec = { environments: { production: { strategies } } };
const ON = 'POST /projects/shop/bulk_features/environments/production/on';
const OFF = 'POST /projects/shop/bulk_features/environments/production/off';

beforeAll(async () => {
  instance = await startInstance('bulk');
  await instance.apply(
    aFlag(`${instance.home}/bare`),
    aFlag(`${instance.home}/stowed`, { ...on, archived: true }),
    aFlag(`${instance.other}/far`, { project: 'pay' }),
  );
});
afterAll(() => instance.stop());

/** Creates flags that only one test uses. */
async function flags(...specs: FlagSpec[]): Promise<string[]> {
  round += 1;
  const names = specs.map((_, index) => `flag-${round}-${index}`);
  await instance.apply(...specs.map((spec, index) => aFlag(`${instance.home}/${names[index]}`, spec)));
  return names;
}
const specs = (names: readonly string[]) =>
  Promise.all(names.map(async (name) => (await instance.flag(`${instance.home}/${name}`)).spec));
const call = (request: string, features: readonly string[], more: object = {}) =>
  instance.call(request, { body: { features, ...more } });

describe('archive', () => {
  test('202 without a body: each flag is archived and keeps its strategies; repeating it is harmless', async () => {
    const names = await flags(on, off, {});
    const { status, text } = await call('POST /projects/shop/archive', names);
    expect([status, text]).toEqual([202, '']);
    for (const [index, spec] of [on, off, {}].entries()) {
      expect((await specs(names))[index]).toEqual({ project: 'shop', ...spec, archived: true });
    }
    const again = await instance.untouched('POST /projects/shop/archive', { body: { features: names } });
    expect(again.status).toBe(202);
  });
});

describe('revive', () => {
  test('200 without a body: each flag is out of the archive and off everywhere; flags that were not archived stay unchanged', async () => {
    const names = await flags({ ...on, archived: true }, { archived: true }, on);
    const { status, text } = await call('POST /projects/shop/revive', names);
    expect([status, text]).toEqual([200, '']);
    expect(await specs(names)).toEqual([
      { project: 'shop', environments: { production: { enabled: false, strategies } } },
      { project: 'shop' },
      { project: 'shop', ...on },
    ]);
  });
});

describe('delete', () => {
  test('200 without a body: each flag is deleted, and its name is free', async () => {
    const names = await flags({ archived: true }, { archived: true });
    const { status, text } = await call('POST /projects/shop/delete', names);
    expect([status, text]).toEqual([200, '']);
    for (const name of names) {
      expect(await instance.flagsNamed(name)).toEqual([]);
      expect((await instance.call('POST /features/validate', { body: { name } })).status).toBe(200);
    }
  });

  test('404 if one flag is not archived, and none is deleted', async () => {
    const [archived = '', living = ''] = await flags({ archived: true }, {});
    const body = { features: [archived, living] };
    const refused = { status: 404, name: 'NotFoundError', body };
    expect(await instance.refuses('POST /projects/shop/delete', refused)).toBe(
      `The flag "${living}" is not archived: archive it first.`,
    );
  });
});

describe('stale', () => {
  test('202 without a body: stale is set or removed on each; everything else stays', async () => {
    const names = await flags({ type: 'experiment', description: 'd' }, { stale: true });
    const { status, text } = await call('POST /projects/shop/stale', names, { stale: true });
    expect([status, text]).toEqual([202, '']);
    expect(await specs(names)).toEqual([
      { project: 'shop', type: 'experiment', description: 'd', stale: true },
      { project: 'shop', stale: true },
    ]);
    await call('POST /projects/shop/stale', names, { stale: false });
    expect((await specs(names)).map(({ stale }) => stale ?? false)).toEqual([false, false]);
    await call('POST /projects/shop/stale', names);
    expect((await specs(names)).map(({ stale }) => stale)).toEqual([true, true]);
  });

  test('404 if one flag is archived', async () => {
    const body = { features: ['bare', 'stowed'], stale: true };
    const refused = { status: 404, name: 'NotFoundError', body };
    expect(await instance.refuses('POST /projects/shop/stale', refused)).toContain('"stowed"');
  });
});

describe('on and off', () => {
  test('200 without a body: each flag is switched', async () => {
    const names = await flags(off, on, off);
    const answer = await call(ON, names);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await specs(names)).map((spec) => spec.environments.production.enabled)).toEqual([true, true, true]);
    expect((await call(OFF, names)).status).toBe(200);
    expect((await specs(names)).map((spec) => spec.environments.production.enabled)).toEqual([false, false, false]);
    expect((await instance.untouched(OFF, { body: { features: names } })).status).toBe(200);
  });

  test('409 that names each flag that would stay off, and none is switched', async () => {
    const [bare = '', good = '', another = ''] = await flags({}, off, {
      environments: { development: { strategies } },
    });
    const body = { features: [good, bare, another] };
    const message = await instance.refuses(ON, { status: 409, name: 'CannotEnableError', body });
    for (const word of [`"${bare}"`, `"${another}"`, 'Nothing was written']) expect(message).toContain(word);
    expect(message).not.toContain(`"${good}"`);
    const { body: answered } = await instance.call(ON, { body });
    expect(answered.details).toHaveLength(2);
  });

  test('400 if one flag is archived, 404 in a missing environment', async () => {
    const body = { features: ['bare', 'stowed'] };
    await instance.refuses(OFF, { status: 400, name: 'ArchivedFeatureError', body });
    const elsewhere = 'POST /projects/shop/bulk_features/environments/no-such/off';
    await instance.refuses(elsewhere, { status: 404, name: 'NotFoundError', body: { features: ['bare'] } });
  });
});

const requests: readonly string[] = [
  ...['archive', 'revive', 'delete', 'stale'].map((what) => `POST /projects/shop/${what}`),
  ...[ON, OFF],
];

describe('what writes nothing', () => {
  let before: Awaited<ReturnType<Instance['everything']>>;
  let names: readonly string[];
  beforeAll(async () => {
    names = await flags(off, off);
    before = await instance.everything();
  });
  afterAll(async () => {
    expect(await instance.everything()).toEqual(before);
  });

  describe.each(requests)('%s', (request) => {
    test('404 that names all flags that are missing or of another project', async () => {
      const { status, body } = await call(request, ['no-such', 'bare', 'far', 'no-such']);
      expect([status, body.name]).toEqual([404, 'NotFoundError']);
      expect(body.message).toBe('There are no flags named "no-such", "far" in project "shop".');
    });

    test('404 for a missing project, also without flags; success for no flags', async () => {
      const { status, body } = await call(request.replace('/shop/', '/no-such/'), []);
      expect([status, body.name]).toEqual([404, 'NotFoundError']);
      expect((await call(request, [])).status).toBeLessThan(300);
    });
  });

  test('dryRun: each write is tried', async () => {
    expect((await call(`${ON}?dryRun=true`, names)).status).toBe(200);
    expect((await call('POST /projects/shop/archive?dryRun=true', names)).status).toBe(202);
    const { status, body } = await call('POST /projects/shop/delete?dryRun=true', names);
    expect([status, body.name]).toEqual([404, 'NotFoundError']);
  });
});

test('a refusal of the API server for one flag prevents all writes', async () => {
  const full = Array.from({ length: 100 }, (_, n) => `simple:t${n}`);
  const names = await flags({}, { tags: full });
  const body = { features: names, tags: { addedTags: [{ type: 'simple', value: 'more' }] } };
  const message = await instance.refuses('PUT /projects/shop/tags', { status: 400, name: 'ValidationError', body });
  expect(message).toContain('at most 100');
});

test('more flags than are written at the same time are switched by one call', async () => {
  const names = await flags(...Array.from({ length: MANY }, () => off));
  const enabled = async () => {
    const { body } = await instance.call('GET /environments/project/shop');
    const production = body.environments.find(({ name }: { name: string }) => name === 'production');
    return production.projectEnabledToggleCount;
  };
  const before = await enabled();
  expect((await call(ON, names)).status).toBe(200);
  expect(await enabled()).toBe(before + MANY);
});

test('a refusal names the flags that a GitOps tool owns, and the others can be changed without them', async () => {
  const [free = ''] = await flags({ stale: false });
  const writers = writersOf(instance.cluster);
  for (const name of ['held', 'held-too']) {
    await writers.apply('kustomize-controller', aFlag(`${instance.home}/${name}`, { stale: false }));
    await instance.served(`GET /projects/shop/features/${name}`);
  }
  writers.close();
  const owned = (name: string) => ({ name, managers: ['kustomize-controller'] });
  const mark = (features: readonly string[]) => call('POST /projects/shop/stale', features, { stale: true });
  const [one, both, only] = [await mark(['held', free]), await mark([free, 'held-too', 'held']), await mark([free])];
  expect([one.status, one.body.name, one.body.ownedFlags]).toEqual([409, 'FieldManagedError', [owned('held')]]);
  expect(both.body.ownedFlags).toEqual([owned('held-too'), owned('held')]);
  expect(both.body.sources).toHaveLength(2);
  expect([only.status, (await specs([free]))[0]?.stale]).toEqual([202, true]);
});
