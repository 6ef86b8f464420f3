/** The arguments of the program: it prints a result or refuses them, and does not start the operator. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));

function run(...args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env: {} }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

test('--version prints name, version and revision, which is unknown when running from source', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: `vexil ${version} (revision unknown)\n`, err: '' });
});

test('--help prints the usage', async () => {
  expect(await run('--help')).toEqual({ code: 0, out: expect.stringContaining('Usage: vexil'), err: '' });
});

test.each([[['--verison']], [['--version', '--port=1']], [['start']], [['']]])(
  '%j is refused with the usage',
  async (args) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`cannot use the arguments ${args.join(' ')}\nUsage: vexil`);
  },
);
