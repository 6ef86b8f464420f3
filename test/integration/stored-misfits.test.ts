/** Objects that are stored although their schema refuses them today: written under an older definition. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, type Manifest } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { startApp } from '../support/running-app.ts';

const HOME = 'vexil-system';
let plane: ControlPlane;
let call: Call;
let stop: () => Promise<void>;

/** Specs that no rule of today would let in. */
const misfits: Readonly<Record<string, unknown>> = {
  'bad-rollout': { environments: { development: on({ rollout: 400 }), production: on({ rollout: 40 }) } },
  'bad-weights': { variants: [{ name: 'a', weightType: 'fix', weight: 100 }], environments: { production: on({}) } },
  'bad-type': { type: 'wish', environments: { production: on({}) } },
  'bad-text': { description: 5, environments: { production: on({}) } },
  'bad-shape': { environments: 'everywhere', description: 'kept' },
  'bad-key': { environments: { production: { enabled: true, strategies: { 'Not A Label': { name: 'default' } } } } },
};

function on(parameters: object) {
  return { enabled: true, strategies: { all: { name: 'flexibleRollout', parameters } } };
}

async function apply(...manifests: readonly Manifest[]): Promise<void> {
  const input = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  await plane.kubectlOrThrow(['apply', '-f', '-'], { input });
}

/** The definition of flags as it might have been once: anything goes. */
async function installLooseDefinition(): Promise<void> {
  const definition = parse(await readFile(new URL('../../crds/featureflags.yaml', import.meta.url), 'utf8'));
  const [version] = definition.spec.versions;
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  version.schema.openAPIV3Schema = { type: 'object', properties: { spec: free, status: free } };
  delete version.selectableFields;
  await plane.kubectlOrThrow(['apply', '--server-side', '-f', '-'], { input: stringify(definition) });
  await waitUntil({ what: 'flags are served' }, async () => (await plane.kubectl(['get', 'ff', '-A'])).code === 0);
}

beforeAll(async () => {
  plane = await startControlPlane();
  await installLooseDefinition();
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  await apply(...Object.entries(misfits).map(([name, spec]) => aFlag(`${HOME}/${name}`, spec as object)));
  await installDefinitions(plane);
  await apply(
    anEnvironment(`${HOME}/development`, { sortOrder: 1 }),
    anEnvironment(`${HOME}/production`, { sortOrder: 2 }),
    aProject(`${HOME}/shop`),
    aFlag(`${HOME}/good`, {
      environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } },
    }),
  );
  const app = await startApp({
    KUBECONFIG: await grantOperatorRoles(plane, HOME, []),
    VEXIL_NAMESPACE: HOME,
  });
  await app.ready();
  call = adminClient(app.url);
  stop = app.stop;
});

afterAll(async () => {
  await stop?.();
  await plane?.stop();
});

async function judged(name: string) {
  return waitUntil({ what: `${name} is judged` }, async () => {
    const flag = JSON.parse(await plane.kubectlOrThrow(['get', 'ff', name, '-n', HOME, '-o', 'json']));
    return flag.status?.observedGeneration === flag.metadata.generation && flag;
  });
}

test('the neighbours of misfits are in effect', async () => {
  expect((await judged('good')).status.enabledIn).toBe('production');
  expect((await call('GET /projects/shop/features')).body.features).toHaveLength(Object.keys(misfits).length + 1);
});

test('a fault in one environment switches the flag off there, and nowhere else', async () => {
  const { status } = await judged('bad-rollout');
  expect(status.enabledIn).toBe('production');
  expect(status.problems).toMatchObject([
    {
      severity: 'Error',
      reason: 'InvalidSpec',
      path: 'spec.environments.development.strategies.all.parameters.rollout',
    },
  ]);
  expect(status.problems[0].message).toContain('400');
});

test.each([
  ['bad-weights', 'spec.variants'],
  ['bad-type', 'spec.type'],
  ['bad-text', 'spec.description'],
  ['bad-key', 'spec.environments.production.strategies'],
])('%s is on nowhere, and its status names %s', async (name, path) => {
  const { status } = await judged(name);
  expect(status.enabledIn).toBeUndefined();
  expect(status.problems).toMatchObject([{ severity: 'Error', reason: 'InvalidSpec', path }]);
  expect(status.conditions.map(({ type, status: is }: { type: string; status: string }) => `${type} ${is}`)).toEqual([
    'Ready False',
    'Stalled True',
  ]);
  const { body } = await call(`GET /projects/shop/features/${name}`);
  expect(body.environments.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([false, false]);
});

test('text where a map belongs: the API server takes no status then, and the flag is off all the same', async () => {
  const { body } = await call('GET /projects/shop/features/bad-shape');
  expect([body.description, ...body.environments.map(({ enabled }: { enabled: boolean }) => enabled)]).toEqual([
    'kept',
    false,
    false,
  ]);
});

test('an edit through the API changes its own field, and keeps what does not fit', async () => {
  const before = (await judged('bad-rollout')).spec;
  const answer = await call('PATCH /projects/shop/features/bad-rollout', {
    body: [{ op: 'replace', path: '/description', value: 'still editable' }],
  });
  expect(answer.status).toBe(200);
  expect((await judged('bad-rollout')).spec).toEqual({ ...before, description: 'still editable' });
});

test('an edit that mends it makes it ready', async () => {
  const patch = '{"spec":{"environments":{"development":{"strategies":{"all":{"parameters":{"rollout":4}}}}}}}';
  await plane.kubectlOrThrow(['patch', 'ff', 'bad-rollout', '-n', HOME, '--type=merge', '-p', patch]);
  expect((await judged('bad-rollout')).status).toMatchObject({
    enabledIn: 'development,production',
    conditions: [{ type: 'Ready', status: 'True' }],
  });
});
