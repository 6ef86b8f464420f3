/** Runs a program to its end. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Finished {
  /** The exit code; -1 if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  /** Variables that are added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The program and all that it has started are ended when this process ends. Used for programs that run for minutes.
   */
  readonly endsWithUs?: boolean;
}

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a program without a shell. Rejects only if the program cannot be started. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const child = spawn(program, args, spawnOptions(options));
  const forget = options.endsWithUs ? endWithUs(child) : undefined;
  try {
    return await finished(child, options.input ?? '');
  } finally {
    forget?.();
  }
}

function spawnOptions({ cwd, environment, endsWithUs }: RunOptions): SpawnOptions & { stdio: 'pipe' } {
  return {
    stdio: 'pipe',
    env: { ...process.env, ...environment },
    detached: endsWithUs ?? false,
    ...(cwd === undefined ? {} : { cwd }),
  };
}

async function finished(child: ChildProcess, input: string): Promise<Finished> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the program was started without pipes');
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
  // A program that does not read its input closes the pipe early. Its exit code shows whether it failed.
  stdin.once('error', () => undefined);
  stdin.end(input);
  const [code, output, errors] = await Promise.all([ended, text(stdout), text(stderr)]);
  return { code, stdout: output, stderr: errors };
}

/**
 * Interrupts the process group of a detached child when this process exits or is asked to. The returned function undoes
 * this.
 */
function endWithUs(child: ChildProcess): () => void {
  const interrupt = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGINT');
    }
  };
  const onSignal = (signal: NodeJS.Signals) => {
    interrupt();
    forget();
    // This listener switches off the default action of the signal, so it is done here if there is no other listener.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off('exit', interrupt);
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  process.on('exit', interrupt);
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return forget;
}
