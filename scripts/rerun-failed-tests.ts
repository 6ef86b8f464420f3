/**
 * Runs each failed test file of a JSON report of Vitest once more, alone. If all pass, the report has their second
 * results, and each title that failed first is printed as `flaky: FILE › TITLE`. Arguments: the report, then options of
 * Vitest. Exits with 1 if a test failed for certain: no file failed, more than two did, or one failed again.
 * `VEXIL_FLAKY_FILES` names a file that lists the flaky ones of earlier calls, which count as well.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { env } from 'node:process';

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly FileResult[];
}

/** More failed files are a defect, or a machine on which nothing can be concluded. */
const MAX_FILES = 2;

const [path = '', ...given] = process.argv.slice(2);
const first = read(path);
const failed = first.testResults.filter(({ status }) => status !== 'passed');
const list = env['VEXIL_FLAKY_FILES'];
const mayRun = failed.length > 0 && failed.length + countEarlier() <= MAX_FILES;
const second = mayRun ? failed.map(runAlone) : [];
const isMended = second.length > 0 && second.every(({ status }) => status === 'passed');
if (isMended) {
  for (const file of failed) for (const title of titlesOf(file)) say(`flaky: ${relative('.', file.name)} › ${title}`);
  const testResults = first.testResults.map((one) => second.find(({ name }) => name === one.name) ?? one);
  const count = (wanted: string) =>
    testResults.flatMap((one) => one.assertionResults).filter(({ status }) => status === wanted).length;
  const report = { ...first, testResults, numPassedTests: count('passed'), numFailedTests: count('failed') };
  writeFileSync(path, JSON.stringify(report));
  if (list) appendFileSync(list, failed.map(({ name }) => `${name}\n`).join(''));
}
process.exitCode = isMended ? 0 : 1;

function read(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}

function countEarlier(): number {
  return list && existsSync(list) ? readFileSync(list, 'utf8').split('\n').length - 1 : 0;
}

/** The result that comes back if the run ends without a report is the failed one. */
function runAlone(file: FileResult): FileResult {
  const report = `${path}.again`;
  writeFileSync(report, '');
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const run = ['node_modules/vitest/vitest.mjs', 'run', file.name, ...given, ...options];
  const { status } = spawnSync(process.execPath, run, { stdio: 'inherit' });
  const again = read(report).testResults.find(({ name }) => name === file.name);
  return status === 0 && again ? again : file;
}

/** A failure outside of tests, such as in a hook, has no title. */
function titlesOf({ assertionResults }: FileResult): readonly string[] {
  const titles = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return titles.length > 0 ? titles : ['(outside of tests)'];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
