/** The alerts of a chart, from a rule file of Prometheus. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The path is relative to the repository. The leading comment is left out, because it would end up in the middle of an
 * object.
 */
export function rulesOf(path: string): string {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const rest = lines.slice(lines.findIndex((line) => !line.startsWith('#')));
  return rest.join('\n');
}
