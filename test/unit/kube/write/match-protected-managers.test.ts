/** Which field managers are protected. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../src/config/load-config.ts';
import { matchProtectedManagers } from '../../../../src/kube/write/match-protected-managers.ts';

const isProtectedByDefault = matchProtectedManagers(loadConfig({}).protectedManagers);

test.each([
  'argocd-controller',
  'argocd-application-controller',
  'kustomize-controller',
  'helm-controller',
  'helm',
  'fleetagent',
  'configsync',
])('%s is protected, with any operation', (manager) => {
  const said = (['Apply', 'Update'] as const).map((operation) => isProtectedByDefault({ manager, operation }, {}));
  expect(said).toEqual([true, true]);
});

test.each<[string, string, boolean, boolean]>([
  ['any other program', 'pulumi-kubernetes-1a2b', true, false],
  ['the user interface of Argo CD', 'argocd-server', true, false],
  ['a name that begins like kubectl', 'kubectlish', true, false],
  ['kubectl', 'kubectl', false, false],
  ['kubectl apply', 'kubectl-client-side-apply', false, false],
  ['kubectl edit', 'kubectl-edit', false, false],
  ['the admin API', 'vexil-api', false, false],
  ['the operator', 'vexil', false, false],
  ['managers that are long ago', 'ancient-changes', false, false],
])('%s (%s): by apply %s, by update %s', (_, manager, apply, update) => {
  const said = (['Apply', 'Update'] as const).map((operation) => isProtectedByDefault({ manager, operation }, {}));
  if (manager !== 'ancient-changes') expect(said[0]).toBe(apply);
  expect(said[1]).toBe(update);
});

test.each<[string, object, boolean]>([
  ['no label or annotation', { labels: { app: 'x' }, annotations: { note: 'x' } }, false],
  ['the tracking id of Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } }, true],
  ['the label of Argo CD', { labels: { 'argocd.argoproj.io/instance': 'a' } }, true],
  ['the label of a Flux Kustomization', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'a' } }, true],
  ['the label of a Flux HelmRelease', { labels: { 'helm.toolkit.fluxcd.io/name': 'a' } }, true],
  ['the annotation of Helm', { annotations: { 'meta.helm.sh/release-name': 'a' } }, true],
  ['a label that Argo CD and Helm charts share', { labels: { 'app.kubernetes.io/instance': 'a' } }, false],
])('ancient-changes on an object with %s', (_, metadata, want) => {
  expect(isProtectedByDefault({ manager: 'ancient-changes', operation: 'Update' }, metadata)).toBe(want);
});

test('ancient-changes does not count for a tool that is not protected', () => {
  const onlyHelm = matchProtectedManagers(['helm']);
  const metadata = { annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } };
  expect(onlyHelm({ manager: 'ancient-changes', operation: 'Update' }, metadata)).toBe(false);
});

test.each<[string, readonly string[], string, boolean]>([
  ['the whole name', ['team'], 'team', true],
  ['not a part of it', ['team'], 'team-a', false],
  ['any text for *', ['team-*-controller'], 'team-a-controller', true],
  ['no text for *', ['team*'], 'team', true],
  ['a dot for itself', ['a.b'], 'axb', false],
  ['Vexil, which never counts', ['*'], 'vexil-api', false],
  ['kubectl, if it is named', ['kubectl-edit'], 'kubectl-edit', true],
  ['no manager', [], 'argocd-controller', false],
])('a pattern stands for %s', (_, names, manager, want) => {
  expect(matchProtectedManagers(names)({ manager, operation: 'Update' }, {})).toBe(want);
});
