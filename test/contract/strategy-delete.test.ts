/** DELETE …/strategies/:strategyId: removing a strategy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagEnvironment } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-delete');
});
afterAll(() => instance.stop());

const plain = { name: 'default' };
const disabled = { name: 'default', disabled: true };

const path = (name: string, id: string) => `/projects/shop/features/${name}/environments/production/strategies/${id}`;
const setUp = (name: string, production: FlagEnvironment) =>
  instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production } }));
const storedIn = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;

test('a strategy is also found by the answered id', async () => {
  await setUp('shown', { strategies: { a: plain, b: plain } });
  const [{ id }] = (await instance.call('GET /projects/shop/features/shown/environments/production/strategies')).body;
  await instance.call(`DELETE ${path('shown', id)}`);
  expect(Object.keys((await storedIn('shown')).strategies)).toEqual(['b']);
});

test('any content type is accepted, and a body is not read', async () => {
  await setUp('typed', { strategies: { a: plain } });
  const headers = { 'content-type': 'text/plain' };
  const { status } = await instance.call(`DELETE ${path('typed', 'a')}`, { headers, body: 'not { json' });
  expect(status).toBe(200);
});

describe('the switch', () => {
  test.each<[string, FlagEnvironment, FlagEnvironment]>([
    [
      'the last strategy that is not disabled goes: off',
      { enabled: true, strategies: { a: plain } },
      { enabled: false, strategies: {} },
    ],
    [
      'only disabled ones are left: off',
      { enabled: true, strategies: { a: plain, b: disabled } },
      { enabled: false, strategies: { b: disabled } },
    ],
    [
      'a disabled one goes: stays on',
      { enabled: true, strategies: { a: disabled, b: plain } },
      { enabled: true, strategies: { b: plain } },
    ],
    ['off already: stays as it is', { enabled: false, strategies: { a: plain } }, { enabled: false, strategies: {} }],
    ['says nothing: goes on saying nothing', { strategies: { a: plain } }, { strategies: {} }],
  ])('%s, in one write', async (title, before, after) => {
    const name = `switch-${title.split(/\W/).slice(0, 4).join('-').toLowerCase()}`;
    await setUp(name, before);
    const { generation } = (await instance.flag(`${instance.home}/${name}`)).metadata;
    expect((await instance.call(`DELETE ${path(name, 'a')}`)).status).toBe(200);
    expect(await storedIn(name)).toEqual(after);
    expect((await instance.flag(`${instance.home}/${name}`)).metadata.generation).toBe(generation + 1);
  });

  test('the other environments stay on', async () => {
    const production = { enabled: true, strategies: { a: plain } };
    const environments = { production, development: production };
    await instance.apply(aFlag(`${instance.home}/apart`, { environments }));
    await instance.call(`DELETE ${path('apart', 'a')}`);
    expect((await instance.flag(`${instance.home}/apart`)).spec.environments.development).toEqual(production);
  });

  test('callers that remove the last two at the same time leave the switch off', async () => {
    await setUp('raced', { enabled: true, strategies: { a: plain, b: plain } });
    const answers = await Promise.all(['a', 'b'].map((id) => instance.call(`DELETE ${path('raced', id)}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await storedIn('raced')).toEqual({ enabled: false, strategies: {} });
  });
});

describe('refused, with nothing written', () => {
  const strategies = { a: plain };
  const missing = { status: 404, name: 'NotFoundError' };

  beforeAll(async () => {
    const { home } = instance;
    await setUp('guarded', { enabled: true, strategies });
    await instance.apply(aFlag(`${home}/stowed`, { archived: true, environments: { production: { strategies } } }));
    await instance.apply(aFlag(`${home}/bare`));
  });

  test.each(['no-such', '__proto__', 'constructor', 'A'])('404 for the id %s that no strategy has', async (id) => {
    const message = await instance.refuses(`DELETE ${path('guarded', id)}`, missing);
    expect(message).toContain(`Could not find strategy with id=${id}`);
  });

  test('404 for a strategy of another flag, project or environment', async () => {
    await instance.refuses(`DELETE ${path('bare', 'a')}`, missing);
    await instance.refuses(`DELETE ${path('no-such', 'a')}`, missing);
    await instance.refuses(`DELETE ${path('guarded', 'a').replace('/shop/', '/pay/')}`, missing);
    await instance.refuses(`DELETE ${path('guarded', 'a').replace('/production/', '/development/')}`, missing);
    await instance.refuses(`DELETE ${path('guarded', 'a').replace('/production/', '/moon/')}`, missing);
  });

  test('400 ArchivedFeatureError for an archived flag', async () => {
    await instance.refuses(`DELETE ${path('stowed', 'a')}`, { status: 400, name: 'ArchivedFeatureError' });
  });
});
