/** The repository has the hash of everything that is installed, also of the Node.js of the image. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execPath, version } from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import lockfile from '../../../package-lock.json' with { type: 'json' };
import { BASE_PACKAGES } from '../../../scripts/image/debian-packages.ts';
import { IMAGE_PLATFORMS } from '../../../scripts/image/platforms.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';

const root = join(import.meta.dirname, '../../..');

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  /** The C library. If absent, any C library. */
  readonly libc?: string | readonly string[];
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const all: Readonly<Record<string, Locked>> = lockfile.packages;
const { '': _, ...packages } = all;

test('every package has a hash', () => {
  const unhashed = Object.entries(packages).filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
  expect(unhashed.map(([path]) => path)).toEqual([]);
});

/**
 * Packages that have programs or libraries for single platforms, with those packages. The root has the Node.js of the
 * image.
 */
const withPlatforms = Object.entries(all)
  .map(([path, { optionalDependencies = {} }]) => ({
    path,
    variants: Object.keys(optionalDependencies)
      .map((name) => all[`${path}/node_modules/${name}`] ?? all[`node_modules/${name}`])
      .filter((locked) => locked !== undefined)
      .filter(({ os = [] }) => [os].flat().includes('linux')),
  }))
  .filter(({ variants }) => variants.length > 0);

test.each(['x64', 'arm64'])('packages for single platforms have one for Linux on %s, with a hash', (cpu) => {
  expect(withPlatforms.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['', 'node_modules/rolldown', 'node_modules/typescript']),
  );
  const isFor = (locked: Locked) =>
    [locked.cpu ?? []].flat().includes(cpu) && [locked.libc ?? 'glibc'].flat().includes('glibc');
  for (const { path, variants } of withPlatforms) {
    const hashes = variants.filter(isFor).map(({ integrity }) => integrity);
    expect(hashes, path).toEqual([expect.stringMatching(/^sha512-/)]);
  }
});

test('production dependencies have no native code, except Node.js itself', () => {
  const inProduction = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const paths = inProduction.map(([path]) => path);
  expect(paths).toContain('node_modules/pg');
  expect(
    paths.filter((path) =>
      /node_modules\/(node-gyp|node-gyp-build|node-addon-api|nan|prebuild-install|bindings)$/.test(path),
    ),
  ).toEqual([]);
  const installed = paths.filter(
    (path) => existsSync(join(root, path)) && !(basename(path) in manifest.optionalDependencies),
  );
  const native = installed.filter(
    (path) => globSync('{binding.gyp,**/*.node}', { cwd: join(root, path), exclude: ['node_modules'] }).length > 0,
  );
  expect(native).toEqual([]);
});

test('Node.js comes from packages of the lockfile: this one, that of the image, and that of other platforms', () => {
  const programs = Object.entries(packages).filter(([, { bin }]) => bin?.['node'] !== undefined);
  expect(programs.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual(
    Object.keys(manifest.optionalDependencies),
  );
  for (const [, locked] of programs) expect(`v${locked.version}`).toBe(version);
  const linked = realpathSync(join(root, 'node_modules/.bin/node'));
  expect(realpathSync(execPath)).toBe(linked);
  expect(programs.map(([path, { bin }]) => join(realpathSync(root), path, bin?.['node'] ?? ''))).toContain(linked);
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain('COPY --from=build /src/node_modules/.bin/node ');
});

test('Debian packages of the image have a version, and a hash for each platform', () => {
  expect(BASE_PACKAGES.map(({ name }) => name)).toEqual(expect.arrayContaining(['libc6', 'libstdc++6', 'libatomic1']));
  for (const { name, version: of, sha256 } of BASE_PACKAGES) {
    expect(of, name).toMatch(/^\d\S+$/);
    for (const platform of IMAGE_PLATFORMS) expect(sha256[platform], name).toMatch(/^[0-9a-f]{64}$/);
  }
});

test.each([
  ['of another version', ['--version', '9.9.9', '--registry', 'registry.example.com/team'], 'VERSION is "9.9.9"'],
  ['without a registry', ['--version', manifest.version], 'REGISTRY is ""'],
  ['without a folder', ['--version', manifest.version, '--registry', 'example.com'], 'REGISTRY is "example.com"'],
  ['with another word than yes', ['--publish', 'true'], 'PUBLISH is "true": it is "yes" or "no"'],
])('a release %s is refused before anything is made', async (_how, args, says) => {
  const { code, stdout, stderr } = await runProgram(execPath, [join(root, 'scripts/release/main.ts'), ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(says);
});

test.each([
  ['has none', { vulnerabilities: {} }, 0, '0 packages'],
  ['has one', { vulnerabilities: { odd: { severity: 'high', range: '<2' } } }, 1, 'high: odd <2'],
  [
    'does not answer',
    { message: '405 Method Not Allowed - POST https://registry.example.com/x' },
    75,
    'not checked: 405',
  ],
  ['answers what is no JSON', undefined, 75, 'not checked'],
])('a registry that %s of advisories', async (_what, report, code, says) => {
  const folder = await mkdtemp(join(tmpdir(), 'advisories-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const npm = join(folder, 'npm.cjs');
  await writeFile(
    npm,
    `process.stdout.write(${JSON.stringify(JSON.stringify(report) ?? 'sorry')}); process.exitCode = 1;`,
  );
  const env = { ...process.env, npm_execpath: npm };
  const answer = spawnSync(execPath, [join(root, 'scripts/advisories.ts')], { env, encoding: 'utf8' });
  expect([answer.status, answer.stdout]).toEqual([code, expect.stringContaining(says)]);
  expect(answer.stdout).not.toContain('registry.example.com');
});
