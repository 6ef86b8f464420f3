/** POST …/environments/:environment/copy, and `vexil promote`: the configuration of another environment. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PermissionName } from '../../src/schema/permission.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aRole, aUser } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const TOKEN = `*:*.${'9d'.repeat(28)}`;
const needed: readonly PermissionName[] = [
  'CREATE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT',
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
];
const steps = [{ rollout: 5, for: '24h' }, { rollout: 100 }];
const rising = { name: 'flexibleRollout', parameters: { rollout: 0, stickiness: 'default', groupId: 'sale' } };
const development = {
  enabled: true,
  strategies: { rising: { ...rising, ramp: { steps, startAt: '2026-01-01T00:00:00Z' } } },
  variants: [{ name: 'blue' }, { name: 'red' }],
};
const production = { enabled: false, strategies: { old: { name: 'default' } } };
const copied = {
  enabled: false,
  strategies: { rising: { ...rising, ramp: { steps } } },
  variants: development.variants,
};
const COPY = 'environments/production/copy';
let instance: Instance;
let writers: Writers;

beforeAll(async () => {
  instance = await startInstance('copy', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN } });
  writers = writersOf(instance.cluster);
  const { home } = instance;
  const flags = ['by-api', 'by-command', 'by-user'].map((name) =>
    aFlag(`${home}/${name}`, { environments: { development, production } }),
  );
  const owned = aFlag(`${home}/owned`, { environments: { production } });
  await writers.apply('kustomize-controller', owned);
  await writers.merge('people', owned, { environments: { development } });
  await instance.apply(...flags);
  await instance.judged(...flags, owned);
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const as = (authorization: string) => adminClient(instance.url, { authorization });
const inProduction = async (name: string) => {
  const { metadata, spec } = await instance.flag(`${instance.home}/${name}`);
  return { version: metadata.resourceVersion, configuration: spec.environments.production };
};
const promote = (name: string, ...more: readonly string[]) =>
  vexil(['promote', name, '--from', 'development', '--to', 'production', ...more], {
    environment: { VEXIL_SERVER: instance.url, VEXIL_TOKEN: TOKEN },
  });

test('strategies, variants and window are copied, the switch stays, ramps wait; once', async () => {
  const copy = () => as(TOKEN)(`POST /projects/shop/features/by-api/${COPY}`, { body: { from: 'development' } });
  const { status, body } = await copy();
  expect([status, body]).toEqual([200, expect.objectContaining({ environment: 'production', enabled: false })]);
  expect(body.strategies).toEqual([expect.objectContaining({ name: 'flexibleRollout', ramp: { steps } })]);
  const first = await inProduction('by-api');
  expect(first.configuration).toEqual(copied);
  expect((await copy()).status).toBe(200);
  expect(await inProduction('by-api')).toEqual(first);
});

test.each(needed)('is refused without %s', async (missing) => {
  const { home, cluster } = instance;
  const tokens = tokensDirectly(cluster.kubeconfig, home);
  const name = missing.toLowerCase().replaceAll('_', '-');
  const permissions = needed.filter((one) => one !== missing).map((one) => ({ name: one }));
  await instance.apply(
    aRole(`${home}/no-${name}`, { type: 'root', permissions }),
    aUser(`${home}/no-${name}`, { rootRole: `no-${name}` }),
  );
  await tokens.create(`no-${name}`, { type: 'personal', user: `no-${name}` });
  const call = as(await tokens.untilReady(`no-${name}`));
  tokens.close();
  const { status, body } = await call(`POST /projects/shop/features/by-user/${COPY}`, {
    body: { from: 'development' },
  });
  expect([status, body.name, body.message]).toEqual([403, 'PermissionError', expect.stringContaining(missing)]);
  expect((await inProduction('by-user')).configuration).toEqual(production);
});

test('vexil promote says what is there now', async () => {
  const { code, stdout, stderr } = await promote('by-command');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    'shop/by-command: production has the configuration of development, 1 strategy. The flag is off there.\n1 ramp waits: start it with vexil ramp start by-command --env production\n',
  );
  expect((await inProduction('by-command')).configuration).toEqual(copied);
});

test('vexil promote changes nothing that Git owns, and prints the patch', async () => {
  const before = await inProduction('owned');
  const refused = await promote('owned');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('vexil promote owned --from development --to production --patch');
  const { code, stdout } = await promote('owned', '--patch');
  expect(code).toBe(0);
  expect(parse(stdout).spec.environments.production).toMatchObject({ strategies: copied.strategies });
  expect(await inProduction('owned')).toEqual(before);
});
