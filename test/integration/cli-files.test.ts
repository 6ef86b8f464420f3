/** `vexil evaluate`, `test`, `import` and `completion` work on files, without a cluster. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { lint } from '../../cli/lint/lint.ts';
import { readSources } from '../../cli/manifests/source.ts';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { readYaml } from '../../src/model/yaml/yaml.ts';
import { PROGRAM, vexil, vexilProcess } from '../support/command-line.ts';
import { plainScalars } from '../support/plain-scalars.ts';

const SAMPLES = fileURLToPath(new URL('../../config/samples', import.meta.url));
const ACTION = fileURLToPath(new URL('../../action.yml', import.meta.url));
const IMPORTS = fileURLToPath(new URL('../samples/import', import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function file(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

const run = (...args: string[]) => vexil(args, { cwd: folder });

/** The path and text of each file, ordered by path. */
async function filesIn(name: string): Promise<string> {
  const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files.sort().map(async (path) => {
    const below = path.slice(join(folder, name).length + 1).replaceAll(sep, '/');
    return `### ${below}\n${await readFile(path, 'utf8')}`;
  });
  return (await Promise.all(texts)).join('');
}

describe('without a network', () => {
  const CASES = 'cases: [{ flag: Beta.Reports, environment: production, enabled: false, context: { userId: "7" } }]';
  const ATTEMPTED = 99;
  /** Node.js may open no connection. It ends at the first attempt, which the program could otherwise hide. */
  const preload = `import { Socket } from 'node:net'; Socket.prototype.connect = () => process.exit(${ATTEMPTED});`;
  const NODE_OPTIONS = [
    ...['--permission', '--allow-fs-read=*', '--allow-fs-write=*'],
    `--import data:text/javascript,${encodeURIComponent(preload)}`,
  ].join(' ');
  const environment = { VEXIL_SERVER: 'http://127.0.0.1:4242', NODE_OPTIONS };
  const offline = (args: readonly string[]) => vexilProcess(args, { cwd: folder, environment });

  test.each([
    { args: ['lint', SAMPLES] },
    // It reads and evaluates as evaluate does.
    { args: ['test', 'cases.yaml', '-f', SAMPLES] },
  ])('$args.0 works, and opens no connection', async ({ args }) => {
    await file('cases.yaml', CASES);
    expect(await offline(args)).toMatchObject({ code: 0, stderr: '' });
  });

  test('import works, and opens no connection', async () => {
    const { code, stdout } = await offline(['import', join(IMPORTS, 'unleash-4.yaml'), '--to', 'out']);
    // The import leaves something out.
    expect([code, stdout]).toEqual([1, expect.stringContaining('files written')]);
  });

  test('the test detects a command that calls a server', async () => {
    expect((await offline(['history', 'x'])).code).toBe(ATTEMPTED);
  });
});

describe('vexil evaluate', () => {
  test('shows the results of flags for a context, with the reasons', async () => {
    const { code, stdout } = await run('evaluate', '-f', SAMPLES, '--env', 'production', '--context', 'sessionId=1');
    expect(stdout.split('\n')).toEqual([
      'shop/Beta.Reports in production: Off: the flag is not switched on in "production".',
      'shop/button-colour in production: On: The strategy "half" (flexibleRollout) applies: bucket 24 of 100 (sessionId "1" in group "button-colour") is within the limit 50.',
      '  variant control',
      'shop/card-payments in production: On: The strategy "everyone" (default) applies: all that it asks for holds.',
      'shop/faster-search in production: Off: no strategy applies. The strategy "gradual" (flexibleRollout) does not apply: the context has no "userId", so there is no bucket.',
      'shop/gift-wrapping in production: On: The strategy "everyone" (default) applies: all that it asks for holds.',
      'shop/guest-checkout in production: On: The strategy "everyone" (default) applies: all that it asks for holds.',
      'shop/old-invoices in production: Off: the flag is not switched on in "production".',
      'shop/one-page-checkout in production: Off: the flag is not switched on in "production".',
      'shop/winter-sale in production: Off: the flag is not switched on in "production".',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('prints JSON in the shape of the API, also for another time', async () => {
    const at = 'at.yaml';
    await file(
      at,
      `apiVersion: vexil.dev/v1beta1
kind: FeatureFlag
metadata: { name: sale, namespace: shop }
spec:
  project: shop
  environments:
    staging:
      enabled: true
      activeUntil: "2026-08-01T02:00:00+02:00"
      strategies:
        from-july:
          name: default
          constraints: [{ contextName: currentTime, operator: DATE_AFTER, value: "2026-07-01T00:00:00Z" }]
`,
    );
    const ask = (time: string) =>
      run('evaluate', '-f', SAMPLES, '-f', at, '--flag', 'sale', '--env', 'staging', '--at', time, '--output', 'json');
    const later = JSON.parse((await ask('2026-07-02T00:00:00Z')).stdout);
    expect(later).toMatchObject([
      { project: 'shop', feature: 'sale', environment: 'staging', enabled: true, why: { strategy: 'from-july' } },
    ]);
    expect(JSON.parse((await ask('2026-06-30T00:00:00Z')).stdout)).toMatchObject([{ enabled: false }]);
    expect(JSON.parse((await ask('2026-08-01T00:00:00Z')).stdout)).toMatchObject([
      { enabled: false, why: { text: 'Off: the window in "staging" closed at 2026-08-01T02:00:00+02:00.' } },
    ]);
    const cases = ['2026-07-31T23:59:59Z', '2026-08-01T00:00:00Z'].map(
      (time) => `{ flag: sale, environment: staging, at: ${time}, enabled: true }`,
    );
    await file('cases.yaml', `cases: [${cases}, { flag: sale, environment: staging, enabled: true }]`);
    const files = ['test', 'cases.yaml', '-f', SAMPLES, '-f', at, '--at', '2026-07-02T00:00:00Z', '--output', 'json'];
    const report = JSON.parse((await run(...files)).stdout);
    expect(report.cases.map(({ passed }: { passed: boolean }) => passed)).toEqual([true, false, true]);
  });

  test.each([
    [
      ['--flag', 'one-page-chekout'],
      66,
      'there is no flag "one-page-chekout" in the files, the nearest is "one-page-checkout"',
    ],
    [['--at', '2026-07-02'], 64, '--at must be a time with a zone'],
    [['--context', 'userId'], 64, '"userId" is not NAME=VALUE'],
    [['-f', 'bad.yaml'], 66, 'bad.yaml:4:9: unknown field spec.enviroments, the nearest one is environments (schema)'],
  ] as const)('%j exits with %i and prints the reason', async (args, code, says) => {
    await file(
      'bad.yaml',
      'apiVersion: vexil.dev/v1beta1\nkind: FeatureFlag\nmetadata: { name: bad }\nspec: { enviroments: {} }\n',
    );
    const finished = await run('evaluate', '-f', SAMPLES, ...args);
    expect(finished).toMatchObject({ code, stdout: '' });
    expect(finished.stderr).toContain(says);
  });
});

describe('vexil test', () => {
  const CASES = `cases:
- name: testers <see> it
  flag: Beta.Reports
  environment: staging
  context: { userId: 7 }
  enabled: true
- flag: button-colour
  environment: production
  context: { sessionId: "1" }
  enabled: true
  variant: blue
- flag: button-colour
  environment: development
  enabled: true
  variant: blue
`;

  test('compares results with the expected ones; a random result is a failure', async () => {
    await file('cases.yaml', CASES);
    const { code, stdout } = await run('test', 'cases.yaml', '-f', SAMPLES);
    expect(stdout.split('\n')).toEqual([
      'cases.yaml:7:3: failed: button-colour in production for sessionId=1: expected on with the variant "blue", but On: The strategy "half" (flexibleRollout) applies: bucket 24 of 100 (sessionId "1" in group "button-colour") is within the limit 50. The variant is "control".',
      'cases.yaml:12:3: failed: button-colour in development: the answer is random: add the field of the stickiness to the context, such as userId or sessionId',
      '3 cases, 2 failed',
      '',
    ]);
    expect(code).toBe(1);
    const { stdout: xml } = await run('test', 'cases.yaml', '-f', SAMPLES, '--output', 'junit');
    expect(xml).toContain('<testsuite name="cases.yaml" tests="3" failures="2" errors="0">');
    expect(xml).toContain(
      '<testcase name="testers &lt;see&gt; it" classname="Beta.Reports" file="cases.yaml" line="2"/>',
    );
  });

  test('an invalid case is reported with its place', async () => {
    await file('cases.yaml', CASES.replace('variant: blue', 'varint: blue'));
    const { code, stderr } = await run('test', 'cases.yaml', '-f', SAMPLES);
    expect(stderr).toContain('cases.yaml:7:3: cases.1 has unknown properties: varint. Remove them.');
    expect(code).toBe(66);
  });
});

describe('vexil import', () => {
  // In these samples, versions 2 and 3 contain nothing that Vexil lacks.
  test.each([
    ['unleash-1.json', 1],
    ['unleash-2.json', 0],
    ['unleash-3.yaml', 0],
    ['unleash-4.yaml', 1],
    ['unleash-environment.json', 1],
    ['openfeature-operator.yaml', 1],
    ['flagd.json', 1],
    ['goff.yaml', 1],
    ['configcat.json', 1],
    ['flipt.yaml', 1],
    ['flagsmith.json', 1],
    ['launchdarkly-flags.json', 1],
  ])('%s becomes files that lint accepts, and a list of the parts that are left out', async (name, status) => {
    const args = ['import', join(IMPORTS, name), '--to', 'out', '--output', 'json'];
    const { code, stdout } = await run(...args);
    expect(code).toBe(status);
    const golden = join(IMPORTS, 'golden', name.replace(/[.].*$/, '.txt'));
    await expect(`${await filesIn('out')}### report\n${stdout}`).toMatchFileSnapshot(golden);
    const sources = await readSources([join(folder, 'out')], () => Promise.resolve(''));
    const { findings } = await lint({ sources, context: [], namespace: 'default', now: Date.now() });
    expect(findings).toEqual([]);
  });

  test('reads existing objects from the context, and overwrites no file by default', async () => {
    await file(
      'platform.yaml',
      `apiVersion: vexil.dev/v1beta1
kind: Environment
metadata: { name: production, namespace: vexil-system }
---
apiVersion: vexil.dev/v1beta1
kind: Segment
metadata: { name: staff, namespace: vexil-system }
spec: { constraints: [{ contextName: userId, operator: IN, values: ["7"] }] }
`,
    );
    const source = join(IMPORTS, 'unleash-environment.json');
    const args = ['import', source, '--to', 'out', '--context', 'platform.yaml', '--namespace', 'shop'];
    expect(await run(...args)).toMatchObject({ stdout: '3 files written, 0 unchanged, 3 not mapped\n' });
    const flag = 'out/shop/featureflags/instalments.yaml';
    expect(await readFile(join(folder, flag), 'utf8')).toContain('- staff');
    await file(flag, 'spec: {}\n');
    const refused = await run(...args);
    expect(refused).toMatchObject({ code: 66, stdout: '' });
    expect(refused.stderr).toContain(`these files are there with another content: ${flag}.`);
    expect(await readFile(join(folder, flag), 'utf8')).toBe('spec: {}\n');
    expect((await run(...args, '--overwrite')).stdout).toBe('1 file written, 2 unchanged, 3 not mapped\n');
  });

  test('reads the body of an import into one environment as the export that it wraps', async () => {
    const data = JSON.parse(await readFile(join(IMPORTS, 'unleash-environment.json'), 'utf8'));
    await file('wrapped.json', JSON.stringify({ project: 'pay', environment: 'staging', data }));
    await run('import', 'wrapped.json', '--to', 'out');
    const { spec } = parse(await readFile(join(folder, 'out/vexil-system/featureflags/payments.yaml'), 'utf8'));
    expect([spec.project, Object.keys(spec.environments)]).toEqual(['pay', ['staging']]);
    expect(spec.environments.staging.strategies).not.toEqual({});
  });

  test('keeps every text of JSON, and evaluate reads it as the cluster does', async () => {
    const features = [{ name: 'staff-only', project: 'default', type: 'release', dependencies: [] }];
    const parts = Object.values(Object.groupBy(plainScalars, (text) => plainScalars.indexOf(text) % 10));
    const strategies = parts.map((values = [], index) => ({
      id: `11111111-1111-4111-8111-11111111111${index}`,
      ...{ featureName: 'staff-only', projectId: 'default', environment: 'development', strategyName: 'default' },
      parameters: Object.fromEntries(values.map((text) => [text, text])),
      constraints: [{ contextName: 'userId', operator: 'IN', values }],
    }));
    const on = { featureName: 'staff-only', environment: 'development', enabled: true };
    const state = { version: 4, features, featureStrategies: strategies, featureEnvironments: [on] };
    await file('state.json', JSON.stringify(state));
    const imported = await run('import', 'state.json', '--to', 'out');
    expect(imported).toMatchObject({ code: 0, stdout: '3 files written, 0 unchanged, 0 not mapped\n' });
    const [source] = await readSources([join(folder, 'out/vexil-system/featureflags')], () => Promise.resolve(''));
    const spec = Object(readYaml(source?.text ?? '')).spec;
    const written = Object.values<(typeof strategies)[number]>(spec.environments.development.strategies);
    for (const [index, { parameters, constraints }] of strategies.entries()) {
      expect(written[index]).toMatchObject({ parameters, constraints });
    }
    const { stdout } = await run('evaluate', '-f', 'out', '--context', 'userId=E1001', '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ enabled: true }]);
  });

  test('a file of another format is refused', async () => {
    await file('package.json', '{"name": "x"}');
    const refused = await run('import', 'package.json', '--to', 'out');
    expect(refused).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('package.json: the format is not known'),
    });
  });
});

test('bash completes commands, options and choices from the program', async () => {
  await file('completion.bash', (await run('completion', 'bash')).stdout);
  const complete = async (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `. ./completion.bash; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _vexil; echo "\${COMPREPLY[@]}"`;
    return (await runProgram('bash', ['-c', script], { cwd: folder })).stdout.trim();
  };
  expect(await complete('vexil', 'ev')).toBe('evaluate');
  expect(await complete('vexil', 'lint', '--ag')).toBe('--against');
  expect(await complete('vexil', 'lint', '--format', 's')).toBe('sarif');
  expect(await complete('vexil', 'completion', 'z')).toBe('zsh');
  expect(await complete('vexil', 'ramp', 'st')).toBe('start');
  expect(await complete('vexil', 'lint', 'flags')).toBe('');
});

test('the container action gives its inputs to the program', async () => {
  const action = parse(await readFile(ACTION, 'utf8'));
  const program = pathToFileURL(PROGRAM).href;
  const args: string[] = action.runs.args.map((arg: string) => arg.replace('/app/cli.js', program));
  await file('platform.yaml', 'apiVersion: vexil.dev/v1beta1\nkind: Environment\nmetadata: { name: production }\n');
  await file(
    'flag.yaml',
    'apiVersion: vexil.dev/v1beta1\nkind: FeatureFlag\nmetadata: { name: a }\nspec: { typ: x }\n',
  );
  const environment = { INPUT_COMMAND: 'lint', INPUT_PATHS: 'flag.yaml\n', INPUT_CONTEXT: 'platform.yaml' };
  const defaults = { INPUT_NAMESPACE: action.inputs.namespace.default, INPUT_STRICT: action.inputs.strict.default };
  const linted = await runProgram(process.execPath, args, {
    cwd: folder,
    environment: { ...environment, ...defaults },
  });
  expect(linted).toMatchObject({ code: 1, stderr: '' });
  expect(linted.stdout).toContain('::error file=flag.yaml,line=4,col=9,title=schema::unknown field spec.typ');
});
