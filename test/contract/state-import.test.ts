/** POST /state/import: what keep and drop do with existing objects, and what a dry run reports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aStrategyType, aToken } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('import');
  const { home, apply } = instance;
  await apply(anEnvironment(`${home}/default`, { sortOrder: 5 }), aProject(`${home}/default`));
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import';

const accepted = async (body: unknown, query = '') => {
  const answer = await instance.call(`${IMPORT}${query}`, { body });
  expect([answer.status, answer.text]).toEqual([202, 'Accepted']);
};
describe('existing objects', () => {
  const document = (name: string, description = 'imported') => ({ features: [{ name, project: 'shop', description }] });

  test('keep, which is the default, leaves them unchanged; without it the flag is overwritten in place', async () => {
    await instance.apply(aFlag(`${instance.home}/kept`, { description: 'mine', stale: true, tags: ['simple:mine'] }));
    const { metadata } = await instance.flagNamed('kept');
    for (const query of ['', '?keep=true', '?keep=1', '?keep=TRUE']) {
      expect((await instance.untouched(`${IMPORT}${query}`, { body: document('kept') })).status).toBe(202);
    }
    await accepted(document('kept'), '?keep=no');
    const after = await instance.flagNamed('kept');
    expect(after.metadata.uid).toBe(metadata.uid);
    // Fields that the document does not contain stay.
    expect(after.spec).toEqual({ project: 'shop', description: 'imported', stale: true, tags: ['simple:mine'] });
  });

  test('strategy types too; built-in ones stay unchanged', async () => {
    const type = (description: string) => ({
      strategies: [
        { name: 'kept-type', description, parameters: [] },
        { name: 'default', description, parameters: [] },
      ],
    });
    await accepted(type('first'));
    expect((await instance.untouched(IMPORT, { body: type('second') })).status).toBe(202);
    await accepted(type('third'), '?keep=0');
    expect((await instance.call('GET /strategies/kept-type')).body.description).toBe('third');
    expect((await instance.call('GET /strategies/default')).body.description).toBe('On for everyone.');
  });

  test('an archived flag with the name: kept, refused without keep, replaced with drop', async () => {
    await instance.apply(aFlag(`${instance.home}/away`, { archived: true }));
    expect((await instance.untouched(IMPORT, { body: document('away') })).status).toBe(202);
    const refused = { status: 409, name: 'NameExistsError', body: document('away') };
    const message = await instance.refuses(`${IMPORT}?keep=false`, refused);
    expect(message).toContain('Cannot overwrite the flag "away": it is archived');
  });

  test('a flag of another project cannot be moved: refused, whatever the mode', async () => {
    await instance.apply(aFlag(`${instance.other}/elsewhere`, { project: 'pay' }));
    for (const query of ['?keep=false', '?drop=true']) {
      const refused = { status: 409, name: 'NameExistsError', body: document('elsewhere') };
      expect(await instance.refuses(`${IMPORT}${query}`, refused)).toContain(
        'it is in project "pay", and not in "shop"',
      );
    }
    const plan = await instance.untouched(`${IMPORT}?keep=false&dryRun=true`, { body: document('elsewhere') });
    expect([plan.status, plan.body.conflicts]).toEqual([
      202,
      [{ path: '/body/features/0/name', message: expect.stringContaining('"elsewhere"') }],
    ]);
  });
});

test('a dry run reports all writes by name', async () => {
  await instance.apply(
    aFlag(`${instance.home}/known`, { description: 'd' }),
    aFlag(`${instance.home}/other`, { description: 'x' }),
  );
  const body = {
    environments: [
      { name: 'moon', type: 'test' },
      { name: 'production', type: 'production' },
    ],
    projects: [{ id: 'apollo', name: 'Apollo' }],
    strategies: [{ name: 'tide', parameters: [] }],
    segments: [{ id: 5, name: 'crew', constraints: [], project: 'apollo' }],
    features: [
      { name: 'known', project: 'shop', description: 'd' },
      { name: 'other', project: 'shop', description: 'y' },
      { name: 'eagle', project: 'apollo', enabled: true, strategies: [{ name: 'tide' }] },
    ],
  };
  const answer = await instance.untouched(`${IMPORT}?keep=false&dryRun=true&environment=moon`, { body });
  expect([answer.status, answer.body]).toEqual([
    202,
    {
      created: {
        environments: ['moon'],
        projects: ['apollo'],
        strategies: ['tide'],
        segments: ['crew'],
        features: ['eagle'],
      },
      changed: { environments: [], projects: [], strategies: [], segments: [], features: ['other'] },
      deleted: { environments: [], projects: [], strategies: [], segments: [], features: [] },
      skipped: { environments: ['production'], projects: [], strategies: [], segments: [], features: ['known'] },
      conflicts: [],
      warnings: [],
    },
  ]);
});

test('each write is in the history with its author', async () => {
  await accepted(
    { features: [{ name: 'recorded', project: 'shop', enabled: true, strategies: [{ name: 'default' }] }] },
    '?environment=production',
  );
  const found = await instance.served('GET /search/events?feature=IS:recorded');
  expect(found.status).toBe(200);
  const { metadata } = await instance.flagNamed('recorded');
  expect(metadata.annotations).toMatchObject({ 'vexil.dev/created-by': 'unknown' });
});

test('drop deletes the flags and types that the document does not have, if it has such a section; nothing else', async () => {
  const { home, other, apply, call } = instance;
  await apply(
    anEnvironment(`${home}/unused`),
    aStrategyType(`${home}/used`),
    aStrategyType(`${home}/unneeded`),
    aToken(`${home}/keeper`),
    aFlag(`${home}/one`, { stale: true, environments: { production: { strategies: { a: { name: 'used' } } } } }),
    aFlag(`${other}/two`, { project: 'pay' }),
    aFlag(`${home}/three`, { archived: true }),
  );
  const before = (await call('GET /state/export')).body;
  const inUse = { status: 409, name: 'InUseError', body: { strategies: [] } };
  expect(await instance.refuses(`${IMPORT}?drop=true`, inUse)).toContain('"used" cannot be deleted');

  const document = { features: [{ name: 'one', project: 'shop', description: 'new' }] };
  const { metadata } = await instance.flagNamed('one');
  const plan = await instance.untouched(`${IMPORT}?drop=true&dryRun=true`, { body: document });
  expect(plan.body).toMatchObject({
    changed: { features: ['one'] },
    deleted: { environments: [], projects: [], strategies: [], features: expect.arrayContaining(['two', 'three']) },
  });
  expect((await call(`${IMPORT}?drop=true`, { body: document })).status).toBe(202);
  const one = await instance.flagNamed('one');
  expect([one.metadata.uid, one.spec]).toEqual([
    metadata.uid,
    { project: 'shop', description: 'new', stale: false, environments: {} },
  ]);
  expect([await instance.flagsNamed('two'), await instance.flagsNamed('three')]).toEqual([[], []]);

  expect((await call(`${IMPORT}?drop=true`, { body: { strategies: [] } })).status).toBe(202);
  const { strategies, environments, projects } = (await call('GET /state/export')).body;
  expect([strategies, environments, projects]).toEqual([[], before.environments, before.projects]);
  expect((await call('GET /api-tokens')).body.tokens.map(({ tokenName }: Stored) => tokenName)).toEqual(['keeper']);
});
