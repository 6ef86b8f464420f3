/** Runs all planned writers at the same time, then collects what was observed. */
import { isClusterError } from '../../../src/errors.ts';
import { resourcePath } from '../../../src/kube/api/paths.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { type ReplicaAddress, showFlag, writeThroughReplica } from './admin-writes.ts';
import { type FlagPlace, pathOfFlag, readFlag, writeToCluster } from './cluster-writes.ts';
import { type Fields, holds } from './fields.ts';
import type { EntryPoint, FinalView, History, Operation, Read, Version } from './history.ts';
import { fieldsOfPresent, SHORT_LIVED } from './life.ts';
import type { PlannedOperation, PlannedWriter } from './plan.ts';
import { watchVersions } from './watch-versions.ts';

/** Something that happens to the system in the middle of the run. */
export interface Incident {
  readonly afterOperations: number;
  readonly happen: () => void | Promise<void>;
}

export interface RunParts {
  readonly writers: readonly PlannedWriter[];
  readonly flags: readonly string[];
  readonly place: FlagPlace;
  /** The replicas that are there now; asked before each operation. */
  readonly replicas: () => readonly ReplicaAddress[];
  readonly incidents?: readonly Incident[];
}

export interface Run {
  readonly history: History;
  readonly durationMs: number;
}

const CLUSTER_ENTRY_POINTS: ReadonlySet<EntryPoint> = new Set([
  'merge',
  'apply',
  'replace',
  'kubectl-create',
  'kubectl-delete',
]);

/** Resolves when every writer has finished and every replica shows what the API server has. */
export async function runWriters(parts: RunParts): Promise<Run> {
  const { place, writers } = parts;
  const path = resourcePath(featureFlag, place.namespace);
  const watch = await watchVersions(place.transport, { path, absent: SHORT_LIVED });
  try {
    const startedAt = performance.now();
    const seen = await letLoose(parts, writers);
    const durationMs = performance.now() - startedAt;
    const finalViews = await lastLooks(parts, watch.versions);
    return { history: { ...seen, versions: watch.versions, finalViews }, durationMs };
  } finally {
    await watch.stop();
  }
}

async function letLoose(parts: RunParts, writers: readonly PlannedWriter[]) {
  const operations: Operation[] = [];
  const reads: Read[] = [];
  const happening: (void | Promise<void>)[] = [];

  async function work({ operations: planned }: PlannedWriter): Promise<void> {
    for (const one of planned) {
      const { operation, reads: looks } = await carryOut(parts, one);
      operations.push(operation);
      reads.push(...looks);
      for (const { afterOperations, happen } of parts.incidents ?? []) {
        if (operations.length === afterOperations) happening.push(happen());
      }
    }
  }

  await Promise.all(writers.map(work));
  await Promise.all(happening);
  return { operations, reads };
}

async function carryOut(parts: RunParts, planned: PlannedOperation): Promise<{ operation: Operation; reads: Read[] }> {
  const { id, writer, entryPoint, flag, writes, dryRun } = planned;
  const facts = { id, writer, entryPoint, flag, writes, dryRun, startedAt: performance.now() };
  if (CLUSTER_ENTRY_POINTS.has(entryPoint)) {
    const result = await writeToCluster(parts.place, planned);
    return { operation: { ...facts, ...result, endedAt: performance.now() }, reads: [] };
  }
  const replicas = parts.replicas();
  const replica = replicas[planned.replica % replicas.length];
  if (!replica) throw new Error('there is no replica left');
  const { result, endedAt, reads } = await writeThroughReplica(replica, planned);
  return { operation: { ...facts, ...result, replica: replica.name, endedAt }, reads };
}

/** Replicas may be behind for a moment. A replica that stays behind misses the deadline. */
async function lastLooks(parts: RunParts, versions: History['versions']): Promise<FinalView[]> {
  const views = await Promise.all([...parts.flags, ...SHORT_LIVED].map((flag) => lookAt(parts, flag, versions)));
  return views.flat();
}

async function lookAt(parts: RunParts, flag: string, versions: History['versions']): Promise<FinalView[]> {
  const truth = { who: 'the API server', flag, fields: await lastFields(parts, flag, versions) };
  const views = parts.replicas().map(async (replica) => {
    let shown: Fields = {};
    const agrees = async () => {
      shown = await showFlag(replica, flag);
      return holds(truth.fields, shown) && Object.keys(shown).length > 0;
    };
    await waitUntil({ what: `${replica.name} shows the last version of ${flag}` }, agrees);
    return { who: replica.name, flag, fields: shown };
  });
  return [truth, ...(await Promise.all(views))];
}

/** The final state at the API server, after the watch has reported it too. */
function lastFields({ place }: RunParts, flag: string, versions: readonly Version[]): Promise<Fields> {
  const path = pathOfFlag(place.namespace, flag);
  return waitUntil({ what: `the watch has reported the last version of ${flag}` }, async () => {
    const live = await readFlag(place.transport, path).catch(absentIfNotFound);
    const last = versions.findLast((version) => version.flag === flag);
    if (!live) return last?.fields['exists'] === 'false' && last.fields;
    return last?.version === live.metadata.resourceVersion && fieldsOfPresent(live.spec);
  });
}

function absentIfNotFound(error: unknown): undefined {
  if (!isClusterError(error, 'not-found')) throw error;
}
