/** The sync engine of Argo CD, as its example agent runs it over a Git repository. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePorts } from '../control-plane/ports.ts';
import { runProgram } from '../control-plane/run-program.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

export interface ArgoCdOptions {
  /** The path of the agent of gitops-engine. */
  readonly program: string;
  /** The kubeconfig of the account that applies. */
  readonly kubeconfig: string;
  readonly namespace: string;
}

export interface ArgoCd {
  /** Commits manifests in place of the previous ones. Resolves with the result of the sync, a line for each object. */
  commit(manifests: readonly object[]): Promise<string>;
  /** Syncs once more. */
  sync(): Promise<string>;
  stop(): Promise<void>;
}

/** Resolves when the agent has synced an empty repository. */
export async function startArgoCd({ program, kubeconfig, namespace }: ArgoCdOptions): Promise<ArgoCd> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-argocd-'));
  const git = async (...args: readonly string[]) => {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    const { code, stderr } = await runProgram('git', [...author, '-C', folder, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  };
  await git('init', '--quiet');
  await git('commit', '--quiet', '--allow-empty', '-m', 'begin');
  const [port] = await freePorts(1);
  const scope = ['--namespaced', '--default-namespace', namespace, '--resync-seconds', '86400'];
  const child = spawn(program, [folder, ...scope, '--port', `${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let [results, log] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    results += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  /** The agent prints a head before the result of each sync. */
  const next = (from: number): Promise<string> =>
    waitUntil({ what: 'Argo CD has synced', timeoutMs: 60_000 }, () => {
      if (child.exitCode !== null) throw new Error(`the agent has ended:\n${log}`);
      const [, result] = results.slice(from).split(/^RESOURCE +RESULT\n/m);
      return result === undefined ? undefined : { result };
    }).then(({ result }) => result);
  const sync = async (): Promise<string> => {
    const from = results.length;
    await fetch(`http://127.0.0.1:${port}/api/v1/sync`);
    return next(from);
  };
  await next(0);
  return {
    sync,
    async commit(manifests) {
      await writeFile(join(folder, 'flags.yaml'), manifests.map((one) => stringify(one)).join('---\n'));
      await git('add', '.');
      await git('commit', '--quiet', '--allow-empty', '-m', 'change');
      return sync();
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
