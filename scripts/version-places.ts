/**
 * Puts the version of package.json into files that people write: the tag of the image, those of the charts and of
 * the action.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const PLACES = [
  'README.md',
  'config/edge/kustomization.yaml',
  'config/operator/kustomization.yaml',
  'docs/check-flags.md',
  'docs/install-edge.md',
  'docs/install.md',
  'docs/kustomize.md',
  'docs/release.md',
];
const VERSION = /(?<=\bvexil:|\bvexil@v|\bnewTag: |\bcharts\/vexil(?:-edge)? --version )\d+\.\d+\.\d+\b/g;

/** Returns the versions that a text names as the present one. */
export function versionsIn(text: string): readonly string[] {
  return text.match(VERSION) ?? [];
}

/** Returns paths, relative to the repository, with their texts. */
export function versionPlaces(): ReadonlyMap<string, string> {
  const texts = PLACES.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
  return new Map(texts.map(([path, text]) => [path, text.replace(VERSION, manifest.version)]));
}
