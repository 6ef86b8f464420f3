/** A file of a format that is not read is refused with what it seems to be, and no file of a known one is. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readImports } from '../../../cli/import/read-imports.ts';

const options = { environment: 'production', project: undefined };
const SAMPLES = join(import.meta.dirname, '../../samples/import');

/** Without rules, as the REST API answers by default. */
const launchDarkly = { key: 'a', variations: [{ value: true }], environments: { production: { on: true } } };

test.each<[string, unknown]>([
  ['a summary of LaunchDarkly flags', { items: [launchDarkly] }],
  ['a summary of LaunchDarkly flags', launchDarkly],
  ['a file of GO Feature Flag before version 1', { a: { true: true, false: false, default: false, percentage: 10 } }],
  ['what SDKs get of Unleash', { version: 2, features: [{ name: 'a' }], query: { environment: 'production' } }],
  ['a bootstrap file of an SDK', [{ name: 'a', enabled: true, strategies: [] }]],
  ['a state of Terraform', { version: 4, terraform_version: '1.9.0', resources: [] }],
  ['a package.json', { name: 'shop', version: '1.0.0', dependencies: {} }],
  ['an error of a server', { id: '1', name: 'NotFoundError', message: 'no' }],
])('%s is refused by its name', async (name, document) => {
  const source = { file: 'given.json', text: JSON.stringify(document) };
  await expect(readImports([source], options)).rejects.toThrow(`given.json cannot be imported: it seems to be ${name}`);
});

test.each([
  ['a web page', '<!doctype html><html></html>'],
  ['text or a table', 'name,enabled'],
])('%s is refused by its name', async (name, text) => {
  await expect(readImports([{ file: 'given', text }], options)).rejects.toThrow(`it seems to be ${name}`);
});

test('samples of all formats that are read are not refused', async () => {
  const files = (await readdir(SAMPLES)).filter((name) => name.includes('.'));
  expect(files.length).toBeGreaterThan(6);
  for (const file of files) await readImports([{ file, text: await readFile(join(SAMPLES, file), 'utf8') }], options);
});
