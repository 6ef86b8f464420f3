/** The operator as a process: its arguments, the settings that it refuses, and how it ends. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runProgram } from '../../scripts/tools/run-program.ts';
import { sharedCluster } from '../support/cluster.ts';
import { type OperatorProgram, startOperatorProgram, TEST_REVISION } from '../support/operator-program.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';

/**
 * The first bytes of programs and libraries: ELF, Mach-O (64 bit, universal), static libraries. Those of Windows begin
 * with MZ.
 */
const NATIVE = ['\x7fELF', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe', '!<ar'];

const cluster = sharedCluster();
let settings: Record<string, string>;
let running: OperatorProgram | undefined;
let lines: string[];

beforeAll(async () => {
  const home = await cluster.freshNamespace('program');
  settings = {
    KUBECONFIG: await grantOperatorRoles(cluster, home, []),
    VEXIL_NAMESPACE: home,
    VEXIL_HTTP_PORT: '0',
    VEXIL_OPS_PORT: '0',
    VEXIL_AUTH: 'none',
  };
});

afterEach(async () => {
  await running?.stop();
});

function start(more: Record<string, string> = {}): OperatorProgram {
  lines = [];
  running = startOperatorProgram({ settings: { ...settings, ...more }, onLine: (line) => lines.push(line) });
  return running;
}

const withArguments = (...args: readonly string[]) =>
  runProgram(process.execPath, [process.env['VEXIL_TEST_PROGRAM'] ?? '', ...args]);

test('--help prints the usage', async () => {
  expect(await withArguments('--help')).toEqual({
    code: 0,
    stdout: expect.stringContaining('Usage: vexil'),
    stderr: '',
  });
});

test.each([[['--version', '--port=1']], [['']]])('the arguments %j are refused with the usage', async (args) => {
  const { code, stdout, stderr } = await withArguments(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`cannot use the arguments ${args.join(' ')}\nUsage: vexil`);
});

test('the built program names its version and its commit, and SIGTERM ends it in order', async () => {
  const { stdout } = await withArguments('--version');
  expect(stdout).toBe(`vexil ${manifest.version} (revision ${TEST_REVISION})\n`);
  const operator = start();
  const { opsPort } = await operator.listening;
  const labels = `version="${manifest.version}",revision="${TEST_REVISION}",node="${process.version}"`;
  expect(await readMetric(`http://127.0.0.1:${opsPort}`, `vexil_build_info{${labels}}`)).toBe(1);
  operator.send('SIGTERM');
  expect(await operator.ended).toEqual({ code: 0, signal: null });
});

test('a port that is in use is named, and SIGINT ends the operator that has it in order', async () => {
  const first = start();
  const { httpPort } = await first.listening;
  const { ended } = start({ VEXIL_HTTP_PORT: String(httpPort) });
  expect((await ended).code).toBe(2);
  expect(lines.join('\n')).toContain(String(httpPort));
  first.send('SIGINT');
  expect(await first.ended).toEqual({ code: 0, signal: null });
});

test('the build has no code for a single platform, so that the same files run on amd64 and arm64', async () => {
  const built = dirname(process.env['VEXIL_TEST_PROGRAM'] ?? '');
  const entries = await readdir(built, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(files).toContain(join(built, 'main.js'));
  for (const file of files) {
    const start = (await readFile(file)).subarray(0, 4).toString('latin1');
    expect([file.endsWith('.node'), NATIVE.includes(start) || start.startsWith('MZ')], file).toEqual([false, false]);
  }
});

test('an operator whose log level hides where it listens is not waited for', async () => {
  await expect(start({ VEXIL_LOG_LEVEL: 'warn' }).listening).rejects.toThrow('VEXIL_LOG_LEVEL=warn');
});

test.each<[string, Record<string, string>, readonly RegExp[]]>([
  ['a kubeconfig that is missing', { KUBECONFIG: '/does/not/exist' }, [/\/does\/not\/exist/]],
  [
    'several bad values',
    { VEXIL_HTTP_PROT: '1', VEXIL_HTTP_PORT: 'many', VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: 'short-secret' },
    [/VEXIL_HTTP_PROT.*VEXIL_HTTP_PORT/, /VEXIL_HTTP_PORT is "many"; allowed: a port number/, /VEXIL_ADMIN_TOKEN/],
  ],
])('with %s it refuses to start, names each, and discloses no token', async (_, wrong, want) => {
  const { ended } = start(wrong);
  expect(await ended).toEqual({ code: 2, signal: null });
  for (const words of want) expect(lines.join('\n')).toMatch(words);
  expect(lines.join('\n')).not.toContain('short-secret');
});
