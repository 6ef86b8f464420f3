/** A folder of the product has no more files than a reader takes in at a glance. */
import { posix, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readTexts } from './source.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAX_FILES = 25;

const crowded = (paths: readonly string[]) =>
  [...Map.groupBy(paths, (path) => posix.dirname(path))]
    .filter(([, files]) => files.length > MAX_FILES)
    .map(([folder, files]) => `${folder} has ${files.length} files: make several folders of it`);

test('in this project', () => {
  const texts = readTexts(ROOT, ['src', 'cli', 'console/src']);
  expect(texts.length).toBeGreaterThan(500);
  expect(crowded(texts.map(({ path }) => path))).toEqual([]);
});

test('one file too many is found, and counts only for its own folder', () => {
  const files = (count: number, folder: string) =>
    Array.from({ length: count }, (_, index) => `${folder}/a${index}.ts`);
  expect(crowded([...files(MAX_FILES, 'src/a'), ...files(MAX_FILES, 'src/a/b')])).toEqual([]);
  expect(crowded(files(MAX_FILES + 1, 'src/a'))).toEqual(['src/a has 26 files: make several folders of it']);
});
