/** The tool that owns a flag is looked up by names in its annotations, which others may write. */
import { expect, test } from 'vitest';
import { flagSource } from '../../../cli/flags/flag-source.ts';
import { ClusterError } from '../../../src/errors.ts';

/** The source of a flag with these marks, and the paths that were read for it. */
async function sourceOf(marks: { labels?: Record<string, string>; annotations?: Record<string, string> }) {
  const paths: string[] = [];
  const request = async ({ path }: { readonly path: string }) => {
    paths.push(path);
    throw new ClusterError('not-found', 'nothing is here');
  };
  const transport = { request, stream: () => Promise.reject(new Error('no streams')), close: () => undefined };
  return { source: await flagSource({ transport }, marks), paths };
}

const TRACKING_ID = 'argocd.argoproj.io/tracking-id';

test('a name in a tracking id or a label stays one part of the path', async () => {
  expect(await sourceOf({ annotations: { [TRACKING_ID]: 'x_a?x:g' } })).toMatchObject({
    paths: ['/apis/argoproj.io/v1alpha1/namespaces/x/applications/a%3Fx'],
  });
  const labels = { 'kustomize.toolkit.fluxcd.io/name': 'a#x', 'kustomize.toolkit.fluxcd.io/namespace': 'flux' };
  expect(await sourceOf({ labels })).toMatchObject({
    paths: ['/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux/kustomizations/a%23x'],
  });
});

test.each([
  ['x_..', 'x/..'],
  ['.._x', '../x'],
  ['x_', 'x/'],
  ['_x', '/x'],
  ['x_a/b', 'x/a/b'],
  ['x_a%2Fb', 'x/a%2Fb'],
  [
    'x_../../../../../api/v1/namespaces/kube-system/secrets/y',
    'x/../../../../../api/v1/namespaces/kube-system/secrets/y',
  ],
])(
  'nothing is read for the tracking id %j, and the flag is explained as with an unknown application',
  async (id, name) => {
    const { source, paths } = await sourceOf({ annotations: { [TRACKING_ID]: `${id}:g` } });
    expect(source).toEqual({ kind: 'Argo CD Application', name, deployments: [] });
    expect(paths).toEqual([]);
  },
);
