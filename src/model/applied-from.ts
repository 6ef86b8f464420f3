/** The object of a GitOps tool that an object is applied from, by the marks of the tool on it. */
import type { ObjectMetadata } from './object.ts';

export interface AppliedFrom {
  /** Such as "Flux Kustomization". */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface Tool {
  readonly kind: string;
  /** The label with the name of the tool's object, and the label with its namespace. */
  readonly labels: readonly [name: string, namespace: string];
}

export const ARGO_CD_APPLICATION = 'Argo CD Application';
export const FLUX_KUSTOMIZATION = 'Flux Kustomization';
export const FLUX_HELM_RELEASE = 'Flux HelmRelease';

const TOOLS: readonly Tool[] = [
  {
    kind: FLUX_KUSTOMIZATION,
    labels: ['kustomize.toolkit.fluxcd.io/name', 'kustomize.toolkit.fluxcd.io/namespace'],
  },
  { kind: FLUX_HELM_RELEASE, labels: ['helm.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/namespace'] },
  { kind: 'Helm release', labels: ['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'] },
];

/** `APPLICATION:GROUP/KIND:NAMESPACE/NAME`; the application is `NAMESPACE_NAME` outside of the namespace of Argo CD. */
const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
const ARGO_CD = 'argocd';

/** Returns undefined if no tool has marked the object. */
export function appliedFrom({
  labels = {},
  annotations = {},
}: Pick<ObjectMetadata, 'labels' | 'annotations'>): AppliedFrom | undefined {
  const marks: Readonly<Record<string, string>> = { ...labels, ...annotations };
  const [application = ''] = (marks[TRACKING_ID] ?? '').split(':');
  if (application !== '') {
    const [first = '', ...rest] = application.split('_');
    const [namespace, name] = rest.length > 0 ? [first, rest.join('_')] : [ARGO_CD, first];
    return { kind: ARGO_CD_APPLICATION, namespace, name };
  }
  for (const { kind, labels: keys } of TOOLS) {
    const [name, namespace = ''] = keys.map((key) => marks[key]);
    if (name !== undefined) return { kind, namespace, name };
  }
  return undefined;
}
