/** How the launcher of the control plane runs other programs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../scripts/tools/run-program.ts';
import { isRunning } from '../../support/control-plane/is-running.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';

const node = process.execPath;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-program-test-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('running a program', () => {
  it('returns its outputs, its exit code, and what it read', async () => {
    const script = 'process.stdin.pipe(process.stdout); console.error("complaint"); process.exitCode = 3';
    const finished = await runProgram(node, ['-e', script], { input: 'given' });
    expect(finished).toEqual({ code: 3, stdout: 'given', stderr: 'complaint\n' });
  });

  it('survives a program that does not read a large input', async () => {
    const { code } = await runProgram(node, ['-e', 'process.exit(0)'], { input: 'x'.repeat(5_000_000) });
    expect(code).toBe(0);
  });

  it('rejects if the program does not exist', async () => {
    await expect(runProgram('no-such-program', [])).rejects.toThrow('ENOENT');
  });

  it.each([
    { ending: 'is interrupted', end: (runner: ChildProcess) => runner.kill('SIGINT') },
    { ending: 'is terminated', end: (runner: ChildProcess) => runner.kill('SIGTERM') },
    { ending: 'exits', end: (runner: ChildProcess) => runner.stdin?.end() },
  ])('ends a long one, with all that it has started, when this process $ending', async ({ end }) => {
    const source = new URL('../../../scripts/tools/run-program.ts', import.meta.url);
    const pidFile = join(folder, 'pid');
    const script = `
      import { runProgram } from ${JSON.stringify(source.href)};
      process.stdin.on('end', () => process.exit(0)).resume();
      await runProgram('sh', ['-c', 'sh -c "echo \\$\\$ > ${pidFile}; exec sleep 600"; true'], { endsWithUs: true });`;
    const runner = spawn(node, ['--input-type=module', '-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
    const pid = await waitUntil({ what: 'the long program runs' }, async () => {
      const written = await readFile(pidFile, 'utf8').catch(() => '');
      return written.endsWith('\n') && Number(written);
    });

    end(runner);

    await waitUntil({ what: 'the long program has ended' }, async () => !(await isRunning(pid)));
  });
});
