/** What `vexil check` expects is what the project ships. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Installation, installAgain } from '../../../cli/check/check.ts';
import { EXPECTED_POLICIES } from '../../../cli/check/check-admission.ts';
import { KUBERNETES } from '../../../cli/check/check-operator.ts';
import { kubernetesVersions } from '../../../scripts/tools/control-plane/versions.ts';

const ADMISSION = join(import.meta.dirname, '../../../config/admission');

test('it expects the policies of config/admission, and the one for older clusters instead', () => {
  const policiesIn = (pattern: string) =>
    globSync(pattern, { cwd: ADMISSION })
      .flatMap((path) => parseAllDocuments(readFileSync(join(ADMISSION, path), 'utf8')))
      .filter((document) => /AdmissionPolicy$/.test(String(document.get('kind'))))
      .map((document) => document.getIn(['metadata', 'name']));
  expect(policiesIn('*.yaml').toSorted()).toEqual(Object.keys(EXPECTED_POLICIES).toSorted());
  const instead = Object.values(EXPECTED_POLICIES).flatMap((policy) => policy.instead ?? []);
  expect(policiesIn('older/*.yaml')).toEqual(instead);
});

test('it knows the versions of Kubernetes that are tested', async () => {
  const minors = (await kubernetesVersions()).map(({ minor }) => minor);
  expect([KUBERNETES.oldest, KUBERNETES.newest]).toEqual([minors[0], minors.at(-1)]);
});

test.each([
  ['Helm', true, '', 'helm upgrade flags charts/vexil --namespace team --reset-then-reuse-values'],
  [
    'kustomize',
    false,
    '',
    'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  ],
  [
    'kustomize in all namespaces',
    false,
    '*',
    'kubectl apply --server-side --force-conflicts -k config/overlays/cluster # or your overlay',
  ],
])('what was installed with %s is mended with it', (_with, isOfHelm, watched, command) => {
  const settings = new Map([['VEXIL_WATCH_NAMESPACES', watched]]);
  const installation = { isOfHelm, release: 'flags', namespace: 'team', settings } as Partial<Installation>;
  expect(installAgain(installation as Installation)).toBe(command);
});
