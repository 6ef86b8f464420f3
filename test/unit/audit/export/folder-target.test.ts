/** The folder of the export: who else writes there leads no write elsewhere. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderTarget } from '../../../../src/audit/export/folder-target.ts';

const segment = { name: 'segment.ndjson', text: '{"n":1}\n' };
const never = new AbortController().signal;
let folder: string;
let precious: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-export-'));
  precious = join(folder, 'precious');
  await writeFile(precious, 'archive!');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a link under the name of an unfinished segment is not followed', async () => {
  await symlink(precious, join(folder, '.segment.ndjson.unfinished'));
  await folderTarget(folder).put(segment, never);
  expect(await readFile(precious, 'utf8')).toBe('archive!');
  expect(await readFile(join(folder, segment.name), 'utf8')).toBe(segment.text);
});

test('a link under the name of a segment is no segment, whatever its size', async () => {
  await symlink(precious, join(folder, segment.name));
  await expect(folderTarget(folder).put(segment, never)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(precious, 'utf8')).toBe('archive!');
});
