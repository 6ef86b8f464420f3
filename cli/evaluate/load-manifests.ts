/** Reads the manifests to evaluate. */
import { InputError } from '../failure.ts';
import { lint } from '../lint/lint.ts';
import type { OfflineCluster } from '../lint/offline-cluster.ts';
import { placeText } from '../manifests/place.ts';
import { readSources, refuseNothing } from '../manifests/source.ts';
import type { Terminal } from '../terminal.ts';

/** Findings of these rules mean that the cluster would not have the object as it is in the file. */
const REJECTED: readonly string[] = ['unreadable', 'schema', 'rule', 'Repeated'];
/** The number of findings in the error message; more do not help at first. */
const MAX_LISTED = 20;

interface Loading {
  readonly paths: readonly string[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

/** Throws an InputError for manifests that the API server would reject, because the operator never evaluates those. */
export async function loadManifests(
  { paths, namespace }: Loading,
  { standardInput, now }: Pick<Terminal, 'standardInput' | 'now'>,
): Promise<OfflineCluster> {
  const sources = await readSources(paths, standardInput);
  const { findings, cluster, checked } = await lint({ sources, context: [], namespace, now: now() });
  const rejected = findings.filter(({ rule }) => REJECTED.includes(rule));
  if (checked + rejected.length === 0) refuseNothing('evaluate', paths);
  if (rejected.length === 0) return cluster;
  const lines = rejected
    .slice(0, MAX_LISTED)
    .map(({ place, message, rule }) => `${placeText(place)}: ${message} (${rule})`);
  throw new InputError(`the API server would reject these manifests, see vexil lint\n${lines.join('\n')}`);
}
