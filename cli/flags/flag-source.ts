/** Finds the source of a flag by the labels and annotations of GitOps tools. */
import { isClusterError } from '../../src/errors.ts';
import type { Located } from '../../src/kube/api/paths.ts';
import {
  ARGO_CD_APPLICATION,
  appliedFrom,
  FLUX_HELM_RELEASE,
  FLUX_KUSTOMIZATION,
} from '../../src/model/applied-from.ts';
import { isRecord } from '../../src/model/json.ts';
import type { ObjectMetadata, Ref } from '../../src/model/object.ts';
import { type ClusterConnection, readObject } from '../connection/cluster.ts';

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

/** The objects of tools that have such objects. */
const KINDS: Readonly<Record<string, Located>> = {
  [FLUX_KUSTOMIZATION]: { plural: 'kustomizations', root: 'apis/kustomize.toolkit.fluxcd.io/v1' },
  [FLUX_HELM_RELEASE]: { plural: 'helmreleases', root: 'apis/helm.toolkit.fluxcd.io/v2' },
  [ARGO_CD_APPLICATION]: { plural: 'applications', root: 'apis/argoproj.io/v1alpha1' },
};

type Reachable = Pick<ClusterConnection, 'transport'>;

/** Returns undefined if no tool has marked the object. */
export async function flagSource(
  cluster: Reachable,
  metadata: Pick<ObjectMetadata, 'labels' | 'annotations'>,
): Promise<FlagSource | undefined> {
  const from = appliedFrom(metadata);
  if (!from) return undefined;
  const { kind, namespace, name } = from;
  const located = KINDS[kind];
  const found = located && (await read(cluster, located, { namespace, name }));
  const source = { kind, name: `${namespace}/${name}` };
  if (kind !== ARGO_CD_APPLICATION)
    return { ...source, ...textAt('revision', found, ['status', 'lastAppliedRevision']) };
  return {
    ...source,
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

/** Returns undefined if the object does not exist, or the user may not read it. */
async function read(cluster: Reachable, kind: Located, ref: Ref): Promise<unknown> {
  try {
    return await readObject(cluster, { kind, ...ref });
  } catch (error) {
    if (!isClusterError(error, 'missing-permission', 'forbidden')) throw error;
    return undefined;
  }
}

function textAt(name: 'revision' | 'repository', value: unknown, path: readonly string[]): Partial<FlagSource> {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? { [name]: found } : {};
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at: unknown, key) => (isRecord(at) ? at[key] : undefined), value);
}
