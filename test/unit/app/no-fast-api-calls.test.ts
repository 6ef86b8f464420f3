/** The programs do without a kind of call with which V8 ends the process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const PROJECT = new URL('../../../', import.meta.url);
const MODULE = new URL('src/app/no-fast-api-calls.ts', PROJECT);

/**
 * Compiles a function for objects of two shapes, one of which then has no object. The next collection of garbage
 * invalidates the compiled function; it happens where a text of many parts is joined to find its length.
 */
const LENGTHS = `
  let sum = 0;
  for (let round = 0; round < 20; round += 1) {
    const source = 'return (to, text) => { to.bytes = Buffer.byteLength(text); return to.bytes; }; // ' + round;
    const measure = new Function('Buffer', source)(Buffer);
    const one = new (new Function('return class { constructor() { this.bytes = 0; } }')())();
    for (let call = 0; call < 20_000; call += 1) sum += measure(one, 'text');
    const other = { other: 1, bytes: 0 };
    for (let call = 0; call < 20_000; call += 1) sum += measure(other, 'text');
    for (let call = 0; call < 5; call += 1) sum += measure(other, call + 'text'.repeat(100_000) + round);
  }
  process.exit(sum > 0 ? 0 : 1);
`;

async function endOf(options: readonly string[]): Promise<readonly unknown[]> {
  const everyTime = ['--gc-global', '--no-concurrent-recompilation'];
  const child = spawn(process.execPath, [...everyTime, ...options, '--eval', LENGTHS], { stdio: 'ignore' });
  return once(child, 'close');
}

test('a collection of garbage in a fast API call does not end the process', async () => {
  expect(await endOf(['--import', MODULE.href])).toEqual([0, null]);
});

// If this fails, V8 is mended: remove the module, this file, and the setup file in the configuration of Vitest.
test('this version of Node.js has the defect', async () => {
  const [, signal] = await endOf([]);
  expect(['SIGTRAP', 'SIGABRT', 'SIGILL']).toContain(signal);
});

test.each(['src/main.ts', 'src/edge.ts', 'cli/main.ts'])('%s imports the module', async (program) => {
  expect(await readFile(new URL(program, PROJECT), 'utf8')).toMatch(/^import '.*\/app\/no-fast-api-calls\.ts';$/m);
});
