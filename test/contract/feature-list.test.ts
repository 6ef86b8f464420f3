/**
 * GET …/features: the flags of a project. GET …/status, and the same in lists: what is requested and in effect, why,
 * and the owner of the switch.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('list');
});
afterAll(() => instance.stop());

const strategies = { all: { name: 'default' } };

describe('feature summary', () => {
  test('name, type, stale, createdAt, lastSeenAt, environments with name, displayName, enabled', async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/one`),
      aFlag(`${home}/summarised`, {
        project: 'one',
        type: 'experiment',
        description: 'recorded',
        stale: true,
        impressionData: true,
        tags: ['simple:payments', 'team:a:b'],
        variants: [{ name: 'blue' }, { name: 'green' }],
        environments: { production: { enabled: true, strategies, variants: [{ name: 'red' }] } },
      }),
    );
    const { body } = await instance.call('GET /projects/one/features');
    const { metadata } = await instance.flag(`${home}/summarised`);
    expect(body).toEqual({
      version: 1,
      features: [
        {
          name: 'summarised',
          type: 'experiment',
          description: 'recorded',
          stale: true,
          impressionData: true,
          createdAt: metadata.creationTimestamp.replace('Z', '.000Z'),
          lastSeenAt: null,
          lifecycle: { stage: 'completed', enteredStageAt: expect.any(String) },
          tags: [
            { type: 'simple', value: 'payments' },
            { type: 'team', value: 'a:b' },
          ],
          environments: [
            {
              name: 'development',
              displayName: 'Development',
              enabled: false,
              type: 'development',
              sortOrder: 1,
              ...{ lastSeenAt: null, yes: 0, no: 0 },
              variantCount: 2,
              hasStrategies: false,
              hasEnabledStrategies: false,
            },
            {
              name: 'production',
              displayName: 'Production',
              enabled: true,
              type: 'production',
              sortOrder: 2,
              ...{ lastSeenAt: null, yes: 0, no: 0 },
              variantCount: 1,
              hasStrategies: true,
              hasEnabledStrategies: true,
            },
          ],
        },
      ],
    });
  });

  test('an environment whose strategies are all disabled has strategies, none enabled, and is off', async () => {
    const disabled = { all: { name: 'default', disabled: true } };
    await instance.apply(
      aFlag(`${instance.home}/all-disabled`, { environments: { production: { enabled: true, strategies: disabled } } }),
    );
    const { body } = await instance.call('GET /projects/shop/features?namePrefix=all-disabled');
    const expected = { name: 'production', enabled: false, hasStrategies: true, hasEnabledStrategies: false };
    expect(body.features[0].environments[1]).toMatchObject(expected);
  });
});

describe('which flags', () => {
  const namesFor = async (query: string): Promise<string[]> => {
    const { status, body } = await instance.call(`GET /projects/tagged/features${query}`);
    expect(status).toBe(200);
    return body.features.map(({ name }: { name: string }) => name);
  };

  beforeAll(async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/tagged`),
      aFlag(`${home}/pay-now`, { project: 'tagged', tags: ['simple:payments', 'team:blue'] }),
      aFlag(`${home}/pay-later`, { project: 'tagged', tags: ['simple:payments'] }),
      aFlag(`${home}/search`, { project: 'tagged', tags: ['team:red'] }),
      aFlag(`${home}/pay-upper`, { project: 'tagged', name: 'Pay' }),
      aFlag(`${home}/pay-archived`, { project: 'tagged', tags: ['simple:payments'], archived: true }),
    );
  });

  test('all of the project but archived ones, ordered by name', async () => {
    expect(await namesFor('')).toEqual(['Pay', 'pay-later', 'pay-now', 'search']);
  });

  test.each([
    ['one tag', '?tag=simple:payments', ['pay-later', 'pay-now']],
    ['any of several tags', '?tag=team:blue&tag=team:red', ['pay-now', 'search']],
    ['a tag with its colon encoded', '?tag=team%3Ared', ['search']],
    ['a tag that nothing has', '?tag=team:green', []],
    ['a tag by a part of its value', '?tag=simple:pay', []],
    ['a prefix of the name on the wire', '?namePrefix=pay-', ['pay-later', 'pay-now']],
    ['a prefix in the case it has', '?namePrefix=P', ['Pay']],
    ['an empty prefix', '?namePrefix=', ['Pay', 'pay-later', 'pay-now', 'search']],
    ['a tag and a prefix together', '?tag=simple:payments&namePrefix=pay-n', ['pay-now']],
    ['an unknown parameter', '?colour=blue', ['Pay', 'pay-later', 'pay-now', 'search']],
  ])('%s', async (_, query, wanted) => {
    expect(await namesFor(query)).toEqual(wanted);
  });

  test('a repeated prefix is refused', async () => {
    const request = 'GET /projects/tagged/features?namePrefix=a&namePrefix=b';
    expect(await instance.refuses(request, { status: 400, name: 'ValidationError' })).toContain('`namePrefix`');
  });

  test('a project without flags has an empty list', async () => {
    await instance.apply(aProject(`${instance.home}/empty`));
    const { body } = await instance.call('GET /projects/empty/features');
    expect(body).toEqual({ version: 1, features: [] });
  });

  test('404 for a project that does not exist', async () => {
    await instance.refuses('GET /projects/no-such/features', { status: 404, name: 'NotFoundError' });
  });

  test('a flag without a project belongs to the project default of its namespace', async () => {
    const { home } = instance;
    await instance.apply(aProject(`${home}/default`), { ...aFlag(`${home}/by-default`), spec: {} });
    const { body } = await instance.call('GET /projects/default/features');
    expect(body.features).toMatchObject([{ name: 'by-default' }]);
    expect((await instance.call('GET /projects/default/features/by-default')).body.project).toBe('default');
  });
});

describe('the status', () => {
  const GIT = 'kustomize-controller';
  const active = { all: { name: 'default' } };
  const switched: FlagSpec = {
    environments: {
      development: { enabled: true, strategies: active },
      production: { enabled: true, strategies: { odd: { name: 'no-such-type' } } },
      'no-such-place': { enabled: true, strategies: active },
    },
  };

  let writers: Writers;

  beforeAll(async () => {
    writers = writersOf(instance.cluster);
    const manifest: Manifest = aFlag(`${instance.home}/held`, switched);
    await writers.apply(GIT, manifest);
    await instance.judged(manifest);
    await instance.apply(aFlag(`${instance.home}/plain`, { project: 'shop' }));
  });
  afterAll(() => writers.close());

  const path = '/projects/shop/features/held/status';
  const inPlace = (body: Stored, name: string): Stored => body.environments.find((one: Stored) => one.name === name);

  test('per environment, the requested state and the state in effect, with the problems of the object status', async () => {
    const { metadata, status } = await instance.flag(`${instance.home}/held`);
    const { body } = await instance.served(`GET ${path}`);
    expect([body.generation, body.resourceVersion]).toEqual([metadata.generation, metadata.resourceVersion]);
    expect([body.changedBy, body.archived]).toEqual([status.changedBy, false]);
    const places = body.environments.map(({ name, asked, inEffect, strategies }: Stored) => [
      name,
      asked,
      inEffect,
      strategies,
    ]);
    expect(places).toEqual([
      ['development', true, true, 1],
      ['production', true, false, 1],
      ['no-such-place', true, false, 1],
    ]);
    expect(body.problems.map(({ environment: _, ...problem }: Stored) => problem)).toEqual(status.problems);
    expect(body.problems.map(({ environment, reason }: Stored) => [environment, reason])).toEqual([
      ['no-such-place', 'EnvironmentNotFound'],
      ['production', 'UnknownStrategy'],
    ]);
    expect(body.problems[1].message).toContain('there is no strategy type "no-such-type"');
  });

  test('the owner of the switch, and whether a write of it is refused', async () => {
    const { body } = await instance.served(`GET ${path}`);
    expect(inPlace(body, 'production')).toMatchObject({
      switchOwners: [{ manager: GIT, operation: 'Apply', protected: true }],
      switchProtected: true,
    });
    const plain = await instance.served('GET /projects/shop/features/plain/status');
    expect(inPlace(plain.body, 'production')).toMatchObject({ asked: false, switchOwners: [], switchProtected: false });
    await instance.apply(aProject(`${instance.home}/open`, { managedFields: 'TakeOver' }));
    const taken: Manifest = aFlag(`${instance.home}/open-flag`, { ...switched, project: 'open' });
    await writers.apply(GIT, taken);
    await instance.judged(taken);
    const open = await instance.served('GET /projects/open/features/open-flag/status');
    expect(inPlace(open.body, 'development')).toMatchObject({
      switchOwners: [{ manager: GIT }],
      switchProtected: false,
    });
  });

  test('a change of the switch, shown at once, and an archived flag', async () => {
    const plain = '/projects/shop/features/plain';
    await instance.call(`POST ${plain}/environments/development/strategies`, { body: { name: 'default' } });
    await instance.call(`POST ${plain}/environments/development/on`);
    const { body } = await instance.call(`GET ${plain}/status`);
    expect(inPlace(body, 'development')).toMatchObject({ asked: true, inEffect: true });
    await instance.call(`DELETE ${plain}`);
    const archived = await instance.call(`GET ${plain}/status`);
    expect([archived.body.archived, inPlace(archived.body, 'development').inEffect]).toEqual([true, false]);
    await instance.call('POST /archive/revive/plain');
  });

  describe('in lists, with include=status', () => {
    test.each(['/projects/shop/features?', '/search/features?project=IS:shop&'])('%s', async (list) => {
      const [one, some] = await Promise.all([
        instance.served(`GET ${path}`),
        instance.served(`GET ${list}include=status`),
      ]);
      const listed = some.body.features.find(({ name }: Stored) => name === 'held');
      expect(listed.status).toEqual(one.body);
      const without = await instance.served(`GET ${list}`);
      expect(without.body.features.map(({ status }: Stored) => status)).toEqual(
        without.body.features.map(() => undefined),
      );
      const { status: _, ...rest } = listed;
      expect(without.body.features).toContainEqual(rest);
    });
  });

  test('a missing flag', async () => {
    await instance.refuses('GET /projects/shop/features/no-such/status', { status: 404, name: 'NotFoundError' });
    await instance.refuses('GET /projects/pay/features/held/status', { status: 404, name: 'NotFoundError' });
  });
});
