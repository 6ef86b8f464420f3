/** docs/README.md lists every page of docs/. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../../docs');

test('every page has an entry in the index, except the decision records, which have one together', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const pages = globSync(['*.md', 'kinds/*.md'], { cwd: folder }).filter((page) => page !== 'README.md');
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  expect(index).toContain('](adr)');
});
