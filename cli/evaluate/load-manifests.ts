/** Reads manifests that are to be evaluated. */
import { InputError } from '../input-error.ts';
import type { Finding } from '../lint/finding.ts';
import { lint } from '../lint/lint.ts';
import type { OfflineCluster } from '../lint/offline-cluster.ts';
import { readSources } from '../manifests/source.ts';
import type { Terminal } from '../terminal.ts';

/** Rules whose findings mean that the API server would not have the object as it is in the file. */
const REJECTED: readonly string[] = ['unreadable', 'schema', 'rule', 'Repeated'];
/** More do not help to begin with. */
const MAX_LISTED = 20;

interface Loading {
  readonly paths: readonly string[];
  /** Of objects that name no namespace. */
  readonly namespace: string;
}

/** Throws InputError for manifests that the API server rejects, as it evaluates nothing of them. */
export async function loadManifests(
  { paths, namespace }: Loading,
  { standardInput, now }: Pick<Terminal, 'standardInput' | 'now'>,
): Promise<OfflineCluster> {
  const sources = await readSources(paths, standardInput);
  const { findings, cluster } = await lint({ sources, context: [], namespace, now: now() });
  const rejected = findings.filter(({ rule }) => REJECTED.includes(rule));
  if (rejected.length === 0) return cluster;
  const lines = rejected.slice(0, MAX_LISTED).map(findingLine);
  throw new InputError(`the API server would reject these manifests, see vexil lint\n${lines.join('\n')}`);
}

function findingLine({ place: { file, line, column }, message, rule }: Finding): string {
  return `${file}:${line}:${column}: ${message} (${rule})`;
}
