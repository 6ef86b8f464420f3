/** What it takes to give flags the specs of a past time, found out by dry runs of the API server. */
import type { FrozenEnvironment } from '../../src/errors.ts';
import { isClusterError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import { type FieldChange, fieldChanges } from '../../src/kube/object/field-changes.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { fieldsWithOwnersOf } from '../../src/kube/write/field-owners.ts';
import type { IsProtected } from '../../src/kube/write/protected-managers.ts';
import { refuseBeyondEtcd } from '../../src/kube/write/stored-size.ts';
import { isRecord } from '../../src/model/json.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import type { Ref } from '../../src/model/object.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import type { ClusterConnection } from '../connection/cluster.ts';
import type { FlagWrite } from '../plan/freezes-against.ts';
import type { Conflict, ObjectPlan } from '../plan/plan-objects.ts';

/** The history names the manager of each change, so each entry says that it is a restore. */
export const RESTORE_QUERY = { fieldManager: 'vexil-restore', fieldValidation: 'Strict' } as const;
const DRY_RUN = { ...RESTORE_QUERY, dryRun: 'All' } as const;
const PATCH = 'application/merge-patch+json';

/** A flag as it was. */
export interface WantedFlag extends Ref {
  readonly spec: unknown;
}

export interface PlannedFlag {
  readonly plan: ObjectPlan;
  readonly write: (cluster: ClusterConnection) => Promise<void>;
}

export interface Judging {
  readonly protectionOf: (flag: FeatureFlag) => Promise<IsProtected>;
  readonly frozenBy: (write: FlagWrite) => readonly FrozenEnvironment[];
}

/** The flag and its name stay with the object: its identity cannot change. */
export async function planRestore(
  wanted: WantedFlag,
  cluster: ClusterConnection,
  judging: Judging,
): Promise<PlannedFlag> {
  const { namespace, name } = wanted;
  const identity = { kind: featureFlag.kind, namespace, name, changes: [], conflicts: [], freezes: [] };
  const path = resourcePath(featureFlag, namespace, name);
  const present = await presentFlag(cluster, path);
  const call = callFor(path, wanted, present);
  const write = async ({ transport }: ClusterConnection) => {
    await transport.request({ ...call, query: RESTORE_QUERY });
  };
  try {
    const after = await cluster.transport.request({ ...call, query: DRY_RUN });
    refuseBeyondEtcd(after, present);
    if (present === undefined) return { plan: { ...identity, action: 'create' }, write };
    const changes = fieldChanges({ spec: specOf(present) }, { spec: specOf(after) });
    const before = parseObject(featureFlag, present);
    const conflicts = conflictsOf(before, changes, await judging.protectionOf(before));
    const freezes = judging.frozenBy({ before: present, after });
    return { plan: { ...identity, action: actionOf(changes, conflicts), changes, conflicts, freezes }, write };
  } catch (error) {
    if (!isClusterError(error, 'invalid', 'forbidden', 'not-found', 'too-large', 'conflict')) throw error;
    return { plan: { ...identity, action: 'rejected', message: error.message }, write };
  }
}

function callFor(path: string, { namespace, name, spec }: WantedFlag, present: unknown): Call {
  if (present === undefined) {
    const body = { apiVersion: API_VERSION, kind: featureFlag.kind, metadata: { namespace, name }, spec };
    return { method: 'POST', path: resourcePath(featureFlag, namespace), body };
  }
  const body = { spec: patchTo(specOf(present), spec), metadata: { resourceVersion: versionOf(present) } };
  return { method: 'PATCH', path, contentType: PATCH, body };
}

async function presentFlag({ transport }: ClusterConnection, path: string): Promise<unknown> {
  return transport.request({ method: 'GET', path }).catch((error: unknown) => {
    if (isClusterError(error, 'not-found')) return undefined;
    throw error;
  });
}

function actionOf(changes: readonly FieldChange[], conflicts: readonly Conflict[]): ObjectPlan['action'] {
  if (conflicts.length > 0) return 'conflict';
  return changes.length > 0 ? 'change' : 'none';
}

/** The merge patch that makes the one value from the other. */
function patchTo(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.fromEntries([
    ...Object.entries(after).map(([key, value]) => [key, patchTo(before[key], value)] as const),
    ...gone.map((key) => [key, null] as const),
  ]);
}

function conflictsOf(
  flag: FeatureFlag,
  changes: readonly FieldChange[],
  isProtected: IsProtected,
): readonly Conflict[] {
  const owned = fieldsWithOwnersOf(flag, isProtected);
  return changes.flatMap(({ path }) => {
    const fields = owned.filter(({ text }) => text === path || text.startsWith(`${path}.`));
    const [git] = fields.flatMap(({ owners }) => owners).filter((owner) => owner.isProtected);
    return git ? [{ field: path, manager: git.manager }] : [];
  });
}

function specOf(object: unknown): unknown {
  return isRecord(object) ? object['spec'] : undefined;
}

/** A change between the plan and the write is not overwritten. */
function versionOf(object: unknown): unknown {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  return isRecord(metadata) ? metadata['resourceVersion'] : undefined;
}
