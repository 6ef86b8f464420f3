/** The built command line, started by a version of Node.js that is too old for it. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { PROGRAM } from '../support/command-line.ts';

const [SHEBANG, ...program] = (await readFile(PROGRAM, 'utf8')).split('\n');

function runAs(version: string) {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const imported = `data:text/javascript,${encodeURIComponent(versions)}`;
  return runProgram(process.execPath, ['--import', imported, PROGRAM, '--version']);
}

test.each(['20.20.2', '23.11.1'])('Node.js %s: the program names the version that it needs', async (version) => {
  expect(await runAs(version)).toMatchObject({
    code: 69,
    stdout: '',
    stderr: `vexil needs Node.js 24 or newer, this is ${version}\n`,
  });
});

test('Node.js 24.0.0 runs it', async () => {
  expect(await runAs('24.0.0')).toMatchObject({ code: 0, stderr: '' });
});

test('an old version can read what comes before the check: nothing but the oldest version is imported', async () => {
  expect(SHEBANG).toBe('#!/usr/bin/env node');
  const imported = [...program.join('\n').matchAll(/\bfrom\s*["'`](.+?)["'`]/g)].map(([, name]) => name);
  expect(imported.toSorted()).toEqual(['./cli/package.js', 'node:process']);
  expect(await readFile(join(dirname(PROGRAM), 'cli/package.js'), 'utf8')).not.toContain('import');
});
