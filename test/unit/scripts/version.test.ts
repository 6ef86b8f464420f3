/** package.json has the version, and every other place has the same one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { versionPlaces, versionsIn } from '../../../scripts/version-places.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json'));

/** Returns documents and manifests, relative to the repository. */
function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() && /\.(md|ya?ml|json)$/.test(entry.name));
  return found.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

test('the lockfile', () => {
  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
});

const CHARTS = ['charts/vexil/Chart.yaml', 'charts/vexil-edge/Chart.yaml'];

test.each(CHARTS)('%s, its program and the image for Artifact Hub', (path) => {
  const chart = parse(read(path));
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
  const [image] = parse(chart.annotations['artifacthub.io/images']);
  expect(image).toEqual({ name: 'vexil', image: `vexil:${version}` });
});

test('the newest heading of the changelog', () => {
  expect(/^## (\S+),/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});

test('every image and action that a document or a manifest names', () => {
  const single = ['README.md', 'CONTRIBUTING.md', 'Makefile', 'action.yml'];
  const files = [...single, ...['docs', 'config', 'charts', 'crds', '.github'].flatMap(filesIn)];
  const named = files.flatMap((file) => versionsIn(read(file)).map((found) => ({ file, found })));
  expect(named.filter(({ found }) => found !== version)).toEqual([]);
  // `npm run generate` writes all of them: those in the list, a page, and the charts.
  const written = new Set([...versionPlaces().keys(), 'docs/from-unleash-edge.md', ...CHARTS]);
  expect(new Set(named.map(({ file }) => file))).toEqual(written);
});
