/** Programs with SDKs of other languages, built into the cache from exact versions. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { runProgram } from '../../scripts/tools/run-program.ts';
import type { oddUsers } from './odd-flags.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const cache = join(root, '.cache/sdks');
const sources = join(root, 'test/sdks');

export interface Question {
  readonly url: string;
  readonly token: string;
  /** For each flag and user, the SDK reports whether the flag is on, and the variant. */
  readonly flags: readonly string[];
  readonly users: typeof oddUsers;
  /**
   * The program reports again after each change whether this flag is on, and the payload of its variant. If the SDK
   * does not know the flag, it reports it as on.
   */
  readonly watched: string;
  /** Whether the program uses streams; only some SDKs can. */
  readonly streams?: boolean;
}

/**
 * Reports of a program about the watched flag: whether it is on, before and after the SDK is ready, and its payload.
 */
type Said = 'early' | 'watched' | 'payload';

export interface SdkProgram extends Readonly<Record<Said, readonly string[]>> {
  /** Resolves when the SDK is ready. */
  readonly answers: Promise<readonly (readonly string[])[]>;
  stop(): void;
}

const goProgram = (folder: string) => async () => {
  const program = join(cache, `go-${folder}`);
  await run('go', ['build', '-o', program, `./${folder}`], { cwd: join(sources, 'go') });
  return [program];
};

/** Returns Python with all its SDKs, and the script to run. */
async function pythonProgram(script: string): Promise<[string, string]> {
  const folder = join(cache, 'python');
  const python = join(folder, 'bin/python');
  const requirements = join(sources, 'python/requirements.txt');
  await access(python).catch(() => run('python3', ['-m', 'venv', folder]));
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  return [python, join(sources, 'python', script)];
}

interface SignedMessage {
  readonly key: string;
  readonly body: string;
  readonly headers: object;
}

/** What the library of Standard Webhooks says of each message: `valid`, or the name of the error. */
export async function verifyInPython(messages: readonly SignedMessage[]): Promise<readonly string[]> {
  await mkdir(cache, { recursive: true });
  const [python, script] = await pythonProgram('verify_webhook.py');
  const { code, stdout, stderr } = await runProgram(python, [script], {
    input: messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
  });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim().split('\n');
}

/** The functions that prepare each program, by name. */
export const sdkPrograms = {
  'Python UnleashClient 6.9.1': () => pythonProgram('ask.py'),
  'Go unleash-go-sdk v5.0.3': goProgram('v5'),
  'Go unleash-client-go v4.5.0': goProgram('v4'),
} as const;

interface AdminQuestion {
  readonly url: string;
  readonly token: string;
  readonly userId: number;
  readonly roleId: string;
}

interface AdminOutcome {
  readonly status: number;
  /** Empty: the answer has the form that the client expects. */
  readonly error: string;
}

/** Calls the admin API with Go unleash-server-api-go v0.7.1. Returns how each call ended, by its name. */
export async function askAdminClient(question: AdminQuestion): Promise<Readonly<Record<string, AdminOutcome>>> {
  await mkdir(cache, { recursive: true });
  const [program = ''] = await goProgram('admin')();
  const { stdout } = await runProgram(program, [], { input: JSON.stringify(question) });
  return JSON.parse(stdout);
}

/** The functions that prepare the programs with an OFREP provider, by name. */
export const ofrepPrograms = {
  'Python openfeature-provider-ofrep 0.3.0': () => pythonProgram('ofrep.py'),
  'Go providers/ofrep v0.1.7': goProgram('ofrep'),
} as const;

export async function startSdkProgram(make: () => Promise<readonly string[]>, question: Question): Promise<SdkProgram> {
  await mkdir(cache, { recursive: true });
  const [command = '', ...args] = await make();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ ...question, appName: `test-${randomUUID()}` }));
  const said: Record<Said, string[]> = { early: [], watched: [], payload: [] };
  const answers = answersOf(child, said);
  // Callers that wait for the answers get the error. A program that is stopped before has none.
  answers.catch(() => undefined);
  return { answers, ...said, stop: () => void child.kill('SIGKILL') };
}

function answersOf(
  child: ChildProcess & { stdout: NodeJS.ReadableStream },
  said: Readonly<Record<Said, string[]>>,
): SdkProgram['answers'] {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { answers, ...one } = JSON.parse(line);
      if (answers) resolve(answers);
      for (const [key, value] of Object.entries(one)) said[key as Said].push(value as string);
    });
    child.once('exit', (code) => reject(new Error(`the program has ended with ${code}`)));
  });
}
