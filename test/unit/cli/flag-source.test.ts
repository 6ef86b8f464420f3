/** The tool that owns a flag is looked up by names in its annotations, which others may write. */
import { expect, test } from 'vitest';
import { flagSource } from '../../../cli/flags/flag-source.ts';
import { ClusterError } from '../../../src/errors.ts';

async function pathsFor(marks: { labels?: Record<string, string>; annotations?: Record<string, string> }) {
  const paths: string[] = [];
  const request = async ({ path }: { readonly path: string }) => {
    paths.push(path);
    throw new ClusterError('not-found', 'nothing is here');
  };
  const transport = { request, stream: () => Promise.reject(new Error('no streams')), close: () => undefined };
  await flagSource({ transport }, marks);
  return paths;
}

const CLIMBING = '../../../../../api/v1/namespaces/kube-system/secrets/y';

test('a name in a tracking id or a label stays one part of the path', async () => {
  const encoded = encodeURIComponent(CLIMBING);
  expect(await pathsFor({ annotations: { 'argocd.argoproj.io/tracking-id': `x_${CLIMBING}:g` } })).toEqual([
    `/apis/argoproj.io/v1alpha1/namespaces/x/applications/${encoded}`,
  ]);
  const labels = { 'kustomize.toolkit.fluxcd.io/name': CLIMBING, 'kustomize.toolkit.fluxcd.io/namespace': 'flux' };
  expect(await pathsFor({ labels })).toEqual([
    `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux/kustomizations/${encoded}`,
  ]);
});
