/** The control plane that the other tests use. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectBinaries } from '../../../scripts/tools/control-plane/project-binaries.ts';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { sharedCluster } from '../../support/cluster.ts';
import { installDefinitions } from '../../support/control-plane/install-definitions.ts';
import { isRunning } from '../../support/control-plane/is-running.ts';
import { layOut } from '../../support/control-plane/layout.ts';
import { PortTakenError, waitUntilReady } from '../../support/control-plane/readiness.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { startSupervisor } from '../../support/control-plane/supervise.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';

const cluster = sharedCluster();

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  scope: Namespaced
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
`;

/** Returns the listening ports as the kernel reports them. */
async function listeningPortsOf(pid: number): Promise<readonly number[]> {
  const open = (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''));
  const sockets = new Set((await Promise.all(open)).map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]));
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')));
  const rows = tables.flatMap((table) => table.split('\n').map((row) => row.trim().split(/\s+/)));
  const LISTENS = '0A';
  return rows
    .filter(([, , , state, , , , , , inode]) => state === LISTENS && sockets.has(inode))
    .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16));
}

interface Traces {
  readonly directory: string;
  readonly pids: readonly number[];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function nothingIsLeftOf({ directory, pids }: Traces): Promise<boolean> {
  const running = await Promise.all(pids.map(isRunning));
  return !running.includes(true) && !(await exists(directory));
}

function tracesOf(controlPlane: ControlPlane): Traces {
  const { supervisor, etcd, apiServer } = controlPlane.pids();
  return { directory: controlPlane.directory, pids: [supervisor, etcd ?? 0, apiServer ?? 0] };
}

function resourceVersionOf(controlPlane: ControlPlane, name: string): Promise<string> {
  return controlPlane.kubectlOrThrow(['get', 'configmap', name, '--output=jsonpath={.metadata.resourceVersion}']);
}

describe('the shared control plane', () => {
  it('knows its own version, on which feature gates depend', async () => {
    const { kubeApiserver } = await projectBinaries();
    const { stdout } = await runProgram(kubeApiserver, ['--version']);
    const { serverVersion } = JSON.parse(await cluster.kubectlOrThrow(['version', '--output=json']));
    expect(stdout.trim()).toBe(`Kubernetes ${serverVersion.gitVersion}`);
    expect(serverVersion.gitVersion.startsWith(`v${serverVersion.major}.${serverVersion.minor}.`)).toBe(true);
  });

  it('reads what is applied from standard input', async () => {
    const namespace = await cluster.freshNamespace('input');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace }, data: { key: 'value' } };
    await cluster.kubectlOrThrow(['apply', '--server-side', '--filename=-'], { input: JSON.stringify(object) });
    const args = ['get', 'configmap', 'a', '--namespace', namespace, '--output=jsonpath={.data.key}'];
    expect(await cluster.kubectlOrThrow(args)).toBe('value');
  });

  it('has the error message of kubectl in the error', async () => {
    await expect(cluster.kubectlOrThrow(['get', 'configmap', 'absent'])).rejects.toThrow(/"absent" not found/);
  });

  it('gives a ServiceAccount exactly the rights of RBAC', async () => {
    const namespace = await cluster.freshNamespace('account');
    const inNamespace = ['--namespace', namespace];
    await cluster.kubectlOrThrow(['create', 'serviceaccount', 'reader', ...inNamespace]);
    const kubeconfig = await cluster.kubeconfigFor({ namespace, name: 'reader' });
    const list = () => cluster.kubectl(['get', 'configmaps'], { kubeconfig });

    expect(await list()).toMatchObject({ code: 1, stderr: expect.stringContaining('Forbidden') });

    await cluster.kubectlOrThrow(['create', 'role', 'reader', '--verb=list', '--resource=configmaps', ...inNamespace]);
    const account = `--serviceaccount=${namespace}:reader`;
    await cluster.kubectlOrThrow(['create', 'rolebinding', 'reader', '--role=reader', account, ...inNamespace]);

    await waitUntil({ what: 'the role is in effect' }, async () => (await list()).code === 0);
    expect(await cluster.kubectl(['get', 'secrets'], { kubeconfig })).toMatchObject({ code: 1 });
  });
});

describe('a control plane of its own', () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });

  afterAll(() => controlPlane.stop());

  it('shares nothing with another one', async () => {
    await controlPlane.kubectlOrThrow(['create', 'namespace', 'only-here']);
    expect(controlPlane.server).not.toBe(cluster.server);
    expect(await cluster.kubectl(['get', 'namespace', 'only-here'])).toMatchObject({ code: 1 });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('keeps address and data over a restart by %s', async (signal) => {
    const name = `kept-${signal.toLowerCase()}`;
    await controlPlane.kubectlOrThrow(['create', 'configmap', name]);
    const version = await resourceVersionOf(controlPlane, name);
    const before = controlPlane.pids();

    await controlPlane.stopApiServer({ signal });
    expect(controlPlane.pids().apiServer).toBeUndefined();
    expect(await controlPlane.kubectl(['get', 'configmaps'])).toMatchObject({ code: 1 });
    await controlPlane.startApiServer();

    expect(await resourceVersionOf(controlPlane, name)).toBe(version);
    expect(controlPlane.pids()).toMatchObject({ supervisor: before.supervisor, etcd: before.etcd });
    expect(controlPlane.pids().apiServer).not.toBe(before.apiServer);
  });

  it('has an etcd that is accessible to no other user of the machine, and to no web page', async () => {
    const { etcd = 0 } = controlPlane.pids();
    expect(await listeningPortsOf(etcd)).toEqual([]);
    expect((await stat(controlPlane.directory)).mode & 0o777).toBe(0o700);
    const { apiServer = 0 } = controlPlane.pids();
    expect(await listeningPortsOf(apiServer)).toEqual([Number(new URL(controlPlane.server).port)]);
  });

  it('answers nothing while it is paused, then continues', async () => {
    const ask = ['get', 'namespaces', '--request-timeout=1s'];
    await controlPlane.pauseApiServer();
    expect(await controlPlane.kubectl(ask)).toMatchObject({ code: 1 });
    await controlPlane.resumeApiServer();
    expect(await controlPlane.kubectl(['get', 'namespaces'])).toMatchObject({ code: 0 });
  });

  it('compacts old versions on request, like a cluster that has run for a while', async () => {
    await controlPlane.kubectlOrThrow(['create', 'configmap', 'first']);
    const version = await resourceVersionOf(controlPlane, 'first');
    const exactly = `/api/v1/configmaps?resourceVersion=${version}&resourceVersionMatch=Exact`;
    await controlPlane.kubectlOrThrow(['create', 'configmap', 'second']);
    expect(await controlPlane.kubectl(['get', '--raw', exactly])).toMatchObject({ code: 0 });

    await controlPlane.compact();

    await waitUntil({ what: 'the API server follows', timeoutMs: 40_000, everyMs: 500 }, async () => {
      const { stderr } = await controlPlane.kubectl(['get', '--raw', exactly]);
      return stderr.includes('too old');
    });
  });

  it('refuses to watch from a version that was compacted while the API server was down', async () => {
    await controlPlane.kubectlOrThrow(['create', 'configmap', 'third']);
    const version = await resourceVersionOf(controlPlane, 'third');
    await controlPlane.kubectlOrThrow(['create', 'configmap', 'fourth']);

    await controlPlane.stopApiServer();
    await controlPlane.compact();
    await controlPlane.startApiServer();

    const watch = `/api/v1/configmaps?watch=true&timeoutSeconds=5&resourceVersion=${version}`;
    const event = JSON.parse(await controlPlane.kubectlOrThrow(['get', '--raw', watch]));
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });
});

describe('installing a project', () => {
  let controlPlane: ControlPlane;
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'install-test-'));
    controlPlane = await startControlPlane();
  });

  afterAll(async () => {
    await controlPlane.stop();
    await rm(project, { recursive: true });
  });

  it('does nothing for an empty project', async () => {
    await installDefinitions(controlPlane, project);
    expect(await controlPlane.kubectlOrThrow(['get', 'customresourcedefinitions', '--output=name'])).toBe('');
  });

  it('resolves when its definitions are served', async () => {
    await mkdir(join(project, 'crds'));
    await writeFile(join(project, 'crds/widgets.yaml'), widgets);

    await installDefinitions(controlPlane, project);

    expect(await controlPlane.kubectl(['get', 'widgets.example.com'])).toMatchObject({ code: 0 });
  });

  it('fails with the words of the API server', async () => {
    await writeFile(join(project, 'crds/widgets.yaml'), widgets.replace('Namespaced', 'Everywhere'));
    await expect(installDefinitions(controlPlane, project)).rejects.toThrow(/spec\.scope.*"Everywhere"/);
  });
});

describe('the end of a control plane', () => {
  it('leaves nothing, also when the API server is paused, and can be requested twice', async () => {
    const controlPlane = await startControlPlane();
    const traces = tracesOf(controlPlane);
    await controlPlane.pauseApiServer();
    await controlPlane.stop();
    await controlPlane.stop();
    expect(await nothingIsLeftOf(traces)).toBe(true);
    await expect(controlPlane.startApiServer()).rejects.toThrow('the control plane is stopped');
  });

  it.each([
    { ending: 'is killed', end: (runner: ChildProcess) => runner.kill('SIGKILL') },
    { ending: 'is interrupted', end: (runner: ChildProcess) => runner.kill('SIGINT') },
    { ending: 'fails', end: (runner: ChildProcess) => runner.stdin?.write('fail') },
    { ending: 'has nothing more to do', end: (runner: ChildProcess) => runner.stdin?.end() },
  ])('leaves nothing when the process that started it $ending', async ({ end }) => {
    const source = new URL('../../support/control-plane/start-control-plane.ts', import.meta.url);
    const script = `
      import { startControlPlane } from ${JSON.stringify(source.href)};
      const { directory, pids } = await startControlPlane();
      const { etcd, apiServer } = pids();
      process.stdin.on('data', () => { throw new Error('as wanted'); });
      process.stdout.end(JSON.stringify({ directory, pids: [etcd, apiServer] }));`;
    const stdio = ['pipe', 'pipe', 'ignore'] as const;
    const runner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: [...stdio] });
    const traces: Traces = JSON.parse(await text(runner.stdout));
    expect(await Promise.all(traces.pids.map(isRunning))).toEqual([true, true]);

    const ended = once(runner, 'exit');
    end(runner);
    await ended;

    await waitUntil({ what: 'nothing is left' }, () => nothingIsLeftOf(traces));
  });

  it('reports the log of the component that cannot start', async () => {
    const apiServerArgs = ['--no-such-flag'];
    await expect(startControlPlane({ apiServerArgs })).rejects.toThrow(
      /kube-apiserver ended with 1 before it was ready[\s\S]*unknown flag: --no-such-flag/,
    );
  });

  it('is recognised for another attempt if the port of the API server was taken meanwhile', async () => {
    const supervisor = await startSupervisor();
    const binaries = await projectBinaries();
    const layout = await layOut({ directory: supervisor.directory, binaries, apiServerArgs: [] });
    const intruder = createServer().listen(Number(new URL(layout.server).port), '127.0.0.1');
    await once(intruder, 'listening');

    await supervisor.start('etcd', layout.etcd);
    await supervisor.start('kube-apiserver', layout.apiServer);
    const ready = waitUntilReady({ supervisor, layout, timeoutMs: 30_000 });

    await expect(ready).rejects.toThrow(PortTakenError);
    await supervisor.stop();
    intruder.close();
  });

  it('follows at once from a missing program', async () => {
    const binaries = { ...(await projectBinaries()), etcd: 'no-such-etcd' };
    await expect(startControlPlane({ binaries })).rejects.toThrow('spawn no-such-etcd ENOENT');
  });
});
