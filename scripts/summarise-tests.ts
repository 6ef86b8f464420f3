/**
 * Names the failed tests of the JSON reports of Vitest, then ends with one line: N passed, N failed, N skipped.
 * Arguments: failures of other steps, the reports of runs that ended with an error (separated by spaces), all reports.
 */
import { readFileSync } from 'node:fs';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests?: number;
  readonly numTodoTests?: number;
  readonly testResults?: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  /** The message of a failure outside tests, such as in a hook. */
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

const [otherFailures, broken = '', ...files] = process.argv.slice(2);
const sum = { passed: 0, failed: Number(otherFailures), skipped: 0 };
for (const file of files) {
  const report = read(file);
  sum.passed += report.numPassedTests;
  // A run that ends with an error and names no failed test counts as one failure.
  sum.failed += report.numFailedTests === 0 && broken.split(' ').includes(file) ? 1 : report.numFailedTests;
  sum.skipped += (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
  for (const failure of (report.testResults ?? []).flatMap(failuresOf)) say(`failed: ${failure}`);
}
say(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed === 0 ? 0 : 1;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function read(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 };
  }
}

function failuresOf({ name, message, assertionResults }: FileResult): string[] {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const firstLine = (text = '') => text.split('\n')[0];
  const outside = message ? [`${name}: ${firstLine(message)}`] : [];
  return [...outside, ...failed.map((one) => `${name} > ${one.fullName}: ${firstLine(one.failureMessages[0])}`)];
}
