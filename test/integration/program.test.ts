/** The operator as a process: its arguments, the settings that it refuses, and how it ends. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { sharedCluster } from '../support/cluster.ts';
import { runProgram } from '../support/control-plane/run-program.ts';
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

test.each([[['--verison']], [['--version', '--port=1']], [['start']], [['']]])(
  'the arguments %j are refused with the usage',
  async (args) => {
    const { code, stdout, stderr } = await withArguments(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cannot use the arguments ${args.join(' ')}\nUsage: vexil`);
  },
);

test('the built program names its version and its commit', async () => {
  const { stdout } = await withArguments('--version');
  expect(stdout).toBe(`vexil ${manifest.version} (revision ${TEST_REVISION})\n`);
  const { opsPort } = await start().listening;
  const labels = `version="${manifest.version}",revision="${TEST_REVISION}",node="${process.version}"`;
  expect(await readMetric(`http://127.0.0.1:${opsPort}`, `vexil_build_info{${labels}}`)).toBe(1);
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

describe('with a bad configuration', () => {
  test.each([
    ['an unknown variable', { VEXIL_HTTP_PROT: '1' }, /VEXIL_HTTP_PROT.*VEXIL_HTTP_PORT/],
    ['a value of another type', { VEXIL_HTTP_PORT: 'many' }, /VEXIL_HTTP_PORT is "many"; allowed: a port number/],
    ['anonymous access', { VEXIL_HTTP_HOST: '0.0.0.0' }, /VEXIL_HTTP_HOST.*VEXIL_ALLOW_ANONYMOUS/],
    ['a missing kubeconfig', { KUBECONFIG: '/does/not/exist' }, /\/does\/not\/exist/],
  ])('%s: it refuses to start and names it', async (_, wrong, want) => {
    const { ended } = start(wrong);
    expect(await ended).toEqual({ code: 2, signal: null });
    expect(lines.join('\n')).toMatch(want);
  });

  test('a token that cannot be used is named, and not disclosed', async () => {
    const { ended } = start({ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: 'short-secret' });
    expect(await ended).toEqual({ code: 2, signal: null });
    expect(lines.join('\n')).toContain('VEXIL_ADMIN_TOKEN');
    expect(lines.join('\n')).not.toContain('short-secret');
  });

  test('a port that is in use is named', async () => {
    const { httpPort } = await start().listening;
    const first = running;
    const { ended } = start({ VEXIL_HTTP_PORT: String(httpPort) });
    expect((await ended).code).toBe(2);
    expect(lines.join('\n')).toContain(String(httpPort));
    await first?.stop();
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it in order with exit code 0', async (signal) => {
  const operator = start();
  await operator.listening;
  operator.send(signal);
  expect(await operator.ended).toEqual({ code: 0, signal: null });
});
