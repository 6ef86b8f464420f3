/**
 * The tests that `make compat` runs, and the statements of the chart and the documentation about versions of
 * Kubernetes.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubernetesVersions } from '../../../scripts/tools/control-plane/versions.ts';
import { compatTests } from '../../compat/selection.ts';
import { abilitiesOf } from '../../support/control-plane/abilities.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const versions = (await kubernetesVersions()).map(({ minor }) => minor);
const [lowest = ''] = versions;

test.each(versions)('each glob of the tests against Kubernetes %s matches files', (minor) => {
  const globs = compatTests(minor);
  expect(globs.length).toBeGreaterThan(50);
  expect(globs.filter((glob) => globSync(glob, { cwd: root }).length === 0)).toEqual([]);
});

test('a newer version runs all tests of an older one', () => {
  for (const [index, minor] of versions.entries()) {
    const newer = compatTests(versions[index + 1] ?? minor);
    expect(compatTests(minor).filter((glob) => !newer.includes(glob))).toEqual([]);
  }
});

test('the lowest version that the charts accept is the lowest tested one', () => {
  for (const chart of ['vexil', 'vexil-edge'])
    expect(parse(read(`charts/${chart}/Chart.yaml`)).kubeVersion).toBe(`>=${lowest}.0-0`);
  expect(read('docs/install.md')).toContain(`Vexil needs Kubernetes ${lowest} or newer`);
  expect(read('docs/upgrade.md')).toContain(`The chart needs Kubernetes ${lowest} or newer`);
});

/** The words for each ability in the column `Lacks` of docs/install.md. */
const LACKS = {
  streamsLists: 'streamed lists',
  sorts: '`sort()` in CEL',
  recordsAuthors: 'MutatingAdmissionPolicy',
} as const;

test.each(Object.entries(LACKS))('docs/install.md lists the versions without %s', async (ability, words) => {
  const found = versions.map(async (version) => {
    const [major, minor] = version.split('.');
    const abilities = await abilitiesOf({ request: async <T>() => ({ major, minor }) as T });
    return abilities[ability as keyof typeof LACKS] ? [] : [version];
  });
  const row = new RegExp(`^\\| ([\\d., ]+) \\| ${RegExp.escape(words)}.* \\| .* \\|$`, 'm');
  expect(row.exec(read('docs/install.md'))?.[1]?.split(', ')).toEqual((await Promise.all(found)).flat());
});

test('docs/install.md lists nothing else that a version lacks', () => {
  const rows = read('docs/install.md').match(/^\| 1\.\d\d[\d., ]* \|/gm);
  expect(rows).toHaveLength(Object.keys(LACKS).length);
});
