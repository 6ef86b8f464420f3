/** The row of the failure table about objects that are stored although the rules refuse them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type BehindProxy, readFlags, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { requestsFor } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';

const home = 'vexil-system';
const DEFINITION = new URL('../../crds/featureflags.yaml', import.meta.url);
const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

const strategies = { all: { name: 'default' } };
const good = { enabled: true, strategies };
const inProduction = (strategy: object) => ({
  environments: { development: good, production: { enabled: true, strategies: { all: strategy } } },
});

interface Row {
  readonly spec: Readonly<Record<string, unknown>>;
  /** Where the flag is on all the same. */
  readonly enabledIn: string;
}

const everywhereOn = { environments: { development: good, production: good } };
const rows: Readonly<Record<string, Row>> = {
  'fixed weights above 1000': {
    spec: {
      ...everywhereOn,
      variants: [
        { name: 'a', weightType: 'fix', weight: 2000 },
        { name: 'b', weightType: 'variable' },
      ],
    },
    enabledIn: '',
  },
  'a rollout of 400 %': {
    spec: inProduction({ name: 'flexibleRollout', parameters: { rollout: 400 } }),
    enabledIn: 'development',
  },
  'an unknown operator in a constraint': {
    spec: inProduction({ name: 'default', constraints: [{ contextName: 'userId', operator: 'LIKES', values: ['1'] }] }),
    enabledIn: 'development',
  },
  'a switch that is a text': {
    spec: { environments: { development: good, production: { enabled: 'yes', strategies } } },
    enabledIn: 'development',
  },
  'a type that does not exist': { spec: { ...everywhereOn, type: 'hope' }, enabledIn: '' },
  'a description that is a number': { spec: { ...everywhereOn, description: 7 }, enabledIn: '' },
};

/** The API server cannot even evaluate its rules on this, so it refuses every write that leaves it so, a status too. */
const FROZEN = { name: 'frozen', spec: { environments: [{ name: 'production', enabled: true }] } };
const names = new Map(Object.keys(rows).map((title) => [title, title.replace(/[^a-z0-9]+/g, '-').replace(/-$/, '')]));

let plane: ControlPlane;
let flags: FlagsDirectly;
let operator: BehindProxy;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', home]);
  flags = flagsDirectly(plane.kubeconfig, home);
  for (const environment of ['development', 'production']) await flags.apply('Environment', environment, {});
  await flags.apply('Project', 'shop', {});
  await withoutRules(async () => {
    await flags.apply('FeatureFlag', FROZEN.name, { project: 'shop', ...FROZEN.spec });
    for (const [title, { spec }] of Object.entries(rows)) {
      await flags.apply('FeatureFlag', names.get(title) ?? '', { project: 'shop', ...spec });
    }
  });
  await flags.apply('FeatureFlag', 'innocent', { project: 'shop', environments: { production: good } });
  const kubeconfig = await grantOperatorRoles(plane, home, []);
  operator = await startBehindProxy({ plane, kubeconfig, home });
  await operator.ready();
});

afterAll(async () => {
  await operator?.stop('objects that the rules refuse');
  flags?.close();
  await plane?.stop();
});

/** Runs it while the definition of flags takes anything, as one from before a rule would. */
async function withoutRules(store: () => Promise<void>): Promise<void> {
  const definition = parse(await readFile(DEFINITION, 'utf8'));
  for (const version of definition.spec.versions) {
    delete version.selectableFields;
    version.schema.openAPIV3Schema = { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } };
  }
  await plane.kubectlOrThrow(['replace', '-f', '-'], { input: stringify(definition) });
  const refused = { project: 'shop', description: 7 };
  await waitUntil({ what: 'anything is taken' }, () =>
    flags.apply('FeatureFlag', 'canary', refused).then(
      () => true,
      () => false,
    ),
  );
  await flags.delete('featureflags', 'canary');
  await store();
  await plane.kubectlOrThrow(['replace', '-f', DEFINITION.pathname]);
  await waitUntil({ what: 'the rules are back' }, () =>
    flags.apply('FeatureFlag', 'canary', refused).then(
      async () => false,
      () => true,
    ),
  );
  await flags.delete('featureflags', 'canary').catch(() => undefined);
}

describe('an object that the rules refuse but is stored, with', () => {
  test.each(Object.entries(rows))(
    '%s: says so, is safely off where it matters, and is served',
    async (title, { enabledIn }) => {
      const name = names.get(title) ?? '';
      const status = await waitUntil({ what: 'it is judged' }, async () => (await flags.get(name)).status);
      expect(status.problems.map(({ severity }: { severity: string }) => severity)).toContain('Error');
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }));
      expect(status.enabledIn ?? '').toBe(enabledIn);
      const { status: code, body } = await operator.call(`GET /projects/shop/features/${name}`);
      expect(code).toBe(200);
      const on = body.environments.filter((one: { enabled: boolean }) => one.enabled);
      expect(on.map((one: { name: string }) => one.name).join()).toBe(enabledIn);
    },
  );

  test('environments as a list, which no status can be written to: is off, is served, is tried ever more rarely', async () => {
    const { status, body } = await operator.call(`GET /projects/shop/features/${FROZEN.name}`);
    expect([status, body.environments.some((one: { enabled: boolean }) => one.enabled)]).toEqual([200, false]);
    const failed = () => operator.log.filter(({ msg, name }) => msg === 'reconcile failed' && name === FROZEN.name);
    await waitUntil({ what: 'a few tries have failed' }, () => failed().length >= 5);
    const most = (failures: number) => 100 * 2 ** (failures - 1);
    for (const { failures, inMs } of failed()) expect(inMs).toBeLessThanOrEqual(most(Number(failures)));
    expect((await flags.get(FROZEN.name)).status).toBeUndefined();
  });

  test('any of these: others are unaffected', async () => {
    const innocent = await waitUntil({ what: 'it is judged' }, async () => (await flags.get('innocent')).status);
    expect([innocent.enabledIn, innocent.problems ?? []]).toEqual(['production', []]);
    expect((await readFlags(operator.call)).body.features).toHaveLength(names.size + 2);
    expect(requestsFor(operator.proxy.arrived, 'featureflags', 'list', 'watch-list')).toHaveLength(1);
    const failed = operator.log.filter(({ msg }) => msg === 'reconcile failed');
    expect([...new Set(failed.map(({ name }) => name))]).toEqual([FROZEN.name]);
    expect(operator.rejections).toEqual([]);
  });

  test('any of these: once it is put right, nothing of its problems is left', async () => {
    const name = names.get('a switch that is a text') ?? '';
    await flags.patch(name, { environments: { production: { enabled: true } } });
    await waitUntil({ what: 'it is well' }, async () => {
      const { status } = await flags.get(name);
      return status.enabledIn === 'development,production' && status.problems === undefined;
    });
  });
});
