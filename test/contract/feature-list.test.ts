/** GET …/features: the flags of a project. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

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
