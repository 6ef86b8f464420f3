/**
 * The real kustomize-controller of Flux, unmodified. Its source is an artifact that the test publishes: the test writes
 * the status that source-controller would write.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import type { ControlPlaneAccess } from '../control-plane/access.ts';
import { freePorts } from '../control-plane/ports.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { Stored } from '../stored.ts';
import { modulePrograms } from '../tools/module-programs.ts';
import { type RunningServer, runServer } from '../tools/run-server.ts';
import { untilEstablished } from './until-established.ts';

const MODULE = 'github.com/fluxcd/kustomize-controller';
const FOLDER = fileURLToPath(new URL('../../tools/flux', import.meta.url));
const KUSTOMIZATION = fileURLToPath(new URL('../../../config/flux/kustomization.yaml', import.meta.url));
const SOURCES = 'source.toolkit.fluxcd.io';
/** The controller watches sources of each kind. */
const SOURCE_KINDS = ['GitRepository', 'OCIRepository', 'Bucket'] as const;

export interface FluxOptions {
  /** The namespace of the Kustomization, whose flags it applies. */
  readonly namespace: string;
  /** The ServiceAccount as which the controller applies. */
  readonly account: string;
}

/** A Kustomization after an attempt. */
export interface Attempt {
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface Flux {
  /** Commits manifests in place of the previous ones. Resolves when Flux has tried to apply them. */
  commit(manifests: readonly object[]): Promise<Attempt>;
  /** Asks for another attempt, as `flux reconcile` does. Resolves when it has ended. */
  reconcile(): Promise<Attempt>;
  stop(): Promise<void>;
}

/** Resolves when the controller runs and the Kustomization exists. The Kustomization is the shipped one. */
export async function startFlux(cluster: ControlPlaneAccess & { readonly kubeconfig: string }, options: FluxOptions) {
  const programs = await modulePrograms({
    ...{ module: MODULE, folder: 'flux', programs: ['kustomize-controller'] },
    packages: { 'kustomize-controller': MODULE },
    instead: 'leave out the test with the real Flux',
  });
  await installDefinitions(cluster);
  const folder = await mkdtemp(join(tmpdir(), 'vexil-flux-'));
  const artifacts = await serveArtifacts(folder);
  const controller = await runController(join(programs, 'kustomize-controller'), { ...options, cluster, folder });
  return { ...committing(cluster, { ...options, folder, url: artifacts.url }), stop } satisfies Flux;

  async function stop(): Promise<void> {
    await controller.stop();
    await artifacts.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The definition of Kustomization is that of Flux. Those of sources have no schema: only this test writes them. */
async function installDefinitions(cluster: ControlPlaneAccess): Promise<void> {
  const { code, stdout, stderr } = await runProgram('go', ['mod', 'download', '-json', MODULE], { cwd: FOLDER });
  if (code !== 0) throw new Error(`${MODULE} cannot be had: ${stderr}${stdout}`);
  const { Dir: folder }: { Dir: string } = JSON.parse(stdout);
  const file = join(folder, 'config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml');
  const definitions = [parse(await readFile(file, 'utf8')), ...SOURCE_KINDS.map(definitionOf)];
  await cluster.apply(definitions);
  await untilEstablished(cluster, definitions);
}

function definitionOf(kind: string) {
  const singular = kind.toLowerCase();
  const plural = singular.replace(/y?$/, (end) => (end ? 'ies' : 's'));
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${SOURCES}` },
    spec: { group: SOURCES, names: { kind, plural, singular }, scope: 'Namespaced', versions: [version] },
  };
}

/** Serves the files of a folder. */
async function serveArtifacts(folder: string) {
  const server = createServer((request, response) => {
    readFile(join(folder, request.url?.slice(1) ?? '')).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface ControllerParts extends FluxOptions {
  readonly cluster: { readonly kubeconfig: string };
  readonly folder: string;
}

async function runController(program: string, { cluster, folder, namespace }: ControllerParts): Promise<RunningServer> {
  const [port] = await freePorts(1);
  return runServer({
    program,
    args: ['--watch-all-namespaces=false', '--metrics-addr=0', `--health-addr=127.0.0.1:${port}`],
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig, RUNTIME_NAMESPACE: namespace, TMPDIR: folder },
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok ?? false,
  });
}

interface CommittingParts extends FluxOptions {
  readonly folder: string;
  readonly url: string;
}

function committing(
  { request }: ControlPlaneAccess,
  { namespace, account, folder, url }: CommittingParts,
): Omit<Flux, 'stop'> {
  const pathOf = (group: string, plural: string) => `/apis/${group}/v1/namespaces/${namespace}/${plural}/flags`;
  const repository = pathOf(SOURCES, 'gitrepositories');
  const kustomization = pathOf('kustomize.toolkit.fluxcd.io', 'kustomizations');
  const applied = {
    query: { fieldManager: 'test', force: true },
    contentType: 'application/apply-patch+yaml',
  } as const;
  let commits = 0;
  let requests = 0;

  /** Resolves when the present generation was tried for the commit and the request. */
  const ended = (requested: string | undefined): Promise<Attempt> =>
    waitUntil({ what: 'Flux has tried to apply the flags' }, async () => {
      const { metadata, status = {} }: Stored = (await request({ method: 'GET', path: kustomization })) as Stored;
      const ready = status.conditions?.find(({ type }: Stored) => type === 'Ready');
      const isOver =
        ['True', 'False'].includes(ready?.status) &&
        ready.observedGeneration === metadata.generation &&
        status.lastAttemptedRevision === revisionOf(commits) &&
        status.lastHandledReconcileAt === requested;
      return isOver && { isReady: ready.status === 'True', reason: ready.reason, message: ready.message };
    });

  const reconcile = async (): Promise<Attempt> => {
    requests += 1;
    const requested = `request ${requests}`;
    const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requested } } };
    await request({ method: 'PATCH', path: kustomization, contentType: 'application/merge-patch+json', body });
    return ended(requested);
  };

  return {
    reconcile,
    async commit(manifests) {
      commits += 1;
      const artifact = await pack(folder, { manifests, commits, url });
      const source = { apiVersion: `${SOURCES}/v1`, kind: 'GitRepository', metadata: { name: 'flags', namespace } };
      await request({ ...applied, method: 'PATCH', path: repository, body: { ...source, spec: { url } } });
      const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored', observedGeneration: 1 };
      const conditions = [{ ...ready, lastTransitionTime: artifact.lastUpdateTime }];
      const status = { ...source, status: { artifact, conditions, observedGeneration: 1 } };
      await request({ ...applied, method: 'PATCH', path: `${repository}/status`, body: status });
      const shipped = parse(await readFile(KUSTOMIZATION, 'utf8'));
      const spec = { ...shipped.spec, path: './', serviceAccountName: account, timeout: '20s' };
      const body = { ...shipped, metadata: { name: 'flags', namespace }, spec };
      await request({ ...applied, method: 'PATCH', path: kustomization, body });
      return reconcile();
    },
  };
}

const revisionOf = (commits: number) => `main@sha1:${`${commits}`.padStart(40, '0')}`;

interface Commit {
  readonly manifests: readonly object[];
  readonly commits: number;
  readonly url: string;
}

/** Writes the archive of a commit, and returns what source-controller says about it. */
async function pack(folder: string, { manifests, commits, url }: Commit) {
  const [name, content] = [`${commits}.tar.gz`, join(folder, `${commits}`)];
  await mkdir(content);
  await writeFile(join(content, 'flags.yaml'), manifests.map((one) => stringify(one)).join('---\n'));
  const { code, stderr } = await runProgram('tar', ['-czf', join(folder, name), '-C', content, '.']);
  if (code !== 0) throw new Error(`tar failed: ${stderr}`);
  const bytes = await readFile(join(folder, name));
  return {
    ...{ path: name, url: `${url}/${name}`, revision: revisionOf(commits), size: bytes.length },
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    lastUpdateTime: new Date().toISOString(),
  };
}
