/** The pages for those who carry the code on name what exists, and every record. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const docs = join(root, 'docs');

test('each mechanism names a source and a test that exist', () => {
  const rows = readFileSync(join(docs, 'mechanisms.md'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('`src/') || line.includes('`cli/'));
  expect(rows.length).toBeGreaterThan(30);
  for (const row of rows) {
    const named = [...row.matchAll(/`((?:src|cli|test)\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(
      named.filter((path) => path.startsWith('test/')),
      row,
    ).toHaveLength(1);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  }
});

test('the index of decision records has each of them once', () => {
  const index = readFileSync(join(docs, 'adr/README.md'), 'utf8');
  for (const record of globSync('0*.md', { cwd: join(docs, 'adr') })) {
    expect(index.split(`](${record})`), record).toHaveLength(2);
  }
});
