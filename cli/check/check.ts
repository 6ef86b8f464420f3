/** A check of an installation: what it reads, and what it finds. */
import type { Located } from '../../src/kube/api/paths.ts';
import type { Access } from '../../src/kube/api/reviews.ts';
import type { ObjectPlace } from '../connection/cluster.ts';

export type CheckVerdict = 'ok' | 'warning' | 'error' | 'unknown';

/** One result of a check. */
export interface CheckResult {
  readonly verdict: CheckVerdict;
  readonly message: string;
  /** The command or the step that mends it. */
  readonly mend?: string;
}

/** Any object of the cluster. */
export type ReadObject = Readonly<Record<string, unknown>>;

export interface CheckedCluster {
  /** What the API server says of its version. */
  version(): Promise<ReadObject>;
  /** Undefined if the object does not exist. */
  get(place: ObjectPlace): Promise<ReadObject | undefined>;
  /** As `get`, without what the object contains: values of Secrets stay in the cluster. */
  exists(place: ObjectPlace): Promise<boolean>;
  /** All objects of a kind, or those of the namespace; none if the cluster does not know the kind. */
  list(kind: Located, namespace?: string): Promise<readonly ReadObject[]>;
  /** Whether the ServiceAccount of the operator may do it. */
  mayOperator(access: OperatorAccess): Promise<boolean>;
}

/** Without a namespace: in the whole cluster. */
export type OperatorAccess = Omit<Access, 'namespace'> & { readonly namespace?: string };

/** The operator as its Deployment describes it. */
export interface Installation {
  readonly namespace: string;
  /** The Deployment. */
  readonly name: string;
  readonly account: string;
  readonly isOfHelm: boolean;
  /** The release of Helm. */
  readonly release: string;
  readonly deployment: ReadObject;
  /** The environment variables with values, also those of ConfigMaps. */
  readonly settings: ReadonlyMap<string, string>;
}

export interface CheckParts {
  readonly cluster: CheckedCluster;
  readonly installation: Installation;
  /** The version of this program. */
  readonly version: string;
}

export type Check = (parts: CheckParts) => Promise<readonly CheckResult[]>;

export const fine = (message: string): CheckResult => ({ verdict: 'ok', message });

/** The first names, with the number of the others. */
export function firstOf(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return names.slice(0, max).join(', ') + more;
}

/** The command that brings the objects of this version back, in the way in which they were installed. */
export function installAgain({ isOfHelm, release, namespace, settings }: Installation): string {
  if (isOfHelm) return `helm upgrade ${release} charts/vexil --namespace ${namespace} --reset-then-reuse-values`;
  const overlay = settings.get('VEXIL_WATCH_NAMESPACES') === '*' ? 'cluster' : 'namespaced';
  return `kubectl apply --server-side --force-conflicts -k config/overlays/${overlay} # or your overlay`;
}
