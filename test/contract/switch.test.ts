/** POST …/on and …/off: the states of a flag in an environment and what moves it between them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('switch');
});
afterAll(() => instance.stop());

const strategies = { all: { name: 'default' } };
const path = (name: string) => `/projects/shop/features/${name}/environments/production`;
const setUp = (name: string, production: object, more: FlagSpec = {}) =>
  instance.apply(aFlag(`${instance.home}/${name}`, { ...more, environments: { production } }));
const storedIn = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.environments;
const isOn = async (name: string) => (await instance.call(`GET ${path(name)}`)).body.enabled;

describe('flag disabled in environment E', () => {
  test('on, with a strategy in E and without a switch: enabled in E', async () => {
    await setUp('on-says-nothing', { strategies });
    expect((await instance.call(`POST ${path('on-says-nothing')}/on`)).status).toBe(200);
    expect(await storedIn('on-says-nothing')).toEqual({ production: { enabled: true, strategies } });
    expect(await isOn('on-says-nothing')).toBe(true);
  });

  test.each<[string, FlagSpec]>([
    ['nothing said about E', {}],
    ['strategies elsewhere only', { environments: { development: { strategies } } }],
    [
      'strategies in E that are all disabled',
      { environments: { production: { strategies: { a: { name: 'default', disabled: true } } } } },
    ],
  ])('on, with %s: 409, disabled in E, with the remedy', async (what, spec) => {
    const name = `off-${what.split(/\W+/).slice(0, 3).join('-').toLowerCase()}-${what.length}`;
    await instance.apply(aFlag(`${instance.home}/${name}`, spec));
    const message = await instance.refuses(`POST ${path(name)}/on`, { status: 409, name: 'CannotEnableError' });
    for (const word of [`"${name}"`, '"production"', 'no enabled strategy', 'Add a strategy first']) {
      expect(message).toContain(word);
    }
    expect(await isOn(name)).toBe(false);
  });

  test('on, with a strategy added through the API: enabled in E', async () => {
    await instance.apply(aFlag(`${instance.home}/added`));
    await instance.refuses(`POST ${path('added')}/on`, { status: 409, name: 'CannotEnableError' });
    await instance.call(`POST ${path('added')}/strategies`, { body: { name: 'default' } });
    expect(await isOn('added')).toBe(false);
    expect((await instance.call(`POST ${path('added')}/on`)).status).toBe(200);
    expect(await isOn('added')).toBe(true);
  });

  test('on, if an error keeps the flag off: 409 with the text of the error, also if the switch is on', async () => {
    for (const enabled of [false, true]) {
      await setUp(`held-${enabled}`, { enabled, strategies: { a: { name: 'odd' } } });
      const refused = { status: 409, name: 'CannotEnableError' };
      const message = await instance.refuses(`POST ${path(`held-${enabled}`)}/on`, refused);
      expect(message).toContain('there is no strategy type "odd"');
    }
  });

  test('off: 200, with nothing written', async () => {
    await setUp('off-already', { enabled: false, strategies });
    await setUp('never-said', { strategies });
    await instance.apply(aFlag(`${instance.home}/bare`));
    for (const name of ['off-already', 'never-said', 'bare']) {
      expect((await instance.untouched(`POST ${path(name)}/off`)).status).toBe(200);
    }
  });
});

describe('flag enabled in environment E', () => {
  test('off has no condition: also without a strategy, and if an error keeps the flag off', async () => {
    await setUp('off-bare', { enabled: true });
    await setUp('off-held', { enabled: true, strategies: { a: { name: 'odd' } } });
    for (const name of ['off-bare', 'off-held']) {
      expect((await instance.call(`POST ${path(name)}/off`)).status).toBe(200);
      expect((await storedIn(name)).production.enabled).toBe(false);
    }
  });

  test('on: 200, with nothing written', async () => {
    await setUp('on-already', { enabled: true, strategies });
    expect((await instance.untouched(`POST ${path('on-already')}/on`)).status).toBe(200);
  });
});

test('each environment has its own switch', async () => {
  const environments = { production: { strategies }, development: { enabled: true, strategies } };
  await instance.apply(aFlag(`${instance.home}/apart`, { environments }));
  await instance.call(`POST ${path('apart')}/on`);
  await instance.call(`POST ${path('apart').replace('production', 'development')}/off`);
  expect(await storedIn('apart')).toMatchObject({ production: { enabled: true }, development: { enabled: false } });
});

test('only the switch is written, and vexil-api owns only the switch', async () => {
  await setUp('leaf', { strategies });
  await instance.call(`POST ${path('leaf')}/on`);
  const { metadata } = await instance.flag(`${instance.home}/leaf`);
  const { fieldsV1 } = metadata.managedFields.find((one: { manager: string }) => one.manager === 'vexil-api');
  expect(fieldsV1).toEqual(ownedWithStamp({ 'f:environments': { 'f:production': { 'f:enabled': {} } } }));
});

test('a flag in the other namespace is switched there', async () => {
  const { other } = instance;
  await instance.apply(aFlag(`${other}/there`, { project: 'pay', environments: { production: { strategies } } }));
  await instance.call('POST /projects/pay/features/there/environments/production/on');
  expect((await instance.flag(`${other}/there`)).spec.environments.production.enabled).toBe(true);
});

test('any content type is accepted, and a body is not read', async () => {
  await setUp('typed', { strategies });
  for (const [position, type] of [
    ['on', 'text/plain'],
    ['off', 'application/x-www-form-urlencoded'],
  ]) {
    const headers = { 'content-type': type ?? '' };
    const { status } = await instance.call(`POST ${path('typed')}/${position}`, { headers, body: 'not { json' });
    expect(status).toBe(200);
    expect(await isOn('typed')).toBe(position === 'on');
  }
});

describe.each(['on', 'off'])('%s is refused, with nothing written', (position) => {
  beforeAll(async () => {
    const { home } = instance;
    const production = { enabled: position === 'off', strategies };
    await setUp(`guarded-${position}`, production);
    await setUp(`stowed-${position}`, production, { archived: true });
    await instance.apply(aProject(`${home}/small`, { environments: ['development'] }));
    await instance.apply(aFlag(`${home}/small-${position}`, { project: 'small', environments: { production } }));
  });

  test('400 ArchivedFeatureError for an archived flag', async () => {
    const refused = { status: 400, name: 'ArchivedFeatureError' };
    await instance.refuses(`POST ${path(`stowed-${position}`)}/${position}`, refused);
  });

  test('404 for a missing environment, or one that the project does not use', async () => {
    const missing = { status: 404, name: 'NotFoundError' };
    const request = `POST ${path(`guarded-${position}`)}/${position}`;
    const message = await instance.refuses(request.replace('/production/', '/moon/'), missing);
    expect(message).toContain(`Could not find environment "moon" for flag "guarded-${position}"`);
    await instance.refuses(request.replace('/production/', '/__proto__/'), missing);
    await instance.refuses(
      `POST /projects/small/features/small-${position}/environments/production/${position}`,
      missing,
    );
  });

  test('404 for a missing flag, a flag of another project, a missing project', async () => {
    const missing = { status: 404, name: 'NotFoundError' };
    const request = `POST ${path(`guarded-${position}`)}/${position}`;
    await instance.refuses(request.replace('guarded', 'no-such'), missing);
    await instance.refuses(request.replace('/shop/', '/pay/'), missing);
    await instance.refuses(request.replace('/shop/', '/no-such/'), missing);
  });
});
