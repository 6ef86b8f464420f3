/** Windows, ramps and tags at the edge, also while the operator cannot be reached. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aFlag } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { tokenValue } from '../../support/sdk-world.ts';

const everyone = { all: { name: 'default' } };
let instance: Instance;
let token: string;
let edge: RunningEdge;

beforeEach(async () => {
  instance = await startInstance('edge-plans', { settings: { VEXIL_AUTH: 'token' } });
  token = await tokenValue(instance, 'backend');
  edge = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: token });
});
afterEach(async () => {
  await edge.stop();
  await instance.stop();
});

const ask = async (url: string, path = '/api/client/features') =>
  (await (await fetch(`${url}${path}`, { headers: { authorization: token } })).json()) as {
    readonly features: readonly { readonly name: string; readonly enabled: boolean; readonly vexil?: unknown }[];
  };

async function isOn(name: string): Promise<boolean | undefined> {
  return (await ask(edge.url)).features.find((one) => one.name === name)?.enabled;
}

test('a window closes and another opens in time while the operator is away, behind a second edge too', async () => {
  const soon = Date.now() + 8_000;
  const at = new Date(soon).toISOString();
  await instance.apply(
    aFlag(`${instance.home}/closing`, {
      environments: { production: { enabled: true, activeUntil: at, strategies: everyone } },
    }),
    aFlag(`${instance.home}/opening`, {
      environments: { production: { enabled: true, activeFrom: at, strategies: everyone } },
    }),
  );
  const second = await startEdge({ UPSTREAM_URL: edge.url, TOKENS: token });
  const states = async () => {
    const { features } = await ask(second.url);
    return features.map(({ name, enabled }) => `${name} ${enabled}`).join(', ');
  };
  await waitUntil(
    { what: 'both edges have the flags', everyMs: 20 },
    async () => (await states()) === 'closing true, opening false',
  );
  expect(Date.now()).toBeLessThan(soon);
  await instance.stop();
  await edge.stop();
  await waitUntil(
    { what: 'the time has come', everyMs: 20 },
    async () => (await states()) === 'closing false, opening true',
  );
  expect(Date.now()).toBeGreaterThanOrEqual(soon);
  expect(Date.now()).toBeLessThan(soon + 5_000);
  expect(JSON.stringify(await ask(second.url))).not.toContain('vexil');
  await second.stop();
});

test('queries by tag are answered, and only edges get the member', async () => {
  await instance.apply(
    aFlag(`${instance.home}/tagged`, {
      tags: ['simple:red'],
      environments: { production: { enabled: true, strategies: everyone } },
    }),
    aFlag(`${instance.home}/untagged`, { environments: { production: { enabled: true, strategies: everyone } } }),
  );
  await waitUntil(
    { what: 'the flags arrive', everyMs: 20 },
    async () => (await isOn('untagged')) === true && (await isOn('tagged')) === true,
  );
  const { features } = await ask(edge.url, '/api/client/features?tag=simple:red');
  expect(features.map(({ name }) => name)).toEqual(['tagged']);
  expect(JSON.stringify(await ask(instance.url))).not.toContain('vexil');
});
