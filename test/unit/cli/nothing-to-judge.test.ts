/** A command that judges, and finds nothing to judge, fails and says so in words of this program. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { silentTerminal } from '../../../cli/terminal.ts';

const FLAG = 'apiVersion: vexil.dev/v1beta1\nkind: Project\nmetadata: { name: shop }\nspec: {}\n';
const OTHER = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-nothing-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'flag.yaml'), FLAG);
  await writeFile(join(folder, 'other.yaml'), OTHER);
  await writeFile(join(folder, 'none.yaml'), 'cases: []\n');
  await writeFile(join(folder, 'utf16.yaml'), Buffer.from(`\ufeff${FLAG}`, 'utf16le'));
  await writeFile(join(folder, 'binary.yaml'), Buffer.concat([Buffer.from('PNG\0'), Buffer.alloc(90, 'x')]));
  await mkdir(join(folder, 'text'));
  await writeFile(join(folder, 'text/flag.yaml'), FLAG);
  const json = JSON.stringify({ apiVersion: 'vexil.dev/v1beta1', kind: 'Project', metadata: { name: 'x' } });
  // kubectl reads the object after this space.
  await writeFile(join(folder, 'text/space.yaml'), `\u00a0${json}`);
  await writeFile(
    join(folder, 'helm.yaml'),
    'apiVersion: vexil.dev/v1beta1\nkind: Project\nmetadata:\n  name: {{ .Values.x }}\n',
  );
});

/** Returns the text of the error, or the result. `FOLDER` stands for the folder. */
async function run(args: string, input = ''): Promise<string> {
  const said: string[] = [];
  const terminal = {
    ...silentTerminal,
    standardInput: async () => input,
    write: (text: string) => void said.push(text),
  };
  const given = args.split(' ').map((arg) => arg.replace('FOLDER', folder));
  try {
    await createProgram(terminal, 'vexil').parseAsync(['node', 'vexil', ...given]);
  } catch (error) {
    return String(error).replaceAll(folder, 'FOLDER');
  }
  return said.join('').replaceAll(folder, 'FOLDER');
}

test.each([
  ['lint -', 'nothing to check in standard input'],
  ['lint FOLDER/empty', 'nothing to check in FOLDER/empty'],
  ['plan -f -', 'nothing to plan in standard input'],
  ['plan --prune -f FOLDER/empty', 'nothing to plan in FOLDER/empty'],
  ['evaluate -f FOLDER/empty', 'nothing to evaluate in FOLDER/empty'],
  ['test FOLDER/none.yaml -f FOLDER/flag.yaml', 'nothing to test in FOLDER/none.yaml'],
  ['import - --to FOLDER/out', 'standard input is empty'],
  ['lint FOLDER/utf16.yaml', 'FOLDER/utf16.yaml is text in UTF-16, as PowerShell 5 writes it: write UTF-8'],
  ['lint FOLDER/binary.yaml', 'FOLDER/binary.yaml is a binary file'],
  ['lint FOLDER/text', 'this document is a text, not an object'],
  ['lint FOLDER/missing.yaml', 'cannot read FOLDER/missing.yaml: there is no such file or folder'],
  ['lint FOLDER/helm.yaml', 'FOLDER/helm.yaml:4:10: error: this is a template that is not rendered'],
])('%s: %s', async (args, said) => {
  const text = await run(args);
  expect(text).toContain(said);
  expect(text).not.toMatch(/ENOENT|mapAsMap/);
});

test('text of PowerShell 5 at standard input is named, too', async () => {
  const input = Buffer.from(`\ufeff${FLAG}`, 'utf16le').toString('utf8');
  expect(await run('lint -', input)).toContain('standard input is text in UTF-16');
});

test('objects of other kinds only are no failure: the input was read', async () => {
  expect(await run('lint FOLDER/other.yaml')).toBe(
    '0 objects checked, 0 errors, 0 warnings, 1 object of other kinds passed over\n',
  );
});

test('a reference that Git does not know is named', async () => {
  expect(execFileSync('git', ['rev-parse', '--git-dir'], { encoding: 'utf8' })).not.toBe('');
  expect(await run('lint FOLDER/flag.yaml --against nope')).toContain(
    '--against nope: this repository has no such branch, tag or commit',
  );
});
