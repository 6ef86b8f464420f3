/** A signal that arrives while the program is loaded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const RECEIVE = new URL('../../src/catch-signals.ts', import.meta.url);
const MAIN = new URL('../../src/main.ts', import.meta.url);

/** A program that prints that it loads, continues when its input ends, and only then listens. */
const SLOW = `
  const { readSync, writeSync } = require('node:fs');
  const isOpen = () => {
    try {
      return readSync(0, Buffer.alloc(1)) > 0;
    } catch (error) {
      // There is nothing to read yet.
      if (error.code !== 'EAGAIN') throw error;
      return true;
    }
  };
  writeSync(1, 'loading');
  while (isOpen());
  process.on('SIGTERM', () => process.exit(7));
  setTimeout(() => process.exit(8), 10_000);
`;

async function endOf(options: readonly string[]): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, [...options, '--eval', SLOW], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  child.stdin.end();
  return ended;
}

test('a signal waits for its listener once everything is loaded', async () => {
  expect(await endOf(['--import', RECEIVE.href])).toEqual([7, null]);
  // Any other result would mean that this test waits for nothing.
  expect(await endOf([])).toEqual([null, 'SIGTERM']);
});

test('the program handles signals before it imports anything else', async () => {
  const [first] = /^import .*$/m.exec(await readFile(MAIN, 'utf8')) ?? [];
  expect(first).toBe("import './catch-signals.ts';");
});
