/** The image that `make image` makes without a container engine, from clean clones. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { BASE_PACKAGES } from '../../scripts/image/debian-packages.ts';
import type { Descriptor } from '../../scripts/image/oci-layout.ts';
import { runQuietly } from '../../scripts/image/run-quietly.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FreshClone, freshClone } from '../support/image/fresh-clone.ts';
import { type LayoutReader, readLayout } from '../support/image/layout-reader.ts';
import { nodeOfImage } from '../support/image/run-node.ts';
import { startOperatorProgram } from '../support/operator-program.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';

const cluster = sharedCluster();
const { version } = manifest;
let folder: string;
let clones: readonly FreshClone[];
let layout: LayoutReader;
let printed: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-image-test-'));
  clones = [await freshClone(), await freshClone()];
  printed = [];
  for (const clone of clones) {
    const { code, stdout, stderr } = await clone.make(['image', 'ENGINE=none']);
    if (code !== 0) throw new Error(stderr);
    printed = [...printed, stdout];
  }
  layout = await readLayout(join(clones[0]?.folder ?? '', 'dist/image'));
}, 900_000);

afterAll(async () => {
  for (const clone of clones ?? []) await clone.remove();
  await rm(folder, { recursive: true, force: true });
});

test('two clean clones make the same image, bit for bit', async () => {
  const [one, other] = await Promise.all(
    clones.map((clone) => readFile(join(clone.folder, 'dist/image/index.json'), 'utf8')),
  );
  expect(one).toBe(other);
  expect(printed[0]?.trim().split('\n').at(-1)).toBe(`vexil:${version}@${layout.manifests[0]?.digest}`);
  expect(printed[1]?.trim().split('\n').slice(-3)).toEqual(printed[0]?.trim().split('\n').slice(-3));
});

test('both platforms have a bill of materials, and the image has a provenance', async () => {
  const [index, ...referrers] = layout.manifests;
  const about = async ({ digest }: Descriptor) => (await layout.json(digest)).subject.digest;
  const images = await Promise.all(['amd64', 'arm64'].map(layout.imageOf));
  expect(await Promise.all(referrers.map(about))).toEqual([...images.map(({ digest }) => digest), index?.digest]);

  const contents = await Promise.all(
    referrers.map(async ({ digest }) => layout.json((await layout.json(digest)).layers[0].digest)),
  );
  const [bill, , statement] = contents;
  const names = bill.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['node', 'express', ...BASE_PACKAGES.map(({ name }) => name)]));
  expect(statement).toMatchObject({
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'vexil', digest: { sha256: index?.digest.replace('sha256:', '') } }],
  });
  const revision = (await runQuietly('git', ['rev-parse', 'HEAD'], { cwd: clones[0]?.folder ?? '' })).trim();
  const [source, ...others] = statement.predicate.buildDefinition.resolvedDependencies;
  expect(source.digest).toEqual({ gitCommit: revision });
  expect(others).toHaveLength(2 * (BASE_PACKAGES.length + 1));
});

test.each(['amd64', 'arm64'])('the image for %s says its version, and its operator starts', async (architecture) => {
  const root = join(folder, architecture);
  await mkdir(root);
  await layout.unpack(architecture, root);
  const node = await nodeOfImage(root, architecture);
  const main = join(root, 'app/main.js');
  expect(await runQuietly(node, [main, '--version'])).toContain(`vexil ${version} `);
  expect(await runQuietly(node, ['--print', 'process.arch'])).toBe(architecture === 'arm64' ? 'arm64\n' : 'x64\n');

  const home = await cluster.freshNamespace(`image-${architecture}`);
  const KUBECONFIG = await grantOperatorRoles(cluster, home, []);
  const settings = { KUBECONFIG, VEXIL_NAMESPACE: home, VEXIL_HTTP_PORT: '0', VEXIL_OPS_PORT: '0', VEXIL_AUTH: 'none' };
  const running = startOperatorProgram({ settings, program: main, node });
  try {
    const { httpPort } = await running.listening;
    await waitUntil({ what: 'the operator is healthy', timeoutMs: 120_000 }, async () => {
      const answer = await fetch(`http://127.0.0.1:${httpPort}/health`);
      return answer.status === 200 && (await answer.text()).includes('GOOD');
    });
  } finally {
    await running.stop();
  }
});

test.each(['amd64', 'arm64'])('the image for %s evaluates flags as this machine does', async (architecture) => {
  const root = join(folder, `evaluates-${architecture}`);
  await mkdir(root);
  await layout.unpack(architecture, root);
  const node = await nodeOfImage(root, architecture);
  const samples = join(clones[0]?.folder ?? '', 'config/samples');
  const built = join(clones[0]?.folder ?? '', 'dist/cli.js');
  const args = ['evaluate', '-f', samples, '--at', '2026-12-01T08:00:00Z', '--context', 'userId=ada'];
  const here = await runQuietly(process.execPath, [built, ...args, '--output', 'json']);
  expect(JSON.parse(here).length).toBeGreaterThan(10);
  expect(await runQuietly(node, [join(root, 'app/cli.js'), ...args, '--output', 'json'])).toBe(here);
});

test('unit tests of the evaluator pass on arm64', async () => {
  const root = join(folder, 'unit-tests');
  await mkdir(root);
  await layout.unpack('arm64', root);
  const node = await nodeOfImage(root, 'arm64');
  const cwd = clones[1]?.folder ?? '';
  // Vitest has native parts, and the lockfile has their hashes for each platform.
  const platform = ['--os=linux', '--cpu=arm64', '--libc=glibc', '--ignore-scripts', '--prefer-offline'];
  await runQuietly('npm', ['ci', '--silent', ...platform], { cwd });
  // An emulator cannot start another process of the other platform.
  const how = [
    '--project=unit',
    '--pool=threads',
    '--maxWorkers=1',
    '--reporter=json',
    '--outputFile=dist/report.json',
  ];
  const files = ['constraints', 'murmur-hash', 'specification'].map((name) => `test/unit/evaluation/${name}.test.ts`);
  await runQuietly(node, ['node_modules/vitest/vitest.mjs', 'run', ...how, ...files], { cwd });
  const { numTotalTests, numPassedTests } = JSON.parse(await readFile(join(cwd, 'dist/report.json'), 'utf8'));
  expect(numPassedTests).toBe(numTotalTests);
  expect(numTotalTests).toBeGreaterThan(300);
});

test('the base has authorities, time zones and a user, and neither a shell nor a package manager', async () => {
  const root = join(folder, 'content');
  await mkdir(root);
  await layout.unpack('amd64', root);
  const read = (path: string) => readFile(join(root, path), 'utf8');
  expect((await read('etc/ssl/certs/ca-certificates.crt')).match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(100);
  expect(await read('etc/passwd')).toContain('nonroot:x:65532:65532');
  expect(await read('usr/lib/os-release')).toContain('VERSION_ID="12"');
  const control = parse((await read('var/lib/dpkg/status.d/libc6')).split('\nDescription:')[0] ?? '');
  expect(control.Package).toBe('libc6');
  const programs = await runQuietly('find', ['.', '-type', 'f', '-perm', '/111', '-path', '*bin/*'], { cwd: root });
  expect(programs).not.toMatch(/bin\/(sh|bash|dash|apt|dpkg|npm)\n/);
  await read('usr/share/zoneinfo/Europe/Berlin');
});
