/** `make compat`: the tests of vitest.compat.config.ts against each version of Kubernetes, one after the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  type KubernetesVersion,
  kubernetesVersion,
  kubernetesVersions,
} from '../../scripts/tools/control-plane/versions.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

interface Outcome {
  readonly line: string;
  readonly isGood: boolean;
}

async function runAgainst({ minor, pins }: KubernetesVersion): Promise<Outcome> {
  const results = join(PROJECT, `.cache/compat-${minor}.json`);
  await rm(results, { force: true });
  const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const child = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.compat.config.ts', ...reporters], {
    cwd: PROJECT,
    stdio: 'inherit',
    env: { ...process.env, VEXIL_KUBERNETES: minor },
  });
  const [code] = await once(child, 'close');
  const found: Results | undefined = await readFile(results, 'utf8').then(JSON.parse, () => undefined);
  const counts = found
    ? `${found.numPassedTests} passed, ${found.numFailedTests} failed, ${found.numPendingTests} skipped`
    : 'did not run to its end';
  return { line: `Kubernetes ${pins.kubernetes}: ${counts}`, isGood: code === 0 };
}

const wanted = process.argv.slice(2);
const versions = wanted.length === 0 ? await kubernetesVersions() : await Promise.all(wanted.map(kubernetesVersion));
// The terminal sends Ctrl-C to the tests too, which then end by themselves.
let isEnding = false;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    isEnding = true;
  });
}
const outcomes: Outcome[] = [];
for (const version of versions) {
  if (!isEnding) outcomes.push(await runAgainst(version));
}
process.stdout.write(`${outcomes.map(({ line }) => line).join('\n')}\n`);
process.exitCode = isEnding || outcomes.some(({ isGood }) => !isGood) ? 1 : 0;
