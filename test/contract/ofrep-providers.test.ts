/** The providers of OpenFeature for OFREP, unmodified, against the operator. */
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { type Client, OpenFeature as OnServer } from '@openfeature/server-sdk';
import { OpenFeature as OnPage, type Provider, ProviderEvents } from '@openfeature/web-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokenValue } from '../support/sdk-world.ts';

const on = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
const off = { production: { ...on.production, enabled: false } };
const forAda = {
  production: { enabled: true, strategies: { ada: { name: 'userWithId', parameters: { userIds: 'ada' } } } },
};
type Payload = NonNullable<NonNullable<FlagSpec['variants']>[number]['payload']>;
const valued = (type: Payload['type'], value: string, environments: FlagSpec['environments'] = on) => ({
  variants: [{ name: 'one', payload: { type, value } }],
  environments,
});

let instance: Instance;
let backend: string;
let page: string;

beforeAll(async () => {
  instance = await startInstance('ofrep-sdk', { settings: { VEXIL_AUTH: 'token' } });
  const specs: Readonly<Record<string, FlagSpec>> = {
    plain: { environments: on },
    kill: { environments: off },
    'for-ada': { environments: forAda },
    text: valued('string', 'red'),
    list: valued('csv', 'a,b'),
    whole: valued('number', '5'),
    ratio: valued('number', '0.25'),
    object: valued('json', '{"colour":"red","sizes":[1,2]}'),
    'text-off': valued('string', 'red', off),
  };
  await instance.apply(...Object.entries(specs).map(([name, spec]) => aFlag(`${instance.home}/${name}`, spec)));
  backend = await tokenValue(instance, 'backend');
  page = await tokenValue(instance, 'page', { type: 'frontend' });
});
afterAll(async () => {
  await OnServer.close();
  await OnPage.close();
  await instance.stop();
});

describe('on a server', () => {
  let client: Client;
  beforeAll(async () => {
    const headers: [string, string][] = [['Authorization', `Bearer ${backend}`]];
    await OnServer.setProviderAndWait(new OFREPProvider({ baseUrl: instance.url, headers }));
    client = OnServer.getClient();
  });

  test('a switch is a boolean; a kill switch that is off is false, whatever the default', async () => {
    expect(await client.getBooleanDetails('plain', false)).toMatchObject({
      value: true,
      variant: 'enabled',
      reason: 'STATIC',
      flagMetadata: { enabled: true, environment: 'production', project: 'shop', stale: false },
    });
    expect(await client.getBooleanDetails('kill', true)).toMatchObject({ value: false, variant: 'disabled' });
  });

  test('the targeting key is the user', async () => {
    const isFor = (targetingKey: string) => client.getBooleanValue('for-ada', false, { targetingKey });
    expect([await isFor('ada'), await isFor('eve')]).toEqual([true, false]);
  });

  test('a payload is the value, in its type', async () => {
    expect(await client.getStringValue('text', 'default')).toBe('red');
    expect(await client.getStringValue('list', 'default')).toBe('a,b');
    expect(await client.getNumberValue('whole', 0)).toBe(5);
    expect(await client.getNumberValue('ratio', 0)).toBe(0.25);
    expect(await client.getObjectValue('object', {})).toEqual({ colour: 'red', sizes: [1, 2] });
  });

  test('the default is used if there is no value, or one of another type', async () => {
    expect(await client.getStringValue('text-off', 'default')).toBe('default');
    expect(await client.getBooleanDetails('text', false)).toMatchObject({ value: false, errorCode: 'TYPE_MISMATCH' });
    expect(await client.getStringDetails('none', 'default')).toMatchObject({
      value: 'default',
      errorCode: 'FLAG_NOT_FOUND',
    });
  });

  test('a wrong token is an error, and the default is used', async () => {
    const headers: [string, string][] = [['X-API-Key', 'wrong']];
    await OnServer.setProviderAndWait('wrong', new OFREPProvider({ baseUrl: instance.url, headers }));
    const details = await OnServer.getClient('wrong').getBooleanDetails('plain', false);
    expect(details).toMatchObject({ value: false, reason: 'ERROR' });
  });
});

describe('on a page', () => {
  const statuses: number[] = [];
  const fetchImplementation = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  };
  const provide = (headers: [string, string][], pollInterval = 0) =>
    new OFREPWebProvider({
      baseUrl: instance.url,
      headers,
      fetchImplementation,
      cacheMode: 'disabled',
      pollInterval,
    }) as Provider;
  const nextChange = () =>
    new Promise<void>((resolve) => {
      const seen = () => {
        OnPage.removeHandler(ProviderEvents.ConfigurationChanged, seen);
        resolve();
      };
      OnPage.addHandler(ProviderEvents.ConfigurationChanged, seen);
    });

  beforeAll(async () => {
    await OnPage.setContext({ targetingKey: 'ada' });
    await OnPage.setProviderAndWait(provide([['X-API-Key', page]], 50));
  });

  test('all types, defaults and a kill switch', () => {
    const client = OnPage.getClient();
    expect(client.getBooleanValue('plain', false)).toBe(true);
    expect(client.getBooleanValue('kill', true)).toBe(false);
    expect(client.getStringValue('text', 'default')).toBe('red');
    expect(client.getNumberValue('whole', 0)).toBe(5);
    expect(client.getNumberValue('ratio', 0)).toBe(0.25);
    expect(client.getObjectValue('object', {})).toEqual({ colour: 'red', sizes: [1, 2] });
    expect(client.getStringValue('text-off', 'default')).toBe('default');
    expect(client.getBooleanDetails('none', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
  });

  test('the flags are those of the user', async () => {
    const client = OnPage.getClient();
    expect(client.getBooleanValue('for-ada', false)).toBe(true);
    await OnPage.setContext({ targetingKey: 'eve' });
    expect(client.getBooleanValue('for-ada', true)).toBe(false);
  });

  test('an answer that has not changed is 304, and a change of kubectl arrives', async () => {
    await waitUntil({ what: 'a poll is answered 304', everyMs: 10 }, async () => statuses.at(-1) === 304);
    const changed = nextChange();
    await instance.apply(aFlag(`${instance.home}/kill`, { environments: on }));
    await changed;
    expect(OnPage.getClient().getBooleanValue('kill', false)).toBe(true);
  });

  test('a wrong token is an error', async () => {
    const failed = OnPage.setProviderAndWait('wrong', provide([['X-API-Key', 'wrong']]));
    await expect(failed).rejects.toThrow();
    expect(statuses.at(-1)).toBe(401);
  });
});
