/**
 * `make e2e`: starts a cluster whose kubelet runs real pods, loads the images into it, runs the tests, and deletes it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import manifest from '../../package.json' with { type: 'json' };
import { projectTools } from '../../scripts/tools/project-tools.ts';
import { chooseProvider } from './provider/choose-provider.ts';
import type { Provider } from './provider/provider.ts';
import { runShown } from './provider/run-shown.ts';
import { inWords, PROJECT, STATE, type Stage, writeStage } from './stage.ts';

const INTERRUPTED = 130;
/** The file for the results in Vitest's JSON format. */
const resultsFile = process.env['VEXIL_E2E_RESULTS'];
/** The image that the chart names. */
const operatorImage = { repository: 'vexil', tag: manifest.version };
const postgresImage = { repository: 'localhost/postgres', tag: 'e2e' };

const say = (line: string) => void process.stderr.write(`e2e: ${line}\n`);

/** Writes a result file in Vitest's format, so that programs that count tests report a skipped run as skipped. */
async function reportSkipped(why: string): Promise<void> {
  say(`skipped, nothing was tested: ${why}`);
  if (resultsFile === undefined) return;
  await mkdir(dirname(resultsFile), { recursive: true });
  await writeFile(resultsFile, JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 1 }));
}

/** Loads the archive that `VEXIL_E2E_IMAGE` names; otherwise builds it. */
async function prepare(provider: Provider): Promise<Stage> {
  const [place, { helm }] = [await provider.up(), await projectTools()];
  const given = process.env['VEXIL_E2E_IMAGE'];
  await provider.load(given || (await makeOperatorImage(provider)));
  await provider.load(await provider.makePostgresImage(inWords(postgresImage)));
  return { ...place, helm, operatorImage, postgresImage };
}

async function makeOperatorImage(provider: Provider): Promise<string> {
  await runShown('npm', ['run', '--silent', 'build'], { cwd: PROJECT });
  return provider.makeOperatorImage(inWords(operatorImage));
}

/** If the results are written to a file, as in CI, a failed test file runs once more in the same cluster. */
async function runTests(args: readonly string[], signal: AbortSignal): Promise<number> {
  const config = ['--config', 'vitest.e2e.config.ts'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...config, ...args];
  if (resultsFile === undefined) return runNode(vitest, signal);
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`];
  const code = await runNode([...vitest, ...reports], signal);
  if (code === 0 || signal.aborted) return code;
  return runNode(['scripts/rerun-failed-tests.ts', resultsFile, ...config], signal);
}

async function runNode(args: readonly string[], signal: AbortSignal): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: 'inherit' });
  const end = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  return code ?? 1;
}

/**
 * Returns an AbortSignal that a signal to the process aborts. Running programs receive the same signal from the
 * terminal, and the cluster is deleted.
 */
function endingBySignal(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => ending.abort(new Error(`ended by ${name}`)));
  }
  return ending.signal;
}

async function main(args: readonly string[]): Promise<number> {
  const signal = endingBySignal();
  const provider = chooseProvider(process.env, STATE);
  const whyNot = await provider.whyNot();
  if (whyNot !== undefined) {
    const hint = provider.name === 'kind' ? ', and VEXIL_E2E_CLUSTER names no folder of scripts' : '';
    await reportSkipped(whyNot + hint);
    return 0;
  }
  try {
    await writeStage(await prepare(provider));
    return signal.aborted ? INTERRUPTED : await runTests(args, signal);
  } finally {
    if (process.env['VEXIL_E2E_KEEP'] === 'true') say('the cluster is kept, as VEXIL_E2E_KEEP is set');
    else await provider.down();
  }
}

/** Prints the reason of the failure without a stack trace. */
function complain(error: unknown): number {
  say(error instanceof Error ? error.message : String(error));
  return 1;
}

process.exit(await main(process.argv.slice(2)).catch(complain));
