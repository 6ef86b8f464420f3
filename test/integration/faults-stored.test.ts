/** The row of the failure table about stored objects that the rules refuse. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { abilitiesOf } from '../support/control-plane/abilities.ts';
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
  /** The environments in which the flag is on nevertheless. */
  readonly enabledIn: string;
  /** The paths that the status of the flag names. */
  readonly paths: readonly string[];
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
    paths: ['spec.variants', 'spec.variants.0.weight'],
  },
  'variants of which none is variable': {
    spec: { ...everywhereOn, variants: [{ name: 'a', weightType: 'fix', weight: 100 }] },
    enabledIn: '',
    paths: ['spec.variants'],
  },
  'a rollout of 400 %': {
    spec: inProduction({ name: 'flexibleRollout', parameters: { rollout: 400 } }),
    enabledIn: 'development',
    paths: ['spec.environments.production.strategies.all.parameters.rollout'],
  },
  'an unknown operator in a constraint': {
    spec: inProduction({ name: 'default', constraints: [{ contextName: 'userId', operator: 'LIKES', values: ['1'] }] }),
    enabledIn: 'development',
    paths: ['spec.environments.production.strategies.all.constraints.0.operator'],
  },
  'a switch that is a text': {
    spec: { environments: { development: good, production: { enabled: 'yes', strategies } } },
    enabledIn: 'development',
    paths: ['spec.environments.production.enabled'],
  },
  'a strategy whose key is no label': {
    spec: { environments: { production: { enabled: true, strategies: { 'Not A Label': { name: 'default' } } } } },
    enabledIn: '',
    paths: ['spec.environments.production.strategies'],
  },
  'a type that does not exist': { spec: { ...everywhereOn, type: 'hope' }, enabledIn: '', paths: ['spec.type'] },
  'a description that is a number': {
    spec: { ...everywhereOn, description: 7 },
    enabledIn: '',
    paths: ['spec.description'],
  },
};

/**
 * The API server cannot evaluate its rules on these values, so it refuses every write that keeps them, also of a
 * status.
 */
const frozen: Readonly<Record<string, unknown>> = {
  'environments as a list': [{ name: 'production', enabled: true }],
  'environments as a text': 'everywhere',
};

const nameOf = (title: string) => title.replace(/[^a-z0-9]+/g, '-').replace(/-$/, '');

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
    for (const [title, environments] of Object.entries(frozen)) {
      await flags.apply('FeatureFlag', nameOf(title), { project: 'shop', description: 'kept', environments });
    }
    for (const [title, { spec }] of Object.entries(rows)) {
      await flags.apply('FeatureFlag', nameOf(title), { project: 'shop', ...spec });
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

/** Runs `store` while the definition of flags accepts anything, as a definition from before a rule would. */
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

async function judged(name: string) {
  return waitUntil({ what: `${name} is judged` }, async () => {
    const { metadata, spec, status } = await flags.get(name);
    return status?.observedGeneration === metadata.generation && { spec, status };
  });
}

async function shown(name: string) {
  const { status, body } = await operator.call(`GET /projects/shop/features/${name}`);
  expect(status).toBe(200);
  const on = body.environments.filter((one: { enabled: boolean }) => one.enabled);
  return { description: body.description, enabledIn: on.map((one: { name: string }) => one.name).join() };
}

describe('an object that is stored although the rules refuse it, with', () => {
  test.each(Object.entries(rows))(
    '%s: its status names the place, it is off only there, and is served',
    async (title, { enabledIn, paths }) => {
      const { status } = await judged(nameOf(title));
      expect(status.problems).toMatchObject(paths.map((path) => ({ severity: 'Error', reason: 'InvalidSpec', path })));
      expect(status.conditions).toMatchObject([
        { type: 'Ready', status: 'False' },
        { type: 'Stalled', status: 'True' },
      ]);
      expect(status.enabledIn ?? '').toBe(enabledIn);
      expect((await shown(nameOf(title))).enabledIn).toBe(enabledIn);
    },
  );

  test('a rollout of 400 %: its status names the value', async () => {
    const { status } = await judged(nameOf('a rollout of 400 %'));
    expect(status.problems[0].message).toContain('400');
  });

  test.each(Object.keys(frozen))(
    '%s, for which no status can be written: is off, is served, is retried with growing intervals',
    async (title) => {
      expect(await shown(nameOf(title))).toEqual({ description: 'kept', enabledIn: '' });
      const failed = () =>
        operator.log.filter(({ msg, name }) => msg === 'reconcile: failed' && name === nameOf(title));
      await waitUntil({ what: 'a few tries have failed' }, () => failed().length >= 5);
      const most = (failures: number) => 100 * 2 ** (failures - 1);
      for (const { failures, inMs } of failed()) expect(inMs).toBeLessThanOrEqual(most(Number(failures)));
      expect((await flags.get(nameOf(title))).status).toBeUndefined();
    },
  );

  test('any of these: other flags are unaffected', async () => {
    const { status } = await judged('innocent');
    expect([status.enabledIn, status.problems ?? []]).toEqual(['production', []]);
    const count = Object.keys({ ...rows, ...frozen }).length + 1;
    expect((await readFlags(operator.call)).body.features).toHaveLength(count);
    // The cache sends one list and the history another. Each is sent again in pages if lists are not streamed.
    const requests = (await abilitiesOf(plane)).streamsLists ? 2 : 4;
    expect(requestsFor(operator.proxy.arrived, 'featureflags', 'list', 'watch-list')).toHaveLength(requests);
    const failed = operator.log.filter(({ msg }) => msg === 'reconcile: failed');
    expect(new Set(failed.map(({ name }) => name))).toEqual(new Set(Object.keys(frozen).map(nameOf)));
    for (const line of failed) expect(line).toMatchObject({ kind: 'FeatureFlag', namespace: home });
    expect(new Set(failed.map(({ reconcileId }) => reconcileId)).size).toBe(failed.length);
    expect(operator.rejections).toEqual([]);
  });

  test('any of these: an edit through the API changes its own field, and keeps the invalid part', async () => {
    const name = nameOf('a rollout of 400 %');
    const { spec } = await judged(name);
    const body = [{ op: 'replace', path: '/description', value: 'still editable' }];
    expect((await operator.call(`PATCH /projects/shop/features/${name}`, { body })).status).toBe(200);
    expect((await judged(name)).spec).toEqual({ ...spec, description: 'still editable' });
  });

  test.each([
    ['a switch that is a text', { enabled: true }],
    ['a rollout of 400 %', { strategies: { all: { parameters: { rollout: 4 } } } }],
  ])('%s: after a correction, none of its problems remains', async (title, production) => {
    await flags.patch(nameOf(title), { environments: { production } });
    // A status of which a part does not fit is written in two steps.
    const { status } = await waitUntil({ what: 'its problems are gone' }, async () => {
      const one = await judged(nameOf(title));
      return one.status.problems === undefined && one;
    });
    expect(status.enabledIn).toBe('development,production');
    expect(status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });
});
