/** Whether endpoints and metrics of earlier releases still exist. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { frozen, frozenPath } from '../../support/releases/frozen.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trim().split('\n');

const endpoints = () => read('docs/api.md').match(/(?<=^### )(GET|POST|PUT|PATCH|DELETE) \S+/gm) ?? [];
const metrics = () =>
  globSync('src/**/*.ts', { cwd: root }).flatMap((file) => read(file).match(/(?<=')vexil_\w+(?=')/g) ?? []);

describe.each(frozen('interface-'))('%s', (release) => {
  test.each([
    ['endpoint', 'endpoints.txt', endpoints],
    ['metric', 'metrics.txt', metrics],
  ])('no %s was removed', (_, file, present) => {
    const [before, now] = [linesOf(frozenPath(release, file)), new Set<string>(present())];
    expect(before.length).toBeGreaterThan(20);
    expect(before.filter((name) => !now.has(name))).toEqual([]);
  });
});
