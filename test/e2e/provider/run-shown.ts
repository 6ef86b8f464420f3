/** Runs a program that takes minutes, and shows its output meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ShownOptions {
  readonly cwd?: string;
  /** Variables that are added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Returns the standard output of the program; throws if it fails. All other output goes to the output of this process.
 */
export async function runShown(program: string, args: readonly string[], options: ShownOptions = {}): Promise<string> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${program} ${args[0] ?? ''} ended with ${code ?? signal}:\n${output}`);
  return output;
}
