/**
 * Rules that became stricter: objects that are stored under the definitions of the last release can still be written.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { Constraint } from '../../src/schema/constraint.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aStrategyType } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inVersion } from '../support/in-version.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { frozenPath, LAST_RELEASE } from '../support/releases/frozen.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';

const HOME = 'home';
const OLD = 'old-values';
const PATH = `/apis/vexil.dev/v1beta1/namespaces/${HOME}/featureflags/${OLD}`;

const constraints: readonly Constraint[] = [
  { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2020-01-31' },
  { contextName: 'birthday', operator: 'DATE_BEFORE', value: '2026-01-31T12:00:00Z' },
  { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3-01' },
  { contextName: 'age', operator: 'NUM_GT', value: '.5' },
  { contextName: 'a"b', operator: 'IN', values: ['ends in \\'] },
];
const strategy = {
  name: 'flexibleRollout',
  parameters: { rollout: '12.5', groupId: 'a "quoted" group', stickiness: 'default' },
  constraints: [...constraints],
};
const flag = aFlag(`${HOME}/${OLD}`, {
  project: 'shop',
  environments: { production: { enabled: true, strategies: { old: strategy } } },
});
/** All values have a form that all SDKs read alike. */
const normalised = aFlag(`${HOME}/normalised`, {
  project: 'shop',
  environments: {
    production: {
      enabled: true,
      strategies: {
        old: {
          name: 'flexibleRollout',
          parameters: { rollout: '12.5' },
          constraints: constraints.filter(({ value }) => value === '2020-01-31' || value === '.5'),
        },
      },
    },
  },
});
/** A strategy type of this name was a custom type until the type became a built-in one. */
const type = aStrategyType(`${HOME}/gradual`, { name: 'gradualRolloutUserId' });

let plane: ControlPlane;
let transport: Transport;
let app: RunningApp;
let call: Call;

const present = async (): Promise<Stored> => (await transport.request({ method: 'GET', path: PATH })) as Stored;
const patch = (...args: readonly string[]) =>
  plane.kubectl(['patch', 'ff', OLD, '-n', HOME, '--type=json', '-p', ...args]);
const at = '/spec/environments/production/strategies/old';

beforeAll(async () => {
  plane = await startControlPlane();
  transport = connect(loadKubeConfig(plane.kubeconfig));
  await installDefinitions(plane, frozenPath(LAST_RELEASE));
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  const objects = [anEnvironment(`${HOME}/production`), aProject(`${HOME}/shop`), flag, normalised, type];
  const input = objects.map((one) => JSON.stringify(inVersion('v1alpha1', one))).join('\n---\n');
  await plane.kubectlOrThrow(['create', '-f', '-'], { input });

  await installDefinitions(plane);
  app = await startApp({ KUBECONFIG: await grantOperatorRoles(plane, HOME, []), VEXIL_NAMESPACE: HOME });
  await app.ready();
  call = adminClient(app.url);
});

afterAll(async () => {
  await app?.stop();
  transport?.close();
  await plane?.stop();
});

const judgedStatus = (path: string) =>
  waitUntil({ what: `${path} is judged` }, async () => {
    const { status }: Stored = await transport.request({ method: 'GET', path });
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
    const object = JSON.parse(await plane.kubectlOrThrow(['get', 'fstrat', 'gradual', '-n', HOME, '-o', 'json']));
    return object.status?.problems as Stored[] | undefined;
  });
  expect(problems).toMatchObject([{ severity: 'Warning', path: 'spec.name', reason: 'BuiltInName' }]);
  const described = JSON.stringify({ spec: { description: 'new' } });
  await plane.kubectlOrThrow(['patch', 'fstrat', 'gradual', '-n', HOME, '--type=merge', '-p', described]);
});
