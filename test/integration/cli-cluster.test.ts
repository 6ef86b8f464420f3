/** The command line against a cluster and a running operator, as processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Finished, runProgram } from '../../scripts/tools/run-program.ts';
import { createAccount } from '../support/account.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { PROGRAM, vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { ownedBy, type Writers, writersOf } from '../support/written-as.ts';

const BOOTSTRAP = `*:*.${'4e'.repeat(28)}`;
const GIT = 'kustomize-controller';
const settings = {
  ...{ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP },
  VEXIL_PROTECTED_MANAGERS: `${GIT},kubectl-edit`,
};

let instance: RecordingInstance;
let writers: Writers;
let folder: string;

const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
const marked = (manifest: Manifest, marks: object) => ({ ...manifest, metadata: { ...manifest.metadata, ...marks } });

const argo = (flag: string) => {
  const { home } = instance;
  return { 'argocd.argoproj.io/tracking-id': `${home}_flags:vexil.dev/FeatureFlag:${home}/${flag}` };
};

/** The kinds of the objects of GitOps tools, with the fields that are read here. */
const toolKinds = [
  ['kustomize.toolkit.fluxcd.io', 'v1', 'Kustomization'],
  ['argoproj.io', 'v1alpha1', 'Application'],
] as const;

/** Creates the kinds of Flux and Argo CD, and an object of each with the revision that was applied last. */
async function createToolObjects(): Promise<void> {
  const { cluster, home } = instance;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definitions = toolKinds.map(([group, version, kind]) => {
    const [plural, singular] = [`${kind.toLowerCase()}s`, kind.toLowerCase()];
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular, listKind: `${kind}List` },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    };
  });
  await cluster.apply(definitions);
  const history = Object.entries({ before: '2020-01-01', applied: '2021-01-01', later: '2999-01-01' }).map(
    ([revision, day]) => ({ revision, deployStartedAt: `${day}T00:00:00Z`, deployedAt: `${day}T00:00:05Z` }),
  );
  for (const [group, version, kind] of toolKinds) {
    const path = `/apis/${group}/${version}/namespaces/${home}/${kind.toLowerCase()}s`;
    const body = {
      ...{ apiVersion: `${group}/${version}`, kind, metadata: { name: 'flags' } },
      spec: { source: { repoURL: 'https://git.example.com/flags' } },
      status: { lastAppliedRevision: 'main@sha1:abc', sync: { revision: 'def' }, history },
    };
    await waitUntil({ what: `${kind} is served` }, () =>
      cluster.request({ method: 'POST', path, body }).then(
        () => true,
        () => false,
      ),
    );
  }
}

beforeAll(async () => {
  instance = await startRecordingInstance('cli', settings);
  writers = writersOf(instance.cluster);
  folder = await mkdtemp(join(tmpdir(), 'vexil-cli-'));
  const { home, other } = instance;
  await createToolObjects();
  const flux = { 'kustomize.toolkit.fluxcd.io/name': 'flags', 'kustomize.toolkit.fluxcd.io/namespace': home };
  const flags = [
    marked(aFlag(`${home}/new-checkout`, { ...on, description: 'from Git' }), { labels: flux }),
    aFlag(`${home}/search`, on),
    aFlag(`${home}/same`, on),
    marked(aFlag(`${home}/dropped`), { annotations: argo('dropped') }),
    aFlag(`${home}/twin`),
    aFlag(`${other}/twin`, { project: 'pay' }),
    aFlag(`${home}/checkout-object`, { name: 'Checkout.v2', environments: { production: { enabled: true } } }),
  ];
  for (const flag of flags) await writers.apply(GIT, flag);
  await writers.merge('kubectl-edit', aFlag(`${home}/search`), { type: 'operational' });
  await instance.judged(...flags);
});
afterAll(async () => {
  writers?.close();
  await instance?.stop();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({
  KUBECONFIG: instance.cluster.kubeconfig,
  VEXIL_SERVER: instance.url,
  VEXIL_TOKEN: BOOTSTRAP,
});
const run = (...args: string[]): Promise<Finished> => vexil(args, { cwd: folder, environment: environment() });
const switchOf = async (name: string) =>
  (await instance.flag(`${instance.home}/${name}`)).spec.environments.production.enabled;

test('plan names what an apply creates, changes, removes, takes and rejects, and writes nothing', async () => {
  const { home } = instance;
  const files = {
    'a.yaml': [aFlag(`${home}/brand-new`, on), aFlag(`${home}/same`, on)],
    'b.yaml': [
      aFlag(`${home}/new-checkout`, {
        environments: { production: { ...on.environments.production, enabled: false } },
      }),
      aFlag(`${home}/search`, { ...on, type: 'experiment' }),
      aFlag(`${home}/twin`),
      aFlag(`${home}/checkout-object`, { name: 'Checkout.v2', environments: { production: { enabled: true } } }),
    ],
  };
  for (const [name, flags] of Object.entries(files)) {
    await writeFile(join(folder, name), flags.map((flag) => stringify(flag)).join('---\n'));
  }
  await writeFile(join(folder, 'wrong.yaml'), stringify(aFlag(`${home}/same`, { project: 'pay' })));
  const before = await instance.everything();
  const as = ['--field-manager', GIT];
  const [forced, unforced, rejected, unchanged] = await Promise.all([
    run('plan', '-f', 'a.yaml', '-f', 'b.yaml', ...as, '--force-conflicts', '--prune'),
    run('plan', '-f', 'b.yaml', ...as, '--output', 'json'),
    run('plan', '-f', 'wrong.yaml', ...as),
    vexil(['plan', '-f', '-', ...as], {
      environment: environment(),
      input: `${stringify(files['a.yaml'][1])}---\nkind: ConfigMap\n`,
    }),
  ]);
  expect(forced.stdout.split('\n')).toEqual([
    `create FeatureFlag ${home}/brand-new (a.yaml:5)`,
    '  + spec.environments.production.enabled: true',
    '  + spec.environments.production.strategies.all.name: "default"',
    '  + spec.project: "shop"',
    `change FeatureFlag ${home}/new-checkout (b.yaml:5)`,
    '  - metadata.labels["kustomize.toolkit.fluxcd.io/name"]: "flags"',
    `  - metadata.labels["kustomize.toolkit.fluxcd.io/namespace"]: "${home}"`,
    '  - spec.description: "from Git"',
    '  ~ spec.environments.production.enabled: true -> false',
    `change FeatureFlag ${home}/search (b.yaml:19)`,
    '  ~ spec.type: "operational" -> "experiment"',
    '  ! spec.type is taken from "kubectl-edit"',
    `delete FeatureFlag ${home}/dropped`,
    '1 to create, 2 to change, 1 to delete, 3 unchanged.',
    '',
  ]);
  expect(forced.code).toBe(2);
  const { plans } = JSON.parse(unforced.stdout);
  expect([unforced.code, plans[1].action, plans[1].conflicts]).toEqual([
    1,
    'conflict',
    [{ field: 'spec.type', manager: 'kubectl-edit' }],
  ]);
  expect([rejected.code, rejected.stdout]).toEqual([1, expect.stringContaining('spec.project is immutable')]);
  expect(unchanged).toMatchObject({ code: 0, stdout: '1 unchanged, 1 of other kinds passed over.\n' });
  expect(await instance.everything()).toEqual(before);
});

test('explain shows what is requested, in effect, owned and evaluated; owners lists fields', async () => {
  const { home, other } = instance;
  const fromCluster = { KUBECONFIG: instance.cluster.kubeconfig };
  const ours = ['--protected-managers', 'kubectl-*'];
  const [asked, byArgo, broken, evaluated, owners, ownersOfOption, ownersOfDefault, twins, twin] = await Promise.all([
    vexil(['explain', 'new-checkout', '-n', home], { environment: fromCluster }),
    vexil(['explain', 'dropped', '-n', home], { environment: fromCluster }),
    run('explain', 'Checkout.v2', '-n', home, '--output', 'json'),
    run('explain', 'new-checkout', '--env', 'production', '-n', home, '--context', 'userId=7,country=de'),
    run('owners', 'search', '-n', home),
    run('owners', 'search', '-n', home, ...ours),
    vexil(['owners', 'search', '-n', home], { environment: fromCluster }),
    run('owners', 'twin'),
    run('owners', 'twin', '--project', 'pay', '-n', other),
  ]);
  expect(asked.stdout).toContain(`shop/new-checkout is FeatureFlag ${home}/new-checkout\n`);
  expect(asked.stdout).toContain(`applied by Flux Kustomization ${home}/flags at main@sha1:abc\n`);
  expect(byArgo.stdout).toContain(
    `applied by Argo CD Application ${home}/flags from https://git.example.com/flags at def\n`,
  );
  expect(asked.stdout).toMatch(/^production +on +on +1 +- +kustomize-controller \(protected\)$/m);
  expect(JSON.parse(broken.stdout)).toMatchObject({
    environments: [{ name: 'production', asked: true, inEffect: false }],
    problems: [{ reason: 'EnabledWithoutStrategies', path: 'spec.environments.production.enabled' }],
  });
  expect(evaluated.stdout).toContain(
    'In production for userId=7, country=de: on\nOn: The strategy "all" (default) applies: all that it asks for holds.\n',
  );
  expect(evaluated.stdout).toMatch(/^spec\.environments\.production\.enabled +kustomize-controller \(git\)/m);
  expect(owners.stdout).toMatch(/^spec\.project +kustomize-controller +Apply +20\S+Z +yes$/m);
  expect(owners.stdout).toMatch(/^spec\.type +kubectl-edit +Update +20\S+Z +yes$/m);
  expect(ownersOfDefault.stdout).toMatch(/^spec\.type +kubectl-edit +Update +20\S+Z +no$/m);
  expect(ownersOfOption.stdout).toMatch(/^spec\.project +kustomize-controller +Apply +20\S+Z +no$/m);
  expect(ownersOfOption.stdout).toMatch(/^spec\.type +kubectl-edit +Update +20\S+Z +yes$/m);
  expect(twins).toMatchObject({ code: 64, stdout: '' });
  expect(twins.stderr).toContain(`${home}/twin (project shop)`);
  expect(twins.stderr).toContain(`${other}/twin (project pay)`);
  expect(twin).toMatchObject({ code: 0, stderr: expect.stringMatching(/^note: Vexil does not say .*"twin"/) });
});

test('explain shows what is planned, and the state at another time', async () => {
  const { home } = instance;
  const steps = [{ rollout: 0, for: '24h' }, { rollout: 100 }];
  const gradual = {
    name: 'flexibleRollout',
    parameters: { rollout: 0, stickiness: 'userId' },
    ramp: { steps, startAt: '2030-01-10T00:00:00Z' },
  };
  const window = { activeFrom: '2030-01-01T00:00:00Z', activeUntil: '2030-02-01T00:00:00Z' };
  const environments = {
    production: { enabled: true, ...window, strategies: { gradual } },
    staging: { enabled: true, ...window },
  };
  await writers.apply(GIT, marked(aFlag(`${home}/sale`, { environments }), { annotations: argo('sale') }));
  await instance.judged(aFlag(`${home}/sale`));
  const explain = (...args: string[]) => run('explain', 'sale', '-n', home, '--env', 'production', ...args);
  const atTime = (at: string) => explain('--context', 'userId=7,at=home', '--at', at);
  const [now, ramping, closed, staging] = await Promise.all([
    explain(),
    atTime('2030-01-11T01:00:00+01:00'),
    atTime('2030-02-01T00:00:00Z'),
    vexil(['explain', 'sale', '-n', home, '--env', 'staging', '--at', '2030-01-11T00:00:00Z', '--output', 'json'], {
      environment: { KUBECONFIG: instance.cluster.kubeconfig },
    }),
  ]);
  expect(now.stdout).toMatch(/^production +on +off +1 +2030-01-01T00:00:00\.000Z /m);
  expect(now.stdout).toMatch(/^production +gradual +Scheduled +0 % +2030-01-10T00:00:00\.000Z$/m);
  expect(ramping.stdout).toContain('as of 2030-01-11T00:00:00.000Z, by the present spec\n');
  expect(ramping.stdout).toMatch(/^production +on +on +1 +2030-02-01T00:00:00\.000Z /m);
  expect(ramping.stdout).toMatch(/^production +gradual +Completed +100 % +-$/m);
  expect(ramping.stdout).toMatch(/^In production for at=home, userId=7: on\nOn: .* is within the limit 100\.$/m);
  expect(ramping.stdout).toMatch(
    /^spec\.environments\.production\.strategies\.gradual\.ramp\.startAt +kustomize-controller .* applied$/m,
  );
  expect(closed.stdout).toMatch(/^production +on +off +1 +- /m);
  expect(closed.stdout).toContain('Off: the window in "production" closed at 2030-02-01T00:00:00Z.\n');
  expect(JSON.parse(staging.stdout)).toMatchObject({
    at: '2030-01-11T00:00:00.000Z',
    environments: [{ name: 'staging', asked: true, inEffect: false, window: 'Open' }],
  });
});

test('on and off refuse a switch that Git owns with the ways to resolve it, print the change, hand over, and force', async () => {
  const { home } = instance;
  const before = await instance.everything();
  const [refused, patch, json] = await Promise.all([
    run('off', 'new-checkout', '--env', 'production'),
    run('off', 'new-checkout', '--env', 'production', '--patch'),
    run('off', 'new-checkout', '--env', 'production', '--patch', '--output', 'json'),
  ]);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/spec\.environments\.production\.enabled is owned by "kustomize-controller" \(Apply/);
  for (const way of ['--patch', '--hand-over', '--force']) {
    expect(refused.stderr).toContain(`vexil off new-checkout --env production ${way}`);
  }
  expect(patch.code).toBe(0);
  expect(parse(patch.stdout)).toMatchObject({
    kind: 'FeatureFlag',
    metadata: { name: 'new-checkout', namespace: home },
    spec: { description: 'from Git', environments: { production: { enabled: false } } },
  });
  expect(JSON.parse(json.stdout).sources[0].mergePatch).toEqual({
    spec: { environments: { production: { enabled: false } } },
  });
  expect(await instance.everything()).toEqual(before);

  const [handedOver, forced] = await Promise.all([
    run('off', 'search', '--env', 'production', '--hand-over'),
    run('off', 'new-checkout', '--env', 'production', '--force'),
  ]);
  expect(handedOver.code).toBe(1);
  expect(await switchOf('search')).toBe(true);
  const search = await instance.flag(`${home}/search`);
  expect(ownedBy(search, 'vexil-api', 'Apply')['f:environments']['f:production']).toHaveProperty('f:enabled');
  expect(forced).toMatchObject({ code: 0, stdout: 'shop/new-checkout is switched off in production\n' });
  expect(forced.stderr).toContain('warning: took 1 field from kustomize-controller');
  expect(await switchOf('new-checkout')).toBe(false);
});

test('history lists the changes that came one way', async () => {
  const event = { featureName: 'ways', environment: 'production', type: 'feature-environment-disabled' } as const;
  const edit = { channel: 'kubernetes', fieldManager: 'kubectl-edit' } as const;
  await instance.report(
    { ...event, createdBy: 'ann@example.com', channel: 'console' },
    { ...event, createdBy: 'ben@example.com', ...edit },
  );
  const { code, stdout } = await vexil(['history', 'ways', '--channel', 'kubectl'], { environment: environment() });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\S+ {2}ben@example\.com \[production\] .*\n$/);
});

test('history lists events, follows new ones, and exits with 130 on Ctrl-C', async () => {
  const event = { featureName: 'deleted', environment: 'production', type: 'feature-environment-disabled' } as const;
  await instance.report({ ...event, createdBy: 'ann@example.com' }, { ...event, createdBy: 'ben@example.com' });
  const child = spawn(process.execPath, [PROGRAM, 'history', 'deleted', '--follow', '--limit', '1'], {
    env: { ...process.env, ...environment() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  const ended = once(child, 'exit');
  await waitUntil({ what: 'the first event is printed' }, () => printed.includes('\n'));
  await instance.report({ ...event, createdBy: 'cleo@example.com' });
  await waitUntil({ what: 'the new event is printed' }, () => printed.includes('cleo'));
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(printed.trimEnd().split('\n')).toEqual(
    ['ben', 'cleo'].map((name) =>
      expect.stringMatching(
        new RegExp(
          `^\\S+Z  ${name}@example\\.com \\[production\\]  feature-environment-disabled: ${name}@example\\.com disabled deleted`,
        ),
      ),
    ),
  );
});

test('errors name the problem and the place', async () => {
  const { home, cluster } = instance;
  const stranger = await createAccount(cluster, { namespace: home, name: 'stranger', rules: {} });
  const away = { server: 'http://127.0.0.1:9', kubeconfig: join(folder, 'away.yaml') };
  const kubeconfig = await readFile(cluster.kubeconfig, 'utf8');
  await writeFile(away.kubeconfig, kubeconfig.replace(cluster.server, 'https://127.0.0.1:9'));
  const rows: readonly (readonly [args: string[], environment: object, code: number, says: string])[] = [
    [
      ['explain', 'new-chekout', '-n', home],
      {},
      66,
      `there is no flag "new-chekout" in the namespace "${home}". Did you mean "new-checkout"?`,
    ],
    [
      ['off', 'serch', '--env', 'production'],
      {},
      66,
      'there is no flag "serch" in the projects that you may read, except for the archive. Did you mean "search"?',
    ],
    [['on', 'search', '--env', 'prod'], {}, 66, 'prod'],
    [
      ['owners', 'search', '--kube-context', 'nowhere'],
      {},
      66,
      'no context "nowhere". Its contexts are: control-plane',
    ],
    [
      ['owners', 'search'],
      { KUBECONFIG: stranger.kubeconfig },
      77,
      `"${stranger.username}" may not list featureflags.vexil.dev`,
    ],
    [['owners', 'search'], { KUBECONFIG: away.kubeconfig }, 69, 'The API server cannot be reached: ECONNREFUSED'],
    [['history', 'search'], { VEXIL_TOKEN: 'wrong' }, 77, 'token'],
    [['history', 'search'], { VEXIL_SERVER: away.server }, 69, 'Vexil cannot be reached at http://127.0.0.1:9'],
    [['history', 'search'], { VEXIL_SERVER: '' }, 64, 'give --server or VEXIL_SERVER'],
    [
      ['explain', 'search', '--at', '2030-01-01'],
      {},
      64,
      '--at must be a time with a zone, such as 2026-01-31T12:00:00Z: it is "2030-01-01"',
    ],
    [
      ['owners', 'search', '-n', home, '--protected-managers', 'a b'],
      {},
      64,
      '--protected-managers must be names of field managers',
    ],
    [['history', 'search', '--limit', '0'], {}, 64, 'whole number from 1 to 1000'],
  ];
  const finished = await Promise.all(
    rows.map(([args, changed]) => vexil(args, { cwd: folder, environment: { ...environment(), ...changed } })),
  );
  expect(finished.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    rows.map(([, , code]) => ({ code, stdout: '' })),
  );
  for (const [index, [, , , says]] of rows.entries()) expect(finished[index]?.stderr).toContain(says);
});

test('kubectl runs it as a plugin', async () => {
  await symlink(PROGRAM, join(folder, 'kubectl-vexil'));
  const path = [folder, dirname(process.execPath), process.env['PATH']].join(delimiter);
  const { code, stdout, stderr } = await runProgram(
    instance.cluster.kubectlProgram,
    ['vexil', 'owners', 'same', '-n', instance.home],
    { environment: { ...environment(), PATH: path } },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^spec\.project +kustomize-controller/m);
});
