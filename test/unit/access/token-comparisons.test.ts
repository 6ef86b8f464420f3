/** The time of a lookup discloses nothing about the value of a token: only digests are compared, or used as keys. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../../../src/access');

/** The names of token values in the code, before an operator or a method that compares. */
const NAMES = '(?:token|adminToken|value|authorization)';
const METHODS = '(?:get|has|includes|startsWith|endsWith|indexOf|localeCompare)';
const COMPARISON = new RegExp(
  [
    String.raw`\b${NAMES}\s*[!=]==?(?![=\s]*undefined)`,
    String.raw`[!=]==?\s*${NAMES}\b`,
    String.raw`\.${METHODS}\(${NAMES}[,)]`,
    String.raw`\[${NAMES}\]`,
  ].join('|'),
);

const compares = (text: string) => text.split('\n').filter((line) => COMPARISON.test(line));

test('no code compares a value itself', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) expect(compares(readFileSync(resolve(FOLDER, file), 'utf8')), file).toEqual([]);
});

test.each([
  'if (token === adminToken) return true;',
  'if (wanted !== token) return false;',
  'return known.get(token);',
  'return known.has(value) && true;',
  'return adminToken.startsWith(token);',
  'const caller = callers[token];',
])('the test detects %s', (line) => {
  expect(compares(line)).toHaveLength(1);
});
