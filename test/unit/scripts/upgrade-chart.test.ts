/** Whether the chart accepts the values of earlier charts, and has their settings and alerts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { frozen, frozenPath } from '../../support/releases/frozen.ts';

interface ValueSchema {
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

const PRESENT = fileURLToPath(new URL('../../../charts/vexil', import.meta.url));
const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

/** The path of each value, such as `audit.postgres.existingSecret`. */
function valuesOf(folder: string): readonly string[] {
  const below = ({ properties = {} }: ValueSchema, path: string): readonly string[] =>
    Object.entries(properties).flatMap(([name, inner]) => [`${path}${name}`, ...below(inner, `${path}${name}.`)]);
  return below(JSON.parse(read(folder, 'values.schema.json')), '');
}

const settingsOf = (folder: string) => read(folder, 'templates/_settings.tpl').match(/VEXIL_\w+/g) ?? [];

const alertsOf = (folder: string): readonly string[] =>
  parse(read(folder, 'files/rules.yaml')).groups.flatMap(({ rules }: { rules: readonly { alert: string }[] }) =>
    rules.map(({ alert }) => alert),
  );

describe.each(frozen('chart-'))('%s', (release) => {
  test.each([
    ['value', valuesOf],
    ['setting', settingsOf],
    ['alert', alertsOf],
  ])('no %s was removed', (_, namesOf) => {
    const [before, now] = [namesOf(frozenPath(release)), namesOf(PRESENT)];
    expect(before.length).toBeGreaterThan(10);
    expect(before.filter((name) => !now.includes(name))).toEqual([]);
  });
});
