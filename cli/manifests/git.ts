/** Runs git in the working directory. */
import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { InputError } from '../input-error.ts';

interface GitOptions {
  readonly input?: string;
  /** The folder to run git in; if absent, the working directory. */
  readonly folder?: string;
}

/** Returns the output. Throws an InputError if the command fails. */
export async function git(commandLine: readonly string[], { input = '', folder }: GitOptions = {}): Promise<Buffer> {
  const child = spawn('git', commandLine, { stdio: ['pipe', 'pipe', 'pipe'], cwd: folder });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', () => reject(new InputError('--against needs git, which cannot be started')));
    child.once('close', resolve);
  });
  // Git may end without reading its input; its exit status says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, complaint, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  if (code === 0) return output;
  throw new InputError(
    `git ${commandLine[0]} failed for ${commandLine.at(-1)}: ${complaint.trim() || `it ended with ${code}`}`,
  );
}
