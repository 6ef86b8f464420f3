/** The demo in a process of its own, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finished, runProgram } from '../../scripts/tools/run-program.ts';
import { isRunning } from './control-plane/is-running.ts';
import { waitUntil } from './control-plane/wait-until.ts';

const MAIN = fileURLToPath(new URL('../demo/main.ts', import.meta.url));
/** The time until all of it runs. */
export const DEMO_START_MS = 120_000;

export interface RunningDemo {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout(): string;
  stderr(): string;
}

export interface Trial {
  readonly title: string;
  readonly command: string;
}

const started: RunningDemo[] = [];

/** Stops the demos that still run. */
export async function stopDemos(): Promise<void> {
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGTERM');
    await exited;
  }
}

export function runDemo(settings: Readonly<Record<string, string>> = {}): RunningDemo {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('VEXIL_'));
  const { VEXIL_CONTROL_PLANE, VEXIL_KUBERNETES } = process.env;
  const env = { ...Object.fromEntries(ours), VEXIL_CONTROL_PLANE, VEXIL_KUBERNETES, VEXIL_HTTP_PORT: '0', ...settings };
  const child = spawn(process.execPath, [MAIN], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (written.stdout += chunk));
  child.stderr.on('data', (chunk) => (written.stderr += chunk));
  const exited = once(child, 'close').then(([code]) => code);
  const demo = { child, exited, stdout: () => written.stdout, stderr: () => written.stderr };
  started.push(demo);
  return demo;
}

/** Resolves when the demo has printed its commands. */
export async function demoThatRuns(settings?: Readonly<Record<string, string>>): Promise<RunningDemo> {
  const demo = runDemo(settings);
  await waitUntil({ what: 'the demo runs', timeoutMs: DEMO_START_MS }, () => {
    if (demo.child.exitCode !== null) throw new Error(`the demo ended early:\n${demo.stderr()}`);
    return demo.stdout().includes('More: docs/tutorial.md\n');
  });
  return demo;
}

/** Returns the commands that the demo has printed. */
export function trialsOf(demo: RunningDemo): Trial[] {
  const blocks = demo.stdout().matchAll(/^ {2}# (\S.*)\n {2}(\S.*)$/gm);
  return [...blocks].map(([, title = '', command = '']) => ({ title, command }));
}

/** Runs a command as a user does, after the line that the demo has printed for all of them. */
export function runInDemo(demo: RunningDemo, command: string): Promise<Finished> {
  const [exports = ''] = /^ {2}export .*$/m.exec(demo.stdout()) ?? [];
  return runProgram('bash', ['-c', `${exports}\n${command}`], { cwd: tmpdir() });
}

/** The folder of kubeconfig and log. */
export function directoryOf(demo: RunningDemo): string {
  const path = /Operator log +(\S+)/.exec(demo.stdout())?.[1];
  if (path === undefined) throw new Error('the demo names no log');
  return dirname(path);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

/** The processes of the demo, including everything that it has started. */
export async function familyOf({ child }: RunningDemo): Promise<Process[]> {
  const { stdout } = await runProgram('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const all = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
  const family = all.filter(({ pid }) => pid === child.pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
}

/** Checks that none of the processes runs; and that the directory, if one is named, does not exist. */
export async function expectNothingLeft(family: readonly Process[], directory?: string): Promise<void> {
  await waitUntil({ what: 'all processes of the demo are gone' }, async () => {
    const running = await Promise.all(family.map(({ pid }) => isRunning(pid)));
    return !running.includes(true);
  });
  if (directory === undefined) return;
  await waitUntil({ what: 'the directory is removed' }, () =>
    access(directory).then(
      () => false,
      () => true,
    ),
  );
}
