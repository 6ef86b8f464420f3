/** Freezes on the command line: the report of `plan`, and ramps that freezes pause at another time. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../support/account.ts';
import { aFlag, anEnvironment, aProject, type Manifest } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { installPolicyIn, untilRefused } from '../support/control-plane/install-admission.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const TOKEN = `*:*.${'7e'.repeat(28)}`;
const GIT = 'kustomize-controller';
const yearEnd = { name: 'year-end', from: '2020-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z', reason: 'Ask Ada' };
const SENTENCE =
  'environment "production" is frozen until 2099-01-01T00:00:00Z by the freeze "year-end" (Ask Ada): it refuses the change to everyone who may not bypass it';
const SHOWN = { environment: 'production', name: 'year-end', until: '2099-01-01T00:00:00.000Z', reason: 'Ask Ada' };

let instance: Instance;
let writers: Writers;
let folder: string;

const on = (production: object = {}, more: object = {}): object => ({
  environments: { production: { enabled: true, strategies: { all: { name: 'default' } }, ...production } },
  ...more,
});
const flag = (name: string, spec: object): Manifest => aFlag(`${instance.home}/${name}`, spec);

beforeAll(async () => {
  instance = await startInstance('cli-freezes', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN } });
  writers = writersOf(instance.cluster);
  folder = await mkdtemp(join(tmpdir(), 'vexil-cli-freezes-'));
  for (const name of ['changed', 'switched-off', 'described', 'dropped']) {
    await writers.apply(GIT, flag(name, on()));
  }
  await instance.apply(anEnvironment(`${instance.home}/production`, { freezes: [yearEnd] }));
});
afterAll(async () => {
  writers?.close();
  await instance?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function saved(name: string, ...manifests: readonly Manifest[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, manifests.map((one) => JSON.stringify(one)).join('\n---\n'));
  return file;
}

const plan = (file: string, kubeconfig: string, ...args: readonly string[]) =>
  vexil(['plan', '-f', file, '--field-manager', GIT, ...args], { environment: { KUBECONFIG: kubeconfig } });

test('plan names the changes that a freeze refuses, with its end and reason', async () => {
  const { cluster } = instance;
  const file = await saved(
    'plan.yaml',
    flag('changed', on({ strategies: { all: { name: 'default', title: 'New' } } })),
    flag('switched-off', on({ enabled: false })),
    flag('described', on({}, { description: 'New' })),
    flag('created', on()),
  );
  const summary = join(folder, 'summary.md');
  const [text, json, github] = await Promise.all([
    plan(file, cluster.kubeconfig, '--prune'),
    plan(file, cluster.kubeconfig, '--prune', '--output', 'json'),
    plan(file, cluster.kubeconfig, '--prune', '--format', 'github', '--summary', summary),
  ]);
  expect([text.code, text.stderr, json.code]).toEqual([2, '', 2]);
  const { plans } = JSON.parse(json.stdout);
  expect(
    plans.map(({ action, name, freezes }: { action: string; name: string; freezes: unknown }) => [
      action,
      name,
      freezes,
    ]),
  ).toEqual([
    ['change', 'changed', [SHOWN]],
    ['change', 'switched-off', []],
    ['change', 'described', []],
    ['create', 'created', [SHOWN]],
    ['delete', 'dropped', [SHOWN]],
  ]);
  expect(text.stdout.split('\n').filter((line) => line === `  ! ${SENTENCE}`)).toHaveLength(3);
  expect(text.stdout).toMatch(/1 to create, 3 to change, 1 to delete, 3 refused by a freeze\.\n$/);
  const { home } = instance;
  const frozen = (name: string) => `FeatureFlag ${home}/${name}: ${SENTENCE}`;
  const at = (line: number) => `::warning file=${file},line=${line},col=1,title=frozen::`;
  const lines = [
    `${at(1)}${frozen('changed')}`,
    `${at(7)}${frozen('created')}`,
    `::warning title=frozen::${frozen('dropped')}`,
  ];
  expect([github.code, github.stdout.replaceAll(/col=\d+/g, 'col=1')]).toEqual([2, `${lines.join('\n')}\n`]);
  const markdown = await readFile(summary, 'utf8');
  expect(markdown).toContain(
    `| change | \`FeatureFlag ${home}/changed\` | \`spec.environments.production.strategies.all.title\` |\n`,
  );
  expect(markdown).toContain(`- \`FeatureFlag ${home}/dropped\`: ${SENTENCE}\n`);
});

test('a user who may not bypass the freeze is rejected in the plan, with the end and the reason', async () => {
  const { cluster, home } = instance;
  const rules = { [home]: [[['*'], ['featureflags']]] } as const;
  const { kubeconfig } = await createAccount(cluster, { namespace: home, name: 'developer', rules });
  await installPolicyIn(cluster, 'environment-changes.yaml', [home]);
  const file = await saved('refused.yaml', flag('changed', on({}, { archived: true })));
  const path = `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags`;
  const probe = { method: 'POST', path, query: { dryRun: 'All' }, body: flag('probe', on()) } as const;
  await untilRefused(cluster, probe, kubeconfig);
  const { code, stdout, stderr } = await plan(file, kubeconfig);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^note: freezes are not considered/)]);
  expect(stdout).toContain(
    'environment production is frozen until 2099-01-01T00:00:00Z by the freeze year-end (Ask Ada)',
  );
  expect(stdout).toMatch(/1 rejected\.\n$/);
});

test('explain and evaluate for another time consider the freezes that pause ramps', async () => {
  const { home, cluster, url } = instance;
  const pause = { name: 'pause', from: '2030-01-01T00:00:00Z', until: '2030-01-11T00:00:00Z', ramps: 'Pause' } as const;
  const steps = [{ rollout: 0, for: '24h' }, { rollout: 100 }];
  const strategy = { name: 'flexibleRollout', ramp: { startAt: '2029-12-31T00:00:00Z', steps } };
  const environments = [anEnvironment(`${home}/development`, { freezes: [pause] })];
  const paused = flag('paused', { environments: { development: { enabled: true, strategies: { s: strategy } } } });
  await instance.apply(...environments, paused);
  const file = await saved('paused.yaml', ...environments, aProject(`${home}/shop`), paused);
  const environment = { KUBECONFIG: cluster.kubeconfig };
  const rows = [
    ['2030-01-05T00:00:00Z', { state: 'Running', rollout: 0, nextChangeAt: '2030-01-11T00:00:00.000Z' }, false],
    ['2030-01-11T00:00:00Z', { state: 'Completed', rollout: 100 }, true],
  ] as const;
  for (const [at, ramp, enabled] of rows) {
    const place = ['paused', '--env', 'development', '--at', at, '--output', 'json'];
    const server = { VEXIL_SERVER: url, VEXIL_TOKEN: TOKEN };
    const [ofCluster, ofServer, ofFiles] = await Promise.all([
      vexil(['explain', ...place, '-n', home], { environment }),
      vexil(['explain', ...place, '-n', home, '--context', 'userId=7'], { environment: { ...environment, ...server } }),
      vexil(['evaluate', '--flag', ...place, '-f', file, '--context', 'userId=7']),
    ]);
    expect([at, ofCluster.stderr, JSON.parse(ofCluster.stdout).environments[0].ramps.s]).toMatchObject([at, '', ramp]);
    expect([at, JSON.parse(ofServer.stdout).evaluation.enabled]).toEqual([at, enabled]);
    expect(ofFiles.stderr).toBe('');
    expect([at, JSON.parse(ofFiles.stdout)[0].enabled]).toEqual([at, enabled]);
  }
});
