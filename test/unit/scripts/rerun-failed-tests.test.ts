/** The second run of failed test files, in a folder of its own, with real runs of Vitest. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Finished, runProgram } from '../../../scripts/tools/run-program.ts';

const root = join(import.meta.dirname, '../../..');
const script = join(root, 'scripts/rerun-failed-tests.ts');
/** Without a configuration of its own, Vitest would look for one in the folders above. */
const OPTIONS = ['--config', 'vitest.config.js'];
let folder: string;

beforeAll(async () => {
  // Vitest names files by their real paths.
  folder = await realpath(await mkdtemp(join(tmpdir(), 'rerun-test-')));
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'vitest.config.js'), 'export default {};');
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Writes a test file, whose tests leave a line for each of their runs beside it. */
async function writeTest(name: string, ...bodies: readonly string[]): Promise<void> {
  const head = `import { appendFileSync, readFileSync } from 'node:fs';
    import { expect, test } from 'vitest';
    appendFileSync('${name}.runs', 'run\\n');
    const runs = readFileSync('${name}.runs', 'utf8').trim().split('\\n').length;`;
  await writeFile(join(folder, name), [head, ...bodies].join('\n'));
}

async function runsOf(name: string): Promise<number> {
  const path = join(folder, `${name}.runs`);
  return existsSync(path) ? (await readFile(path, 'utf8')).trim().split('\n').length : 0;
}

const failedResult = (name: string) => ({
  name: join(folder, name),
  status: 'failed',
  assertionResults: [{ status: 'failed', fullName: 'fails' }],
});

async function writeReport(path: string, testResults: readonly object[]): Promise<string> {
  const text = JSON.stringify({ numPassedTests: 0, numFailedTests: testResults.length, testResults });
  await writeFile(join(folder, path), text);
  return text;
}

const inFolder = (args: readonly string[], environment: Record<string, string> = {}): Promise<Finished> =>
  runProgram(execPath, args, { cwd: folder, environment: { VEXIL_FLAKY_FILES: '', NO_COLOR: '1', ...environment } });

const rerun = (report: string, environment?: Record<string, string>): Promise<Finished> =>
  inFolder([script, report, ...OPTIONS], environment);

const flakyLines = ({ stdout }: Finished) => stdout.split('\n').filter((line) => line.startsWith('flaky: '));

test('a file that passes the second time lets the run pass, and is named', async () => {
  await writeTest(
    'once.test.js',
    "test('fails once', () => expect(runs).toBe(2)); test('passes', () => {}); test.skip('waits', () => {});",
  );
  await writeTest('steady.test.js', "test('is steady', () => {});");
  const files = ['once.test.js', 'steady.test.js'];
  const options = ['--reporter=json', '--outputFile.json=report.json'];
  const first = await inFolder(['node_modules/vitest/vitest.mjs', 'run', ...files, ...OPTIONS, ...options]);
  expect(first.code).toBe(1);

  await writeFile(join(folder, 'flaky.txt'), 'earlier.test.js\n');
  const second = await rerun('report.json', { VEXIL_FLAKY_FILES: 'flaky.txt' });
  expect([second.code, flakyLines(second)]).toEqual([0, ['flaky: once.test.js › fails once']]);
  expect([await runsOf('once.test.js'), await runsOf('steady.test.js')]).toEqual([2, 1]);
  const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
  expect(report).toMatchObject({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 1 });
  expect(await readFile(join(folder, 'flaky.txt'), 'utf8')).toBe(`earlier.test.js\n${join(folder, 'once.test.js')}\n`);
});

test('a file that fails again fails, and leaves the report as it is', async () => {
  await writeTest('again.test.js', "test('fails', () => expect(runs).toBe(0));");
  const report = await writeReport('again.json', [failedResult('again.test.js')]);
  const second = await rerun('again.json', { VEXIL_FLAKY_FILES: 'none.txt' });
  expect([second.code, flakyLines(second), await runsOf('again.test.js')]).toEqual([1, [], 1]);
  expect(await readFile(join(folder, 'again.json'), 'utf8')).toBe(report);
  expect(existsSync(join(folder, 'none.txt'))).toBe(false);
});

test.each([
  ['three files have failed', ['a.test.js', 'b.test.js', 'c.test.js'], ''],
  ['two files have failed after one in an earlier call', ['a.test.js', 'b.test.js'], 'd.test.js\n'],
  ['a file has failed after two in earlier calls', ['a.test.js'], 'd.test.js\ne.test.js\n'],
  ['no file has failed, but the run has', [], ''],
])('nothing runs again if %s', async (_, failed, earlier) => {
  for (const name of failed) await writeTest(name, "test('passes', () => {});");
  await writeReport('many.json', failed.map(failedResult));
  await writeFile(join(folder, 'earlier.txt'), earlier);
  const second = await rerun('many.json', { VEXIL_FLAKY_FILES: 'earlier.txt' });
  expect([second.code, flakyLines(second)]).toEqual([1, []]);
  for (const name of failed) expect(await runsOf(name)).toBe(0);
});

test('a run without a report fails', async () => {
  expect((await rerun('absent.json')).code).toBe(1);
});
