/** Finds the source of a flag by the labels and annotations of GitOps tools. */
import type { ClusterError } from '../../src/errors.ts';
import { isClusterError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { isRecord } from '../../src/model/json.ts';
import type { ObjectMetadata } from '../../src/model/object.ts';
import type { ClusterConnection } from '../connection/cluster.ts';

export interface FlagSource {
  /** The tool and the kind of its object, such as `Flux Kustomization`. */
  readonly kind: string;
  /** The name of the object, with its namespace if that is known. */
  readonly name: string;
  /** The commit that the tool applied last; absent if it is not known, or the user may not read it. */
  readonly revision?: string;
  readonly repository?: string;
  /** The commits that were applied until now, oldest first, if the tool records them. */
  readonly deployments?: readonly Deployment[];
}

interface Deployment {
  readonly revision: string;
  /** RFC 3339. */
  readonly startedAt: string;
}

/** Returns the commit that was applied last, or was being applied, at that time; undefined if it is not known. */
export function commitAt({ deployments = [] }: FlagSource, time: string): string | undefined {
  return deployments.findLast(({ startedAt }) => Date.parse(startedAt) <= Date.parse(time))?.revision;
}

type Texts = Readonly<Record<string, string>>;

interface GitOpsTool {
  readonly kind: string;
  /** The label with the name of the tool's object, and the label with its namespace. */
  readonly labels: readonly [name: string, namespace: string];
  /** The API path of the objects; absent if the tool has none. */
  readonly api?: readonly [root: string, plural: string];
}

const TOOLS: readonly GitOpsTool[] = [
  {
    kind: 'Flux Kustomization',
    labels: ['kustomize.toolkit.fluxcd.io/name', 'kustomize.toolkit.fluxcd.io/namespace'],
    api: ['apis/kustomize.toolkit.fluxcd.io/v1', 'kustomizations'],
  },
  {
    kind: 'Flux HelmRelease',
    labels: ['helm.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/namespace'],
    api: ['apis/helm.toolkit.fluxcd.io/v2', 'helmreleases'],
  },
  { kind: 'Helm release', labels: ['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'] },
];

/** `APPLICATION:GROUP/KIND:NAMESPACE/NAME`; the application is `NAMESPACE_NAME` outside of the namespace of Argo CD. */
const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
const ARGO_CD = 'argocd';

type Reachable = Pick<ClusterConnection, 'transport'>;

/** Returns undefined if no tool has marked the object. */
export async function flagSource(
  cluster: Reachable,
  { labels = {}, annotations = {} }: Pick<ObjectMetadata, 'labels' | 'annotations'>,
): Promise<FlagSource | undefined> {
  const marks = { ...labels, ...annotations };
  return (await argoApplication(cluster, marks)) ?? (await toolObject(cluster, marks));
}

async function argoApplication(cluster: Reachable, marks: Texts): Promise<FlagSource | undefined> {
  const [application = ''] = (marks[TRACKING_ID] ?? '').split(':');
  if (application === '') return undefined;
  const [first = '', ...rest] = application.split('_');
  const [namespace, name] = rest.length > 0 ? [first, rest.join('_')] : [ARGO_CD, first];
  const found = await read(
    cluster,
    resourcePath({ plural: 'applications', root: 'apis/argoproj.io/v1alpha1' }, namespace, name),
  );
  return {
    kind: 'Argo CD Application',
    name: `${namespace}/${name}`,
    ...textAt('revision', found, ['status', 'sync', 'revision']),
    ...textAt('repository', found, ['spec', 'source', 'repoURL']),
    deployments: deploymentsOf(found),
  };
}

/** Reads an application with one source. Argo CD records ten deployments by default. */
function deploymentsOf(application: unknown): readonly Deployment[] {
  const history = valueAt(application, ['status', 'history']);
  const known = (Array.isArray(history) ? history : []).flatMap((entry: unknown) => {
    const [revision, startedAt] = [valueAt(entry, ['revision']), valueAt(entry, ['deployStartedAt'])];
    const isKnown = typeof revision === 'string' && revision !== '' && typeof startedAt === 'string';
    return isKnown ? [{ revision, startedAt }] : [];
  });
  return known.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
}

async function toolObject(cluster: Reachable, marks: Texts): Promise<FlagSource | undefined> {
  for (const { kind, labels, api } of TOOLS) {
    const [name, namespace = ''] = labels.map((label) => marks[label]);
    if (name === undefined) continue;
    const path = api && resourcePath({ plural: api[1], root: api[0] }, namespace, name);
    const found = path === undefined ? undefined : await read(cluster, path);
    return { kind, name: `${namespace}/${name}`, ...textAt('revision', found, ['status', 'lastAppliedRevision']) };
  }
  return undefined;
}

/** Returns undefined if the object does not exist, or the user may not read it. */
function read({ transport }: Reachable, path: string): Promise<unknown> {
  return transport.request({ method: 'GET', path }).catch((error: ClusterError) => {
    if (!isClusterError(error, 'missing-permission', 'forbidden', 'not-found')) throw error;
  });
}

function textAt(name: 'revision' | 'repository', value: unknown, path: readonly string[]): Partial<FlagSource> {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? { [name]: found } : {};
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at: unknown, key) => (isRecord(at) ? at[key] : undefined), value);
}
