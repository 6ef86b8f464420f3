/** `vexil lint` reports without a cluster what the API server and the operator would report with one. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { vexil } from '../support/command-line.ts';

const SAMPLES = fileURLToPath(new URL('../../config/samples', import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-lint-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function file(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

const lint = (...args: string[]) => vexil(['lint', ...args], { cwd: folder });

const PLATFORM = `apiVersion: vexil.dev/v1beta1
kind: Environment
metadata: { name: production }
spec: { type: production }
---
apiVersion: vexil.dev/v1beta1
kind: Project
metadata: { name: shop }
spec:
  environments: [production]
  flagNaming: { pattern: "shop-.*" }
`;

/** The manifest of a flag with these lines in its spec. */
const flag = (name: string, ...lines: string[]) =>
  `apiVersion: vexil.dev/v1beta1
kind: FeatureFlag
metadata:
  name: ${name}
spec:
  project: shop
${lines.map((line) => `  ${line}\n`).join('')}`;

const on = ['environments:', '  production:', '    enabled: true', '    strategies:', '      all: { name: default }'];
const off = ['environments:', '  production:', '    enabled: false', '    strategies:', '      all: { name: default }'];

test('the samples have no findings', async () => {
  const { code, stdout } = await lint(SAMPLES);
  expect(stdout).toMatch(/^22 objects checked, 0 errors, 0 warnings\n$/);
  expect(code).toBe(0);
});

test('--context-fields warns of other values than the legal ones, and refuses another file', async () => {
  await file('fields.json', JSON.stringify([{ name: 'region', legalValues: [{ value: 'eu' }] }]));
  const constraint = 'constraints: [{ contextName: region, operator: IN, values: [mars] }]';
  const strategies = [
    'environments:',
    '  production:',
    '    strategies:',
    `      all: { name: default, ${constraint} }`,
  ];
  await file('flags.yaml', `${PLATFORM}---\n${flag('shop-a', ...strategies)}`);
  const { code, stdout } = await lint('flags.yaml', '--context-fields', 'fields.json');
  expect(stdout).toContain('mars is no legal value of region (eu) (IllegalValue)');
  expect(code, stdout).toBe(0);
  const other = await lint('flags.yaml', '--context-fields', 'flags.yaml');
  expect([other.code, other.stderr]).toEqual([66, expect.stringContaining('flags.yaml')]);
});

test.each([
  ['before', ['first', 'second']],
  ['after', ['second', 'first']],
])('a segment without an id, %s one with id 1, gets another id', async (_, names) => {
  const segment = (name: string) =>
    `apiVersion: vexil.dev/v1beta1\nkind: Segment\nmetadata: { name: ${name} }\nspec: ${name === 'second' ? '{ id: 1 }' : '{}'}\n`;
  await file('segments.yaml', names.map(segment).join('---\n'));
  const { code, stdout } = await lint('.');
  expect(stdout).toContain('0 errors');
  expect(code).toBe(0);
});

test('each finding has its file, line and column, the problem, and the rule', async () => {
  await file('platform.yaml', PLATFORM);
  await file(
    'flags/a.yaml',
    `${flag('shop-typo', 'enviroments: {}')}---\n${flag('shop-off', ...on.slice(0, 3))}---
${flag('shop-decimals', ...on.slice(0, 4), '      half: { name: flexibleRollout, parameters: { rollout: "12.5" } }')}`,
  );
  await file('flags/b.yaml', flag('other', 'environments: { staging: { enabled: on } }'));
  await file('flags/c.json', '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}');
  await file('flags/d.yml', 'apiVersion: vexil.dev/v1beta1\nkind: FeatureFlg\nmetadata: { name: x }\n---\na: [');
  const { code, stdout } = await lint('platform.yaml', 'flags');
  expect(stdout.split('\n')).toEqual([
    'flags/a.yaml:7:3: error: unknown field spec.enviroments, the nearest one is environments (schema)',
    'flags/a.yaml:17:7: error: spec.environments.production.enabled: the flag is switched on in "production" but has no enabled strategy: add one or switch the flag off (EnabledWithoutStrategies)',
    'flags/a.yaml:29:54: error: spec.environments.production.strategies.half.parameters.rollout must match pattern "^(100|[0-9]{1,2})$", it is "12.5" (schema)',
    'flags/b.yaml:4:3: warning: spec.name: "other" does not match the naming pattern shop-.* of its project (NamingPatternMismatch)',
    'flags/b.yaml:7:19: error: spec.environments.staging: there is no environment "staging": create it or remove this entry (EnvironmentNotFound)',
    'flags/b.yaml:7:30: error: spec.environments.staging.enabled: the flag is switched on in "staging" but has no enabled strategy: add one or switch the flag off (EnabledWithoutStrategies)',
    'flags/d.yml:2:1: error: there is no FeatureFlg in vexil.dev/v1beta1: the kinds of vexil.dev/v1beta1 and vexil.dev/v1alpha1 are FeatureFlag, Project, Environment, FlagUser, FlagRole, ApiToken, StrategyDefinition, Segment, ChangeRequest, ChangeApproval, NotificationSink (unreadable)',
    expect.stringMatching(/^flags\/d\.yml:5:\d+: error: .+ \(unreadable\)$/),
    '6 objects checked, 7 errors, 1 warning, 1 object of other kinds passed over',
    '',
  ]);
  expect(code).toBe(1);
});

test('missing strategies, segments and parents are named as the operator names them', async () => {
  await file('platform.yaml', PLATFORM);
  const strategy = (text: string) => [...on.slice(0, 4), `      some: ${text}`];
  await file('a.yaml', flag('shop-a', ...strategy('{ name: userWithIds }')));
  await file('b.yaml', flag('shop-b', ...strategy('{ name: default, segments: [beta] }')));
  await file('c.yaml', flag('shop-c', 'dependencies: [{ feature: shop-d }]', ...on));
  const { code, stdout } = await lint('.');
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^a\.yaml:\d+:\d+: error: spec\.environments\.production\.strategies\.some.* \(UnknownStrategy\)$/,
    ),
    expect.stringMatching(
      /^b\.yaml:\d+:\d+: error: spec\.environments\.production\.strategies\.some.* \(SegmentNotFound\)$/,
    ),
    expect.stringMatching(/^c\.yaml:\d+:\d+: error: spec\.dependencies.* \(ParentNotFound\)$/),
    '5 objects checked, 3 errors, 0 warnings',
    '',
  ]);
  expect(code).toBe(1);
});

test('existing objects are context: they are not checked, and not missing', async () => {
  await file('platform/all.yaml', `${PLATFORM}---\n${flag('shop-broken', 'type: nonsense')}`);
  await file('flag.yaml', flag('shop-a', ...on));
  expect(await lint('flag.yaml', '--context', 'platform')).toMatchObject({
    code: 0,
    stdout: '1 object checked, 0 errors, 0 warnings\n',
  });
  const alone = await lint('flag.yaml');
  expect(alone.stdout).toContain('there is no project "shop"');
  expect(alone.code).toBe(1);
});

test('an object that is defined twice, and two flags of one name, are errors', async () => {
  await file('a.yaml', `${PLATFORM}---\n${flag('shop-a')}`);
  await file('b.yaml', `${flag('shop-a')}---\n${flag('shop-b', 'name: shop-a')}`);
  const { stdout } = await lint('a.yaml', 'b.yaml');
  expect(stdout).toContain(
    'b.yaml:4:3: error: FeatureFlag default/shop-a is also in a.yaml:16: the last one applied wins, remove one (Repeated)',
  );
  expect(stdout).toMatch(/b\.yaml:\d+:\d+: error: spec\.name: .* \(NameConflict\)/);
});

test('links and devices below a folder are not read', async () => {
  await file('flags/platform.yaml', PLATFORM);
  await file('secret.txt', 'password: *unknown\n');
  await symlink(join(folder, 'secret.txt'), join(folder, 'flags/link.yaml'));
  await symlink('/dev/zero', join(folder, 'flags/endless.yaml'));
  await symlink(folder, join(folder, 'flags/more'));
  const { code, stdout, stderr } = await lint('flags');
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '2 objects checked, 0 errors, 0 warnings\n',
    stderr: '',
  });
});

test('a path that is a link out of the folder is not read', async () => {
  await symlink('/proc/self/environ', join(folder, 'secret.yaml'));
  await symlink('/etc', join(folder, 'elsewhere'));
  for (const path of ['secret.yaml', 'elsewhere']) {
    const { code, stdout, stderr } = await lint(path);
    expect([code, stdout, stderr]).toEqual([
      66,
      '',
      expect.stringMatching(/ is a link to .*: name the file itself\n$/),
    ]);
  }
  await file('real.yaml', PLATFORM);
  await symlink('real.yaml', join(folder, 'inside.yaml'));
  expect((await lint('inside.yaml')).code).toBe(0);
});

test('standard input, lists, and warnings that fail on request', async () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n${[...PLATFORM.split('---\n'), flag('odd')]
    .map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}`)
    .join('\n')}\n`;
  const run = (...args: string[]) => vexil(['lint', '-', ...args], { input: list });
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('-:17:7: warning: spec.name:') });
  expect((await run('--strict')).code).toBe(1);
});

describe('output for programs', () => {
  beforeEach(async () => {
    await file('a b.yaml', `${PLATFORM}---\n${flag('shop-a', 'type: "50%, or so"')}`);
  });

  test('GitHub shows a finding at its line', async () => {
    const { stdout } = await lint('a b.yaml', '--format', 'github');
    expect(stdout).toBe(
      '::error file=a b.yaml,line=19,col=3,title=schema::spec.type must be one of release, experiment, operational, kill-switch, permission, it is "50%25, or so"\n',
    );
  });

  test('SARIF names the place and the rule', async () => {
    const { runs } = JSON.parse((await lint('a b.yaml', '--format', 'sarif')).stdout);
    expect(runs[0].tool.driver).toMatchObject({ name: 'vexil', rules: [{ id: 'schema' }] });
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'schema',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'a%20b.yaml' },
              region: { startLine: 19, startColumn: 3 },
            },
          },
        ],
      },
    ]);
  });

  test('JSON has counts and findings', async () => {
    const report = JSON.parse((await lint('a b.yaml', '--output', 'json')).stdout);
    expect(report).toMatchObject({ errors: 1, warnings: 0, checked: 3, findings: [{ file: 'a b.yaml', line: 19 }] });
  });
});

describe('against a commit', () => {
  async function gitIn(at: string, ...args: string[]): Promise<void> {
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
    expect((await runProgram('git', [...identity, ...args], { cwd: at })).code).toBe(0);
  }

  async function commitAll(at = folder): Promise<void> {
    await gitIn(at, 'init', '--quiet');
    await gitIn(at, 'add', '.');
    await gitIn(at, 'commit', '--quiet', '-m', 'Before');
  }

  /** Runs `vexil lint --against HEAD`, and returns the lines before the sum, and the exit status. */
  async function changes(args: readonly string[], cwd = folder) {
    const { code, stdout, stderr } = await vexil(['lint', ...args, '--against', 'HEAD'], { cwd });
    expect(stderr).toBe('');
    return { code, lines: stdout.split('\n').slice(0, -2) };
  }

  test('it names the flags that are switched in each environment, also as Markdown', async () => {
    await file('platform.yaml', PLATFORM);
    await file('a.yaml', flag('shop-a', ...on));
    await file('b.yaml', flag('shop-b', ...off));
    await file('c.yaml', flag('shop-c', ...on));
    await commitAll();
    await file('a.yaml', flag('shop-a', ...off));
    await file('b.yaml', flag('shop-b', ...off, '      more: { name: default }'));
    await rm(join(folder, 'c.yaml'));
    await file('d.yaml', flag('shop-d', ...on));

    const { code, stdout } = await lint('.', '--against', 'HEAD', '--summary', 'summary.md');
    expect(stdout.split('\n')).toEqual([
      'shop/shop-a: switched off in production',
      'shop/shop-b: changed while off in production',
      'shop/shop-d: created',
      'shop/shop-d: switched on in production',
      'shop/shop-c: removed',
      'shop/shop-c: switched off in production',
      '5 objects checked, 0 errors, 0 warnings',
      '',
    ]);
    expect(code).toBe(0);
    const summary = await readFile(join(folder, 'summary.md'), 'utf8');
    expect(summary).toContain('| `shop` | `shop-d` | `production` | switched on |');

    const wrong = await lint('.', '--against', 'nowhere');
    expect(wrong).toMatchObject({ code: 66, stdout: '', stderr: expect.stringContaining('nowhere') });
  });

  test('it names changed fields of flags and segments; an order of keys is no change', async () => {
    const segment = (value: string) => `apiVersion: vexil.dev/v1beta1
kind: Segment
metadata: { name: beta }
spec: { constraints: [{ contextName: userId, operator: IN, values: ["${value}"] }] }
`;
    const uses = [...on.slice(0, 4), '      beta: { name: default, segments: [beta] }'];
    const variant = 'variants: [{ name: blue, weightType: variable }]';
    await file('platform.yaml', PLATFORM);
    await file('segment.yaml', segment('1'));
    await file('a.yaml', flag('shop-a', ...uses));
    await file('b.yaml', flag('shop-b', ...off, '      more: { name: default }'));
    await commitAll();
    await file('segment.yaml', segment('2'));
    await file('a.yaml', flag('shop-a', variant, 'type: kill-switch', 'dependencies: [{ feature: shop-b }]', ...uses));
    await file('b.yaml', flag('shop-b', ...off.slice(0, 4), '      more: { name: default }', ...off.slice(4)));

    const { code, stdout } = await lint('.', '--against', 'HEAD', '--summary', 'summary.md', '--output', 'json');
    expect(JSON.parse(stdout).changes).toEqual([
      { flag: 'shop-a', project: 'shop', effect: 'changed', fields: ['dependencies', 'type', 'variants'] },
      { segment: 'beta', effect: 'changed', fields: ['constraints'], flags: ['shop/shop-a'] },
    ]);
    expect(code).toBe(0);
    const summary = await readFile(join(folder, 'summary.md'), 'utf8');
    expect(summary).toContain('| `shop` | `shop-a` |  | `dependencies`, `type`, `variants` changed |');
    expect(summary).toContain('|  | segment `beta` |  | `constraints` changed, used by `shop/shop-a` |');
    expect((await changes(['.'])).lines).toEqual([
      'shop/shop-a: dependencies, type, variants changed',
      'segment beta: constraints changed, used by shop/shop-a',
    ]);
  });

  test('it reads the same files as now: no hidden folders, no installed packages', async () => {
    await file('platform.yaml', PLATFORM);
    for (const place of ['.hidden', 'node_modules/x', 'flags/.old'])
      await file(`${place}/a.yaml`, flag('shop-a', ...on));
    await file('.named/b.yaml', flag('shop-b', ...on));
    await commitAll();
    expect(await changes(['.', '.named'])).toEqual({ code: 0, lines: [] });
  });

  test('it works in a folder of the repository, on folders next to and above it', async () => {
    await file('platform/all.yaml', PLATFORM);
    await file('team/flags/a b.yaml', flag('shop-a', ...on));
    await commitAll();
    await file('team/flags/a b.yaml', flag('shop-a', ...off));
    const expected = { code: 0, lines: ['shop/shop-a: switched off in production'] };
    const team = join(folder, 'team');
    expect(await changes(['flags', '--context', '../platform'], team)).toEqual(expected);
    expect(await changes(['../team/flags/a b.yaml', '--context', join(folder, 'platform')], team)).toEqual(expected);
  });

  test('a context of another repository, or of none, is read from the working tree', async () => {
    await file('flags/flags.yaml', flag('shop-a', ...off));
    await commitAll(join(folder, 'flags'));
    await file('flags/flags.yaml', flag('shop-a', ...on));
    const expected = { code: 0, lines: ['shop/shop-a: switched on in production'] };
    await file('flags/fetched/all.yaml', PLATFORM);
    expect(await changes(['flags.yaml', '--context', 'fetched'], join(folder, 'flags'))).toEqual(expected);
    await rm(join(folder, 'flags/fetched'), { recursive: true });
    await file('platform/all.yaml', PLATFORM);
    const beside = () => changes(['flags.yaml', '--context', '../platform'], join(folder, 'flags'));
    expect(await beside()).toEqual(expected);
    await commitAll(join(folder, 'platform'));
    expect(await beside()).toEqual(expected);
  });

  test('standard input is refused, because a commit has none', async () => {
    for (const args of [['-'], ['.', '--context', '-']]) {
      expect(await vexil(['lint', ...args, '--against', 'HEAD'], { cwd: folder, input: PLATFORM })).toMatchObject({
        ...{ code: 64, stdout: '' },
        stderr: expect.stringContaining('--against compares files with a commit, which has no standard input'),
      });
    }
  });
});

test.each([
  [['lint', 'missing.yaml'], 66, 'vexil: cannot read missing.yaml: '],
  [['lint'], 64, "missing required argument 'paths'"],
  [['lint', '--formt', 'text', '.'], 64, '(Did you mean --format?)'],
  [['lnt'], 64, '(Did you mean lint?)'],
] as const)('vexil %j exits with %i and prints the reason', async (args, code, says) => {
  const finished = await vexil(args, { cwd: folder });
  expect(finished).toMatchObject({ code, stdout: '' });
  expect(finished.stderr).toContain(says);
});
