/** The Yggdrasil engine, which evaluates flags in the SDKs for Python, Java and Rust, in a process of Python. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Answer } from './answers.ts';
import type { Asked } from './any-document.ts';

const VERSION = '2.0.0';

const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));
const program = fileURLToPath(new URL('yggdrasil.py', import.meta.url));

const run = promisify(execFile);

export interface Yggdrasil {
  /** Answers for every flag, and for each flag for the contexts in turn. */
  readonly ask: (asked: Asked) => Promise<readonly Answer[]>;
  readonly stop: () => void;
}

/** Throws if Python 3 with venv, or the wheel for this machine, is missing. */
export async function startYggdrasil(): Promise<Yggdrasil> {
  const python = spawn(await installEngine(), [program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (asked) => {
      python.stdin.write(`${JSON.stringify(asked)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the Yggdrasil engine ended, with exit code ${python.exitCode}`);
      return JSON.parse(value) as readonly Answer[];
    },
    stop: () => void python.stdin.end(),
  };
}

/**
 * The path of a Python that has the engine. It is installed once, into a folder that gets its name when the
 * installation is complete.
 */
async function installEngine(): Promise<string> {
  const folder = join(cache, `yggdrasil-engine-${VERSION}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  const fresh = await mkdtemp(`${folder}-`);
  try {
    await run('python3', ['-m', 'venv', fresh]);
    await run(join(fresh, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `yggdrasil-engine==${VERSION}`]);
  } catch (cause) {
    throw new Error('this test needs python3 with venv and pip, and the Yggdrasil engine for this machine', { cause });
  }
  await rename(fresh, folder);
  return python;
}
