/**
 * An upgrade: objects that were stored under the definitions of earlier releases are read, judged and kept, and can be
 * written although rules became stricter. Then a rollback of the definitions: what it hides, what is lost, and what
 * returns.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { anEnvironment, aProject, aUser, type Manifest } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { inVersion } from '../support/in-version.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';
import { frozen, frozenPath, LAST_RELEASE } from '../support/releases/frozen.ts';
import { newerObjects } from '../support/releases/newer-objects.ts';
import { formerValues, OLD, type Past, pathOf, storePast, titleOf } from '../support/releases/past.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';

/** The last one comes last, because a release may not accept the definitions of an older one. */
const RELEASES = [...frozen('schema-').filter((name) => name !== LAST_RELEASE), LAST_RELEASE];

/** Objects about which the present operator reports something else on purpose. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // `*` now means every environment; in that release it meant none.
  'FlagRole/captain': [],
  // No client supports decimals.
  'FeatureFlag/everything': [
    'Warning spec.environments.production.strategies.8f9c2d1e-5b7a-4c3d-9e8f-1a2b3c4d5e6f.parameters.rollout ClientsDisagree',
  ],
};

const RATCHETED = 'ratcheted';
const PATH = `/apis/vexil.dev/v1beta1/namespaces/${RATCHETED}/featureflags/${OLD}`;
const { constraints, strategy, flag, normalised, type } = formerValues(RATCHETED);

const get = (path: string): Promise<Stored> => transport.request({ method: 'GET', path });
const merge = (path: string, body: object): Promise<Stored> =>
  transport.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });

let plane: ControlPlane;
let transport: Transport;
interface Upgraded extends Past {
  /** The objects under the definitions of the release. */
  readonly before: ReadonlyMap<string, Stored>;
  /** The objects under the present definitions, before an operator runs. */
  readonly betweenTheTwo: ReadonlyMap<string, Stored>;
}

const pasts = new Map<string, Upgraded>();

beforeAll(async () => {
  plane = await startControlPlane();
  transport = connect(loadKubeConfig(plane.kubeconfig));
  const stored: (readonly [string, Past, Upgraded['before']])[] = [];
  for (const release of RELEASES) {
    await installDefinitions(plane, frozenPath(release));
    const past = await storePast(plane, transport, release);
    stored.push([release, past, await past.everyObject()]);
  }
  await storeFormerValues();
  await installDefinitions(plane);
  for (const [release, past, before] of stored)
    pasts.set(release, { ...past, before, betweenTheTwo: await past.everyObject() });
});

afterAll(async () => {
  transport?.close();
  await plane?.stop();
});

async function storeFormerValues(): Promise<void> {
  await plane.kubectlOrThrow(['create', 'namespace', RATCHETED]);
  const objects = [anEnvironment(`${RATCHETED}/production`), aProject(`${RATCHETED}/shop`), flag, normalised, type];
  await plane.apply(objects.map((one) => inVersion('v1alpha1', one)));
}

/** The statements of a status about the object, without fields that a newer operator may add. */
function verdictOf({ conditions, problems = [], enabledIn, id }: Stored) {
  const recorded = conditions.map(({ type, status, reason, lastTransitionTime }: Stored) => {
    return { type, status, reason, lastTransitionTime };
  });
  const found: readonly string[] = problems.map(
    ({ severity, path, reason }: Stored) => `${severity} ${path} ${reason}`,
  );
  return { recorded, found, enabledIn, id };
}

async function startIn(home: string): Promise<RunningApp> {
  const app = await startApp({ KUBECONFIG: await grantOperatorRoles(plane, home, []), VEXIL_NAMESPACE: home });
  await app.ready();
  return app;
}

describe.each(RELEASES)('an upgrade from %s', (release) => {
  let app: RunningApp;
  let call: Call;
  let past: Upgraded;

  beforeAll(async () => {
    past = pasts.get(release) as Upgraded;
    const { home, manifests, everyObject } = past;
    app = await startIn(home);
    call = adminClient(app.url);
    for (const [kind, some] of Map.groupBy(manifests, (manifest) => manifest.kind)) {
      await waitUntil({ what: `each ${kind} is judged by the present operator` }, async () => {
        const series = `vexil_reconcile_duration_seconds_count{kind="${kind}",result="success"}`;
        return (await readMetric(app.opsUrl, series)) >= some.length;
      });
    }
    await waitUntil({ what: 'each status says who wrote the spec' }, async () => {
      const objects = [...(await everyObject()).values()].filter(({ spec }) => spec);
      return objects.every(({ status }) => status.changedBy !== undefined);
    });
  });
  afterAll(() => app?.stop());

  test('the new definitions change no byte of stored objects', () => {
    expect(past.betweenTheTwo).toEqual(past.before);
  });

  test('the operator reads every object: none is left out because of its content', async () => {
    const complaints = app.log.filter(({ level }) => level === 'warn' || level === 'error');
    expect(complaints).toEqual([]);
    const names = (await call('GET /search/features?limit=100')).body.features.map(({ name }: Stored) => name);
    const shown = past.manifests.filter(({ kind, spec }: Stored) => kind === 'FeatureFlag' && !spec?.archived);
    const inProjects = shown.filter(({ spec }: Stored) => spec?.project !== 'nowhere');
    expect(names.toSorted()).toEqual(
      inProjects.map(({ metadata, spec }: Stored) => spec?.name ?? metadata.name).sort(),
    );
  });

  test('it writes no spec, gives every object a healthy status, and has the verdicts of the earlier release', async () => {
    const { statuses, before } = past;
    const after = await past.everyObject();
    for (const [title, { metadata, spec, status }] of after) {
      const former = before.get(title);
      expect([title, metadata.uid, metadata.generation]).toEqual([
        title,
        former.metadata.uid,
        former.metadata.generation,
      ]);
      expect(spec, title).toEqual(former.spec);
      expectHealthyStatus(after.get(title));
      const wanted = verdictOf(statuses[title]);
      expect([title, verdictOf(status)]).toEqual([title, { ...wanted, found: OTHERWISE[title] ?? wanted.found }]);
    }
  });

  test('the same YAML applied again changes nothing', async () => {
    const said = await plane.kubectlOrThrow(['apply', '-f', '-'], { input: past.yaml });
    expect(said.trim().split('\n')).toHaveLength(past.manifests.length);
    for (const line of said.trim().split('\n')) expect(line).toMatch(/ unchanged$/);
  });

  test('an assigned id is not assigned again', async () => {
    const manifest = aUser(`${past.home}/new`, { username: 'new@example.com' });
    await plane.apply([manifest]);
    const given = await waitUntil({ what: 'it has an id' }, async () => {
      const user = (await transport.request({ method: 'GET', path: pathOf(manifest) })) as Stored;
      return user.status?.id as number | undefined;
    });
    expect(given).toBeGreaterThan(5000);
  });

  test('every object can be written, by kubectl and by the admin API', async () => {
    for (const manifest of past.manifests) {
      const field = manifest.kind === 'FlagUser' || manifest.kind === 'Environment' ? 'displayName' : 'description';
      const body = { spec: { [field]: 'written after the upgrade' } };
      const answer = await merge(pathOf(manifest), body);
      const { [field]: written, ...rest } = answer.spec;
      const { [field]: _, ...wanted } = past.before.get(titleOf(manifest)).spec ?? {};
      expect([titleOf(manifest), written, rest]).toEqual([titleOf(manifest), 'written after the upgrade', wanted]);
    }
    const switched = await call('POST /projects/Web-Shop/features/Every.Thing-7/environments/development/off');
    expect(switched.status, switched.text).toBe(200);
  });
});

describe('rules that became stricter', () => {
  let app: RunningApp;
  let call: Call;

  const present = () => get(PATH);
  const patch = (...args: readonly string[]) =>
    plane.kubectl(['patch', 'ff', OLD, '-n', RATCHETED, '--type=json', '-p', ...args]);
  const at = '/spec/environments/production/strategies/old';

  beforeAll(async () => {
    app = await startIn(RATCHETED);
    call = adminClient(app.url);
  });
  afterAll(() => app?.stop());

  const judgedStatus = (path: string) =>
    waitUntil({ what: `${path} is judged` }, async () => {
      const { status } = await get(path);
      return status?.conditions && status;
    });
  const reportedIn = ({ problems }: Stored) =>
    problems.map(({ severity, path, reason }: Stored) => `${severity} ${path} ${reason}`).sort();
  const place = 'spec.environments.production.strategies.old';

  test('a strategy with values that SDKs cannot receive is off, with an error for each of them', async () => {
    const status = await judgedStatus(PATH);
    expect(status.enabledIn).toBeUndefined();
    expect(status.conditions[0]).toMatchObject({ type: 'Ready', status: 'False', reason: 'ClientsDisagree' });
    expect(reportedIn(status)).toEqual(
      [
        `Error ${place}.parameters.groupId`,
        `Error ${place}.constraints.1.contextName`,
        `Error ${place}.constraints.2.value`,
        `Error ${place}.constraints.4.contextName`,
        `Error ${place}.constraints.4.values`,
        `Warning ${place}.parameters.rollout`,
        `Warning ${place}.constraints.0.value`,
        `Warning ${place}.constraints.3.value`,
      ]
        .map((one) => `${one} ClientsDisagree`)
        .sort(),
    );
  });

  test('a flag whose values have another form is in effect, with a warning for each of them', async () => {
    const status = await judgedStatus(PATH.replace(OLD, 'normalised'));
    expect(status).toMatchObject({ enabledIn: 'production', conditions: [{ type: 'Ready', status: 'True' }] });
    expect(reportedIn(status)).toEqual(
      ['constraints.0.value', 'constraints.1.value', 'parameters.rollout'].map(
        (one) => `Warning ${place}.${one} ClientsDisagree`,
      ),
    );
  });

  test('SDKs receive flags according to their status', async () => {
    const answer = await fetch(`${app.url}/api/client/features?environment=production`);
    const { features }: Stored = await answer.json();
    expect(features).toMatchObject([
      { name: 'normalised', enabled: true, strategies: [{ parameters: { rollout: '12' } }] },
      { name: OLD, enabled: false, strategies: [] },
    ]);
  });

  test('kubectl changes other fields, also in the same strategy', async () => {
    expect(await patch(`[{"op":"add","path":"/spec/description","value":"new"}]`)).toMatchObject({ code: 0 });
    expect(await patch(`[{"op":"add","path":"${at}/title","value":"new"}]`)).toMatchObject({ code: 0 });
    expect(await patch(`[{"op":"add","path":"${at}/parameters/more","value":"new"}]`)).toMatchObject({ code: 0 });
    expect((await present()).spec.environments.production.strategies.old).toMatchObject({ title: 'new', constraints });
  });

  test('the same file applied again is accepted', async () => {
    const input = JSON.stringify({ ...flag, spec: { ...flag.spec, description: 'applied' } });
    await plane.kubectlOrThrow(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
    expect((await present()).spec.description).toBe('applied');
  });

  test('the admin API changes it, and accepts the strategy as it was read', async () => {
    const place = `/projects/shop/features/${OLD}/environments/production`;
    const { body } = await call(`GET ${place}/strategies`);
    const changed = await call(`PUT ${place}/strategies/${body[0].id}`, {
      body: { ...body[0], title: 'sent back' },
    });
    expect(changed.status, changed.text).toBe(200);
    expect((await call(`POST ${place}/off`)).status).toBe(200);
    const refused = await call(`POST ${place}/on`);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('the strategy is not in effect')]);
    expect((await present()).spec.environments.production).toMatchObject({
      enabled: false,
      strategies: { old: { ...strategy, parameters: { ...strategy.parameters }, title: 'sent back' } },
    });
  });

  test.each([
    [`${at}/parameters/rollout`, '"13.5"', 'should match'],
    [`${at}/parameters/groupId`, '"another \\"group\\""', 'should match'],
    [`${at}/constraints/0/value`, '"2020-02-28"', 'a date with time and zone, such as 2026-01-31T12:00:00Z'],
    [`${at}/constraints/4/contextName`, '"c\\"d"', 'must have no double quote'],
  ])('another such value in %s is rejected: %s', async (path, value, want) => {
    const { code, stderr } = await patch(`[{"op":"replace","path":"${path}","value":${value}}]`);
    expect(code).not.toBe(0);
    expect(stderr).toContain(want);
  });

  test.each([
    [`${at}/parameters/rollout`, '"13"'],
    [`${at}/parameters/groupId`, '"plain"'],
  ])('%s can be corrected alone', async (path, value) => {
    expect(await patch(`[{"op":"replace","path":"${path}","value":${value}}]`, '--dry-run=server')).toMatchObject({
      code: 0,
    });
  });

  test('a StrategyDefinition whose type is now built-in reports it, and can be written', async () => {
    const problems = await waitUntil({ what: 'the type is judged' }, async () => {
      const object = JSON.parse(
        await plane.kubectlOrThrow(['get', 'fstrat', 'gradual', '-n', RATCHETED, '-o', 'json']),
      );
      return object.status?.problems as Stored[] | undefined;
    });
    expect(problems).toMatchObject([{ severity: 'Warning', path: 'spec.name', reason: 'BuiltInName' }]);
    const described = JSON.stringify({ spec: { description: 'new' } });
    await plane.kubectlOrThrow(['patch', 'fstrat', 'gradual', '-n', RATCHETED, '--type=merge', '-p', described]);
  });
});

describe('a rollback of the definitions', () => {
  const home = 'rolled-back';
  /** The version that both releases serve. */
  const apiVersion = 'vexil.dev/v1alpha1';
  const manifests = newerObjects(home).map((manifest) => ({ ...manifest, apiVersion }));
  const [segment] = manifests.slice(-1) as [Manifest];
  let created: ReadonlyMap<string, Stored>;

  const flagPath = (name: string): string => `/apis/${apiVersion}/namespaces/${home}/featureflags/${name}`;

  async function everySpec(): Promise<ReadonlyMap<string, Stored>> {
    const read = manifests.map(async (one) => [one.metadata.name, (await get(pathOf(one))).spec] as const);
    return new Map(await Promise.all(read));
  }

  const production = async (flag: string): Promise<Stored> => (await get(flagPath(flag))).spec.environments.production;

  /** A definition takes effect a moment after it is stored, each at its own time. */
  const untilNewerFieldsAre = (wanted: 'shown' | 'hidden') =>
    waitUntil({ what: `the newer fields are ${wanted}` }, async () => {
      const specs = await everySpec();
      const found = ['production', 'shop'].map((name) => Object.keys(specs.get(name)).length > 0);
      found.push('activeUntil' in specs.get('windowed').environments.production);
      return found.every((isShown) => isShown === (wanted === 'shown'));
    });

  beforeAll(async () => {
    await plane.kubectlOrThrow(['create', 'namespace', home]);
    const input = manifests.map((one) => JSON.stringify(one)).join('\n---\n');
    await plane.kubectlOrThrow(['create', '--validate=strict', '-f', '-'], { input });
    created = await everySpec();
  });

  test('hides the newer fields, and the newer kind stays', async () => {
    await installDefinitions(plane, frozenPath(LAST_RELEASE));
    await untilNewerFieldsAre('hidden');
    const specs = await everySpec();
    expect(specs.get('production')).toEqual({});
    expect(specs.get('shop')).toEqual({});
    expect(specs.get('windowed')).not.toHaveProperty('dependencies');
    expect((await production('ramped')).strategies.slowly).not.toHaveProperty('ramp');
    expect((await production('matched')).strategies.staff).not.toHaveProperty('segments');
    expect(specs.get(segment.metadata.name)).toEqual(segment.spec);
  });

  test('of an object that is written meanwhile, newer values stay, and newer fields are gone', async () => {
    await merge(flagPath('matched'), { spec: { description: 'written after the rollback' } });
    // A write of the status is enough to lose the fields, and the older operator writes one.
    await merge(`${flagPath('ramped')}/status`, { status: { observedGeneration: 1 } });
    await installDefinitions(plane);
    await untilNewerFieldsAre('shown');
    const { segments, ...staff } = created.get('matched').environments.production.strategies.staff;
    expect(segments).toEqual(['staff']);
    expect((await production('matched')).strategies).toEqual({ staff });
    expect((await production('ramped')).strategies.slowly).not.toHaveProperty('ramp');
  });

  test('all others show theirs again after the next upgrade', async () => {
    const specs = await everySpec();
    for (const name of ['production', 'shop', 'parent', 'windowed', segment.metadata.name])
      expect(specs.get(name), name).toEqual(created.get(name));
  });

  describe('and upgraded again', () => {
    let app: RunningApp;
    beforeAll(async () => {
      app = await startIn(home);
    });
    afterAll(() => app?.stop());

    test('the operator judges every object, and reports a problem of none', async () => {
      for (const one of manifests) {
        await waitUntil({ what: `${one.metadata.name} is Ready` }, async () => {
          const { status } = await get(pathOf(one));
          return status?.conditions?.some(({ type, status: is }: Stored) => type === 'Ready' && is === 'True');
        });
      }
      expect(app.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    });
  });
});
