/** Chapter "States and transitions": each row of the table, as state, trigger, condition and next state. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import { aFlag } from '../../support/builders.ts';
import { type Instance, type Stored, startInstance } from '../../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('states');
});
afterAll(() => instance.stop());

const strategies = { all: { name: 'default' } };
const path = (name: string) => `/projects/shop/features/${name}`;
const switchOf = (name: string) => `${path(name)}/environments/production`;
const have = (name: string, spec: FlagSpec) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const stored = (name: string): Promise<Stored> => instance.flag(`${instance.home}/${name}`);

/** What the custom resource says, what is in effect by its status, and what GET answers, in that order. */
async function positions(name: string): Promise<readonly unknown[]> {
  const { spec, status } = await stored(name);
  const { body } = await instance.call(`GET ${path(name)}`);
  const answered = body.environments.find((one: Stored) => one.name === 'production').enabled;
  return [spec.environments.production.enabled, status.environments.production.enabled, answered];
}

describe('State: flag disabled in environment E', () => {
  test('POST …/on, the flag has at least one strategy in E → enabled in E, response 200', async () => {
    await have('on', { environments: { production: { enabled: false, strategies } } });
    const { status, text } = await instance.call(`POST ${switchOf('on')}/on`);
    expect([status, text]).toEqual([200, '']);
    expect(await positions('on')).toEqual([true, true, true]);
  });

  test('POST …/on, the flag has no strategies in E → disabled in E, 409', async () => {
    await have('bare', { environments: { production: { enabled: false } } });
    await instance.refuses(`POST ${switchOf('bare')}/on`, { status: 409, name: 'CannotEnableError' });
    expect(await positions('bare')).toEqual([false, false, false]);
  });
});

describe('State: flag enabled in environment E', () => {
  test('POST …/off → disabled in E, response 200', async () => {
    await have('off', { environments: { production: { enabled: true, strategies } } });
    const { status, text } = await instance.call(`POST ${switchOf('off')}/off`);
    expect([status, text]).toEqual([200, '']);
    expect(await positions('off')).toEqual([false, false, false]);
  });
});

describe('State: flag not archived', () => {
  test('DELETE flag → archived, response 202', async () => {
    await have('retired', { environments: { production: { enabled: true, strategies } } });
    const { status, text } = await instance.call(`DELETE ${path('retired')}`);
    expect([status, text]).toEqual([202, '']);
    expect((await stored('retired')).spec.archived).toBe(true);
    const { body } = await instance.call('GET /archive/features/shop');
    expect(body.features).toContainEqual(expect.objectContaining({ name: 'retired', archived: true }));
  });

  describe('clone, source flag is not archived', () => {
    const source: FlagSpec = {
      variants: [{ name: 'blue' }, { name: 'red', weightType: 'fix', weight: 100 }],
      environments: {
        development: { enabled: true, strategies },
        production: {
          enabled: true,
          strategies: { first: { name: 'flexibleRollout', parameters: { rollout: 5 } }, last: { name: 'default' } },
        },
      },
    };

    test('→ source unchanged', async () => {
      await have('unmoved', source);
      const before = await stored('unmoved');
      await instance.call(`POST ${path('unmoved')}/clone`, { body: { name: 'copy-of-unmoved' } });
      expect(await stored('unmoved')).toEqual(before);
    });

    test('→ new flag exists, disabled in all environments, with copies of all strategies and variants', async () => {
      await have('source', source);
      const { status } = await instance.call(`POST ${path('source')}/clone`, { body: { name: 'copy' } });
      expect(status).toBe(201);
      const [original, copy] = await Promise.all(
        ['source', 'copy'].map(async (name) => (await instance.call(`GET ${path(name)}`)).body),
      );
      expect(copy.environments.map((one: Stored) => one.enabled)).toEqual([false, false]);
      expect(copy.variants).toEqual(original.variants);
      const withoutIds = ({ environments }: Stored) =>
        environments.map((one: Stored) => one.strategies.map(({ id: _, ...strategy }: Stored) => strategy));
      expect(withoutIds(copy)).toEqual(withoutIds(original));
      expect((await stored('copy')).status.enabledIn).toBeUndefined();
    });
  });
});

describe('State: flag archived', () => {
  test('clone → unchanged, clone is refused', async () => {
    await have('stowed', { archived: true, environments: { production: { strategies } } });
    const before = await stored('stowed');
    const refused = { status: 404, name: 'NotFoundError', body: { name: 'copy-of-stowed' } };
    expect(await instance.refuses(`POST ${path('stowed')}/clone`, refused)).toContain('archived');
    expect(await stored('stowed')).toEqual(before);
    expect(await instance.flagsNamed('copy-of-stowed')).toEqual([]);
  });
});
