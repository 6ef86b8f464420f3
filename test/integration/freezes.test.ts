/** A freeze of an environment: what its status shows, and what the policy refuses to every client of the API server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { createAccount, type Rule } from '../support/account.ts';
import { aFlag, anEnvironment, type Manifest } from '../support/builders.ts';
import { installPolicyIn, untilRefused } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { afterOf, beforeFreeze, beforeOf, type FreezeWay, freezeWays } from '../support/freeze-ways.ts';
import { writersOn } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const FLAGS: Rule = [['*'], ['featureflags']];
const summit = {
  name: 'summit',
  from: '2020-01-01T00:00:00Z',
  until: '2099-01-01T00:00:00+01:00',
  reason: 'The year ends',
};

let instance: Instance;
let admin: Transport;
let developer: Transport;
let bypasser: Transport;

const pathOf = (name = '') => `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/featureflags${name && `/${name}`}`;
const read = (name: string): Promise<Stored> => admin.request({ method: 'GET', path: pathOf(name) });
const environment = (name: string): Promise<Stored> =>
  admin.request({ method: 'GET', path: pathOf().replace('featureflags', `environments/${name}`) });
const flag = (name: string, spec: object = beforeFreeze): Manifest => aFlag(`${instance.home}/${name}`, spec);
const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** System users may bypass every freeze. */
const create = (name: string, spec = beforeFreeze): Promise<Stored> =>
  admin.request({ method: 'POST', path: pathOf(), body: flag(name, spec) });

const textOf = (way: FreezeWay) => JSON.stringify(beforeOf(way));
/** A flag for each spec that ways begin with. */
const starts = [...new Set(freezeWays.map(textOf))];

/** Tries the change with a dry run, which the policy judges like a write. Resolves with what would be stored. */
function tryAs(by: Transport, way: FreezeWay): Promise<Stored> {
  const body = [{ op: 'replace', path: '/spec', value: afterOf(way) }];
  const path = pathOf(`start-${starts.indexOf(textOf(way))}`);
  return by.request({
    method: 'PATCH',
    path,
    query: { dryRun: 'All' },
    contentType: 'application/json-patch+json',
    body,
  });
}

const SENTENCE =
  'environment production is frozen until 2098-12-31T23:00:00Z by the freeze summit (The year ends); until then flags can only be switched off there';

async function expectRefused(call: Promise<unknown>): Promise<void> {
  const error = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ClusterError)) throw new Error('the call was not refused');
  expect([error.code, error.message]).toEqual(['forbidden', expect.stringContaining(SENTENCE)]);
}

beforeAll(async () => {
  instance = await startInstance('freezes');
  const { cluster, home, other } = instance;
  admin = connect(loadKubeConfig(cluster.kubeconfig));
  const connected = async (name: string, ...rules: Rule[]) => {
    const { kubeconfig } = await createAccount(cluster, { namespace: home, name, rules: { [home]: rules } });
    return [connect(loadKubeConfig(kubeconfig)), kubeconfig] as const;
  };
  const [asDeveloper, kubeconfig] = await connected('developer', FLAGS);
  developer = asDeveloper;
  [bypasser] = await connected('bypasser', FLAGS, [['bypass-freeze'], ['environments'], ['production']]);
  await instance.apply(anEnvironment(`${home}/production`, { freezes: [summit] }));
  await installPolicyIn(cluster, 'environment-changes.yaml', [home, other]);
  await untilRefused(
    cluster,
    { method: 'POST', path: pathOf(), query: { dryRun: 'All' }, body: flag('probe') },
    kubeconfig,
  );
  for (const [at, text] of starts.entries()) await create(`start-${at}`, JSON.parse(text));
});
afterAll(async () => {
  for (const transport of [admin, developer, bypasser]) transport?.close();
  await instance?.stop();
});

describe('the status of an environment', () => {
  const freezeOf = async (name: string) => (await environment(name)).status.freeze;

  test('names the freeze that is in force, and its end in UTC', async () => {
    expect(await freezeOf('production')).toEqual({ name: 'summit', until: '2098-12-31T23:00:00Z' });
    expect(await freezeOf('development')).toBeUndefined();
  });

  test('changes at the beginning and at the end of a freeze, without a change of the spec', async () => {
    const place = `${instance.home}/short`;
    const short = (from: number, until: number) => {
      const [start, end] = [from, until].map((ms) => new Date(ms).toISOString()) as [string, string];
      return anEnvironment(place, { freezes: [{ name: 'short', from: start, until: end }] });
    };
    const from = Date.now() + 1_000;
    await instance.apply(short(from, from + 3_600_000));
    const untilFreezeIs = (name: string | undefined) =>
      waitUntil({ what: `the freeze is ${name}`, everyMs: 200 }, async () => (await freezeOf('short'))?.name === name);
    await untilFreezeIs('short');
    expect(Date.now()).toBeGreaterThanOrEqual(from);
    expect((await environment('short')).metadata.generation).toBe(1);
    const until = Date.now() + 2_000;
    await instance.apply(short(from, until));
    await untilFreezeIs(undefined);
    expect(Date.now()).toBeGreaterThanOrEqual(until);
    expect((await environment('short')).metadata.generation).toBe(2);
  });
});

describe('while an environment is frozen', () => {
  test.each(freezeWays)('$name: refused $isRefused', async (way) => {
    const write = tryAs(developer, way);
    if (way.isRefused) return expectRefused(write);
    expect((await write).spec).toEqual(afterOf(way));
  });

  test.each(freezeWays.filter(({ isRefused }) => isRefused))('a user with bypass-freeze may $name', async (way) => {
    expect((await tryAs(bypasser, way)).spec).toEqual(afterOf(way));
  });

  test('a refused change is not stored, and one of a user with bypass-freeze is', async () => {
    const { spec } = await create('switched', { ...beforeFreeze, environments: { production: { enabled: false } } });
    const path = pathOf('switched');
    const body = { spec: { environments: { production: { enabled: true } } } };
    const switchOn = (by: Transport) =>
      by.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
    await expectRefused(switchOn(developer));
    expect((await read('switched')).spec).toEqual(spec);
    await switchOn(bypasser);
    expect((await read('switched')).spec.environments.production.enabled).toBe(true);
  });

  test('flags that name the environment are neither created nor deleted', async () => {
    await create('kept');
    await expectRefused(developer.request({ method: 'DELETE', path: pathOf('kept') }));
    await expectRefused(developer.request({ method: 'POST', path: pathOf(), body: flag('new') }));
    await developer.request({ method: 'POST', path: pathOf(), body: flag('elsewhere', { project: 'shop' }) });
    await developer.request({ method: 'DELETE', path: pathOf('elsewhere') });
  });

  test('flags are judged as usual', async () => {
    await create('judged');
    expect((await instance.flag(`${instance.home}/judged`)).status.environments.production.enabled).toBe(true);
  });
});

describe.each(['Flux', 'kubectl apply', 'Helm 3'])('%s', (name) => {
  test('receives the message for a change there, and can continue with everything else', async () => {
    const tool = writersOn(developer).find((one) => one.name === name);
    if (!tool) throw new Error(`there is no ${name}`);
    const development = beforeFreeze.environments?.['development'];
    const spec = (description: string, environments: object) => ({ project: 'shop', description, environments });
    const manifest = (...said: Parameters<typeof spec>) => flag(slug(`by ${name}`), spec(...said));
    expect(await tool.apply(manifest('first', { development }))).toBe('written');
    await expectRefused(tool.apply(manifest('first', beforeFreeze.environments ?? {})));
    // Helm compares with the release before, which has failed, so that one is rolled back first.
    const goesOn = writersOn(developer).find((one) => one.name === name) ?? tool;
    if (name !== 'Helm 3') expect(await goesOn.apply(manifest('second', { development }))).toBe('written');
    expect((await read(slug(`by ${name}`))).spec.environments).toEqual({ development });
  });
});
