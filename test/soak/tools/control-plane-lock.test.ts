/** The lock under which the programs of the control plane are prepared. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../scripts/tools/lock.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-test-'));
  path = join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true }));

describe('the lock', () => {
  it('lets one work at a time', async () => {
    const recorded: string[] = [];
    const turn = (name: string) =>
      withLock(path, async () => {
        recorded.push(`${name} starts`);
        await new Promise(setImmediate);
        recorded.push(`${name} ends`);
      });
    await Promise.all([turn('first'), turn('second')]);
    expect(recorded).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
  });

  it('is released by work that fails', async () => {
    await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(path, async () => 'next')).toBe('next');
  });

  it('does not outlive a process that is killed while it holds it', async () => {
    const source = new URL('../../../scripts/tools/lock.ts', import.meta.url);
    const script = `
      import { withLock } from ${JSON.stringify(source.href)};
      await withLock(${JSON.stringify(path)}, () => new Promise((resolve) => {
        process.stdout.write('held');
        setTimeout(resolve, 600_000);
      }));`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script]);
    await once(holder.stdout, 'data');

    const onWait = () => holder.kill('SIGKILL');
    expect(await withLock(path, async () => 'ours now', { onWait })).toBe('ours now');
    expect(holder.killed).toBe(true);
  });
});
