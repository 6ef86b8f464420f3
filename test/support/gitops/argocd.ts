/** The real application controller and repo-server of Argo CD, unmodified, with the settings that Vexil ships. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
import { isListening } from '../tools/run-server.ts';
import { untilEstablished } from './until-established.ts';

const MODULE = 'github.com/argoproj/argo-cd/v3';
const FOLDER = fileURLToPath(new URL('../../tools/argocd', import.meta.url));
const SETTINGS = fileURLToPath(new URL('../../../config/argocd/argocd-cm.yaml', import.meta.url));
const VERIFIER = 'git-verify-wrapper.sh';
const HERE = 'https://kubernetes.default.svc';
const LOG_BYTES = 10_000;

export interface ArgoCdOptions {
  /** The namespace of Argo CD. */
  readonly place: string;
  /** The namespace of the flags. */
  readonly namespace: string;
  /** The ServiceAccount as which Argo CD syncs. */
  readonly account: string;
}

/** The Application after a sync. */
export interface Sync {
  /** `Succeeded` or `Failed`. */
  readonly phase: string;
  /** What the sync says, with a line for each object. */
  readonly message: string;
  /** `Synced`: the objects are what Git says. */
  readonly status: string;
  readonly health: string;
}

export interface ArgoCd {
  /** Commits manifests in place of the previous ones, and syncs. */
  commit(manifests: readonly object[]): Promise<Sync>;
  /** Syncs once more. */
  sync(): Promise<Sync>;
  /** Compares the objects with Git, without a sync. Resolves with the status. */
  compare(): Promise<Stored>;
  /** Sets `spec.syncPolicy`. */
  setPolicy(policy: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Resolves when the programs run and the Application exists. */
export async function startArgoCd(
  cluster: ControlPlaneAccess & { readonly kubeconfig: string },
  { place, namespace, account }: ArgoCdOptions,
): Promise<ArgoCd> {
  const programs = await modulePrograms({
    ...{ module: MODULE, folder: 'argocd', programs: ['argocd', 'redis'] },
    packages: { argocd: `${MODULE}/cmd`, redis: './redis' },
    instead: 'leave out the test with the real Argo CD',
  });
  const folder = await mkdtemp(join(tmpdir(), 'vexil-argocd-'));
  const repository = await createRepository(join(folder, 'repository'));
  const module = await downloadModule();
  // The image of Argo CD has this script in its PATH; files of modules are not executable.
  await mkdir(join(folder, 'bin'));
  const script = await readFile(join(module, 'hack', VERIFIER));
  await writeFile(join(folder, 'bin', VERIFIER), script, { mode: 0o755 });
  await install(cluster, { module, place });
  const application = { url: `file://${repository.path}`, place, namespace, account };
  await cluster.apply(objectsOf(application));
  const running = await startPrograms({ programs, folder, place, kubeconfig: cluster.kubeconfig });
  return {
    ...syncing(cluster, { place, repository }),
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves with the folder of the sources. */
async function downloadModule(): Promise<string> {
  const { code, stdout, stderr } = await runProgram('go', ['mod', 'download', '-json', MODULE], {
    cwd: FOLDER,
    environment: { GOTOOLCHAIN: 'auto' },
  });
  if (code !== 0) throw new Error(`${MODULE} cannot be had: ${stderr}${stdout}`);
  const { Dir }: { Dir: string } = JSON.parse(stdout);
  return Dir;
}

/** Creates the definitions of Argo CD, and its settings. */
async function install(
  cluster: ControlPlaneAccess,
  { module, place }: { readonly module: string; readonly place: string },
): Promise<void> {
  const definitions = await Promise.all(
    ['application', 'appproject'].map(async (name) => {
      return parse(await readFile(join(module, `manifests/crds/${name}-crd.yaml`), 'utf8'));
    }),
  );
  for (const body of definitions) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${body.metadata.name}`;
    // They are too large for the annotation of `kubectl apply`.
    const query = { fieldManager: 'test', force: true };
    await cluster.request({ method: 'PATCH', path, query, contentType: 'application/apply-patch+yaml', body });
  }
  await untilEstablished(cluster, definitions);

  const metadata = (name: string) => {
    return { name, namespace: place, labels: { 'app.kubernetes.io/part-of': 'argocd' } };
  };
  const { data } = parse(await readFile(SETTINGS, 'utf8'));
  const impersonation = { 'application.sync.impersonation.enabled': 'true' };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('argocd-cm') };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: metadata('argocd-secret') };
  await cluster.apply([
    Object.assign(settings, { data: { ...data, ...impersonation } }),
    Object.assign(secret, { stringData: { 'server.secretkey': 'only for this test' } }),
  ]);
}

interface ApplicationPlace extends ArgoCdOptions {
  readonly url: string;
}

function objectsOf({ url, place, namespace, account }: ApplicationPlace) {
  const destination = { server: HERE, namespace };
  const project = {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'default', namespace: place } },
    spec: {
      ...{ sourceRepos: ['*'], destinations: [destination] },
      destinationServiceAccounts: [{ ...destination, defaultServiceAccount: account }],
    },
  };
  const application = {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'flags', namespace: place } },
    spec: { project: 'default', destination, source: { repoURL: url, path: '.', targetRevision: 'HEAD' } },
  };
  return [project, application];
}

interface Repository {
  readonly path: string;
  /** Writes the manifests in place of the previous ones. */
  commit(manifests: readonly object[]): Promise<void>;
}

async function createRepository(path: string): Promise<Repository> {
  await mkdir(path);
  const git = async (...args: readonly string[]) => {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    const { code, stderr } = await runProgram('git', [...author, '-C', path, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  };
  const commit = async (manifests: readonly object[]) => {
    await writeFile(join(path, 'flags.yaml'), manifests.map((one) => stringify(one)).join('---\n'));
    await git('add', '.');
    await git('commit', '--quiet', '--allow-empty', '-m', 'change');
  };
  await git('init', '--quiet');
  await commit([]);
  return { path, commit };
}

interface ProgramParts {
  readonly programs: string;
  readonly folder: string;
  readonly place: string;
  readonly kubeconfig: string;
}

async function startPrograms({ programs, folder, place, kubeconfig }: ProgramParts) {
  const [redis = 0, repoServer = 0, repoMetrics = 0, metrics = 0] = await freePorts(4);
  const environment = {
    ...{ KUBECONFIG: kubeconfig, ARGOCD_FAKE_IN_CLUSTER: 'true', ARGOCD_GPG_ENABLED: 'false', TMPDIR: folder },
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    ...{ ARGOCD_TLS_DATA_PATH: join(folder, 'tls'), ARGOCD_SSH_DATA_PATH: join(folder, 'ssh') },
    ...{ ARGOCD_PLUGINSOCKFILEPATH: folder, ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock') },
    ARGOCD_CONTROLLER_SHARD: '0',
  };
  const cache = ['--redis', `127.0.0.1:${redis}`];
  const here = ['--address', '127.0.0.1', '--metrics-address', '127.0.0.1'];
  const begun: { stop(): Promise<void> }[] = [];
  const begin = async (name: string, port: number, args: readonly string[]) => {
    const program = join(programs, name === 'redis' ? name : 'argocd');
    const child = runUntilStopped(program, args, { ...process.env, ...environment, ARGOCD_BINARY_NAME: name });
    begun.push(child);
    await waitUntil({ what: `${name} listens` }, () => {
      child.throwIfEnded();
      return isListening(port);
    });
  };
  await begin('redis', redis, [`127.0.0.1:${redis}`]);
  const served = [
    '--port',
    `${repoServer}`,
    '--metrics-port',
    `${repoMetrics}`,
    '--disable-tls',
    '--client-ca-path',
    '',
  ];
  await begin('argocd-repo-server', repoServer, [...here, ...served, ...cache]);
  const kubernetes = ['--kubeconfig', kubeconfig, '--namespace', place, '--metrics-port', `${metrics}`];
  const manifests = ['--repo-server', `127.0.0.1:${repoServer}`, '--repo-server-plaintext'];
  await begin('argocd-application-controller', metrics, [...kubernetes, ...manifests, ...cache]);
  return {
    async stop() {
      for (const one of begun.reverse()) await one.stop();
    },
  };
}

function runUntilStopped(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  const keep = (chunk: Buffer) => {
    log = `${log}${chunk}`.slice(-LOG_BYTES);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return {
    throwIfEnded() {
      if (child.exitCode !== null) throw new Error(`${program} has ended:\n${log}`);
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface SyncingParts {
  readonly place: string;
  readonly repository: Repository;
}

function syncing({ request }: ControlPlaneAccess, { place, repository }: SyncingParts): Omit<ArgoCd, 'stop'> {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${place}/applications/flags`;
  const merge = (body: object) =>
    request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body }) as Promise<Stored>;
  const until = (what: string, isOver: (application: Stored) => boolean): Promise<Stored> =>
    waitUntil({ what }, async () => {
      const application = (await request({ method: 'GET', path })) as Stored;
      return isOver(application) && application;
    });
  let syncs = 0;

  const compare = async (): Promise<Stored> => {
    await merge({ metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } });
    const { status } = await until(
      'Argo CD has compared',
      ({ metadata, status: { reconciledAt } = {} }: Stored) =>
        reconciledAt !== undefined && metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
    );
    return status;
  };

  const sync = async (): Promise<Sync> => {
    await compare();
    syncs += 1;
    const name = `sync ${syncs}`;
    const { spec } = (await request({ method: 'GET', path })) as Stored;
    const { syncOptions } = spec.syncPolicy ?? {};
    await merge({ operation: { info: [{ name, value: name }], sync: { revision: 'HEAD', syncOptions } } });
    const { status } = await until('Argo CD has synced', ({ operation, status: { operationState } = {} }: Stored) => {
      const isLast = operationState?.operation.info?.[0].name === name;
      return operation === undefined && isLast && operationState.finishedAt !== undefined;
    });
    const { phase, message, syncResult } = status.operationState;
    const each = (syncResult?.resources ?? []).map(
      ({ kind, name: object, message: said }: Stored) => `${kind} ${object}: ${said}`,
    );
    const compared = await compare();
    return {
      ...{ phase, message: [message, ...each].join('\n') },
      ...{ status: compared.sync.status, health: compared.health.status },
    };
  };

  return {
    sync,
    compare,
    setPolicy: (syncPolicy) => merge({ spec: { syncPolicy } }),
    async commit(manifests) {
      await repository.commit(manifests);
      return sync();
    },
  };
}
