/** `make release` from a clean clone, into a real registry: what it says, pushes and signs, and what users get. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runQuietly } from '../../scripts/image/run-quietly.ts';
import { publish } from '../../scripts/release/publish.ts';
import { releaseProgram } from '../../scripts/tools/release-programs.ts';
import { type Finished, runProgram } from '../../scripts/tools/run-program.ts';
import { sharedCluster } from '../support/cluster.ts';
import { type FreshClone, freshClone } from '../support/image/fresh-clone.ts';
import { readLayout } from '../support/image/layout-reader.ts';
import { type Registry, startRegistry } from '../support/image/registry.ts';
import { type Helm, manifestsIn, projectHelm } from '../support/tools/helm.ts';

const { version } = manifest;
const cluster = sharedCluster();
/** A row of the output: name, tag and digest. */
const ROW = /^ {2}(\S+):\d\S* {2}(sha256:[0-9a-f]{64}) /gm;

let registry: Registry;
let clone: FreshClone;
let folder: string;
let docker: string;
let dryRun: string;
let done: string;
let digests: ReadonlyMap<string, string>;
let helm: Helm;

beforeAll(async () => {
  registry = await startRegistry();
  folder = await mkdtemp(join(tmpdir(), 'vexil-release-test-'));
  docker = join(folder, 'docker');
  clone = await freshClone();
  await nameTheDate();
  await runQuietly(await releaseProgram('cosign'), ['generate-key-pair'], { cwd: folder, environment: KEY });
  await runQuietly(
    await releaseProgram('oras'),
    ['login', registry.host, '--username', registry.user, '--password-stdin'],
    { input: registry.password, environment: { DOCKER_CONFIG: docker } },
  );
  helm = await projectHelm(cluster.kubeconfig);
  const place = [`VERSION=${version}`, `REGISTRY=${registry.host}/team`];
  dryRun = outputOf(await clone.make(['release', ...place]));
  expect(await (await registry.get('/v2/_catalog')).json()).toEqual({ repositories: [] });
  const forReal = ['release', ...place, 'PUBLISH=yes', `KEY=${join(folder, 'cosign.key')}`];
  done = outputOf(await clone.make(forReal, credentials()));
  digests = new Map([...dryRun.matchAll(ROW)].map(([, name = '', digest = '']) => [name, digest]));
}, 1_200_000);

afterAll(async () => {
  await registry?.stop();
  await clone?.remove();
  await helm?.end();
  if (folder) await rm(folder, { recursive: true });
});

const KEY = { COSIGN_PASSWORD: 'the key of a test' };

function credentials(password = registry.password): Readonly<Record<string, string>> {
  return { REGISTRY_USER: registry.user, REGISTRY_PASSWORD: password, ...KEY };
}

function outputOf({ code, stdout, stderr }: Finished): string {
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Commits what the first step of a release asks for. */
async function nameTheDate(): Promise<void> {
  const file = join(clone.folder, 'CHANGELOG.md');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/^(## \S+), not yet released$/m, '$1, 2026-12-01'));
  const who = ['-c', 'user.name=Owner', '-c', 'user.email=owner@example.com'];
  await runQuietly('git', [...who, 'commit', '--quiet', '--allow-empty', '--all', '--message', 'Release'], {
    cwd: clone.folder,
  });
}

const digestOf = (name: string) => `${registry.host}/team/${name}@${digests.get(`${registry.host}/team/${name}`)}`;

async function cosign(...args: readonly string[]): Promise<Finished> {
  const key = ['--key', join(folder, 'cosign.pub'), '--insecure-ignore-tlog=true'];
  const [command = '', ...rest] = args;
  return runProgram(await releaseProgram('cosign'), [command, ...key, ...rest], {
    environment: { DOCKER_CONFIG: docker },
  });
}

test('the dry run names what the release publishes, with the digests that the registry has afterwards', async () => {
  expect([...digests.keys()].map((name) => name.replace(`${registry.host}/team/`, ''))).toEqual([
    'vexil',
    'charts/vexil',
    'charts/vexil-edge',
  ]);
  expect(dryRun).toContain('Nothing was published. PUBLISH=yes publishes this.');
  for (const [name, digest] of digests) {
    const path = `/v2/${name.replace(`${registry.host}/`, '')}/manifests/${version}`;
    const accept = 'application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json';
    const host = registry.host.replace('localhost', '127.0.0.1');
    const authorization = `Basic ${Buffer.from(`${registry.user}:${registry.password}`).toString('base64')}`;
    const answer = await fetch(`http://${host}${path}`, { headers: { accept, authorization } });
    expect([name, answer.headers.get('docker-content-digest')]).toEqual([name, digest]);
    expect(done).toContain(digest);
  }
  expect(`${dryRun}${done}`).not.toContain(registry.password);
});

test('the image that is pulled has both platforms, their bills of materials, and the provenance', async () => {
  const oras = await releaseProgram('oras');
  const environment = { DOCKER_CONFIG: docker };
  const pulled = join(folder, 'pulled');
  await runQuietly(oras, ['cp', '--to-oci-layout', digestOf('vexil'), `${pulled}:${version}`], { environment });
  const layout = await readLayout(pulled);
  expect(layout.manifests[0]?.digest).toBe(digests.get(`${registry.host}/team/vexil`));
  const root = join(folder, 'root');
  await mkdir(root);
  await layout.unpack('amd64', root);
  expect(await readFile(join(root, 'app/package.json'), 'utf8')).toContain('module');

  const typesOf = async (reference: string) => {
    const found = await runQuietly(oras, ['discover', '--format', 'json', reference], { environment });
    const { referrers } = JSON.parse(found);
    return referrers.map(({ artifactType }: { artifactType: string }) => artifactType);
  };
  expect(await typesOf(digestOf('vexil'))).toContain('application/vnd.in-toto+json');
  for (const architecture of ['amd64', 'arm64']) {
    const { digest } = await layout.imageOf(architecture);
    expect(await typesOf(`${registry.host}/team/vexil@${digest}`)).toContain('application/vnd.cyclonedx+json');
  }
});

test.each(['vexil', 'charts/vexil', 'charts/vexil-edge'])('the signature of %s is verified', async (name) => {
  expect(await cosign('verify', digestOf(name))).toMatchObject({ code: 0 });
});

test('attestations of provenance and bills of materials are verified, and another key is refused', async () => {
  const provenance = await cosign('verify-attestation', '--type', 'slsaprovenance1', digestOf('vexil'));
  expect(provenance).toMatchObject({ code: 0 });
  const { payload } = JSON.parse(provenance.stdout.trim().split('\n').at(-1) ?? '');
  const revision = (await runQuietly('git', ['rev-parse', 'HEAD'], { cwd: clone.folder })).trim();
  expect(Buffer.from(payload, 'base64').toString()).toContain(`"gitCommit":"${revision}"`);
  const layout = await readLayout(join(clone.folder, 'dist/image'));
  for (const architecture of ['amd64', 'arm64']) {
    const reference = `${registry.host}/team/vexil@${(await layout.imageOf(architecture)).digest}`;
    expect(await cosign('verify-attestation', '--type', 'cyclonedx', reference)).toMatchObject({ code: 0 });
  }
  const other = join(folder, 'other');
  await mkdir(other);
  await runQuietly(await releaseProgram('cosign'), ['generate-key-pair'], { cwd: other, environment: KEY });
  const refused = await cosign('verify', '--key', join(other, 'cosign.pub'), digestOf('vexil'));
  expect(refused.code).not.toBe(0);
});

test('SHA256SUMS is signed, and the signature is refused once a sum is changed', async () => {
  const files = join(clone.folder, 'dist/release');
  const args = ['verify-blob', '--bundle', join(files, 'SHA256SUMS.sigstore.json')];
  expect(await cosign(...args, join(files, 'SHA256SUMS'))).toMatchObject({ code: 0 });
  const changed = join(folder, 'SHA256SUMS');
  await writeFile(changed, (await readFile(join(files, 'SHA256SUMS'), 'utf8')).replace('a', 'b'));
  expect((await cosign(...args, changed)).code).not.toBe(0);
  expect(await readFile(join(files, 'notes.md'), 'utf8')).toContain(digestOf('vexil'));
});

test('helm installs the chart from the registry, with the image by its digest', async () => {
  const config = ['--plain-http', '--registry-config', join(docker, 'config.json')];
  const chart = [`oci://${registry.host}/team/charts/vexil`, '--version', version, ...config];
  const namespace = await cluster.freshNamespace('release');
  const rendered = manifestsIn(await helm.runOrThrow(['template', 'vexil', ...chart, '--namespace', namespace]));
  const deployment = rendered.find(({ kind }) => kind === 'Deployment');
  expect(deployment?.spec.template.spec.containers[0].image).toBe(digestOf('vexil'));
  const without = ['crds.install=false', 'rbac.aggregate=false', 'identities=false'];
  const admission = ['author', 'protectedEnvironments', 'freezes', 'auditEvents'].map(
    (name) => `admission.${name}=false`,
  );
  const set = [...without, ...admission].flatMap((value) => ['--set', value]);
  await helm.runOrThrow(['install', 'vexil', ...chart, '--namespace', namespace, '--no-hooks', ...set]);
  const installed = await cluster.kubectlOrThrow(['get', 'deployment', 'vexil', '-n', namespace, '-o', 'json']);
  expect(JSON.parse(installed).spec.template.spec.containers[0].image).toBe(digestOf('vexil'));
});

test('a version that is published already is not replaced, and nothing else of the release is pushed', async () => {
  const name = `${registry.host}/team/vexil`;
  const layout = join(clone.folder, 'dist/image');
  const other = { name, layout, bytes: 0, digest: `sha256:${'0'.repeat(64)}` };
  const chart = { ...other, name: `${registry.host}/team/charts/other` };
  const release = { version, image: chart, charts: [other], platforms: [], provenance: '', files: folder };
  const access = { docker, close: async () => undefined };
  const publishing = publish({ release, access, say: () => undefined });
  await expect(publishing).rejects.toThrow(
    `${name}:${version} is published already, with the digest ${digests.get(name)}`,
  );
  expect(await (await registry.get('/v2/_catalog')).text()).not.toContain('charts/other');
});

test('a wrong password is refused, and no output has it', async () => {
  const args = ['release', `VERSION=${version}`, `REGISTRY=${registry.host}/team`, 'PUBLISH=yes'];
  const answer = await clone.make(args, credentials('not-the-password'));
  expect(answer.code).not.toBe(0);
  expect(answer.stderr).toContain('oras login failed');
  expect(answer.stdout).not.toContain('for linux/amd64');
  expect(`${answer.stdout}${answer.stderr}`).not.toContain('not-the-password');
});
