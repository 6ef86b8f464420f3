/** What it takes to give objects the specs of a past time, found out by dry runs of the API server. */
import type { FrozenEnvironment } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import { fieldChanges } from '../../src/kube/object/field-changes.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import type { IsProtected } from '../../src/kube/write/match-protected-managers.ts';
import { refuseBeyondEtcd } from '../../src/kube/write/stored-size.ts';
import { isRecord, recordOf } from '../../src/model/json.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import type { CustomObject, Ref } from '../../src/model/object.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { type ClusterConnection, isRejection, readObject } from '../connection/cluster.ts';
import { metadataOf } from '../manifests/ref.ts';
import type { FlagWrite } from '../plan/flag-write.ts';
import { mergePatch, planOfPatch } from '../plan/merge-patch.ts';
import type { ObjectPlan } from '../plan/plan-objects.ts';
import type { AnyKind } from './restorable-kinds.ts';

/** The history names the manager of each change, so each entry says that it is a restore. */
export const RESTORE_QUERY = { fieldManager: 'vexil-restore', fieldValidation: 'Strict' } as const;
const DRY_RUN = { ...RESTORE_QUERY, dryRun: 'All' } as const;
const PATCH = 'application/merge-patch+json';

/** An object as it was. */
export interface WantedObject extends Ref {
  readonly kind: AnyKind;
  /** Undefined: the server does not say it. */
  readonly uid: string | undefined;
  readonly spec: unknown;
}

export interface PlannedWrite {
  readonly plan: ObjectPlan;
  readonly write: (cluster: ClusterConnection) => Promise<void>;
  /** What the object does not get back. */
  readonly note?: string;
}

export interface Judging {
  readonly protectionOf: (object: CustomObject<unknown, unknown>, kind: AnyKind) => Promise<IsProtected>;
  /** Whether the state of an object that is gone goes to the one that has its name now. */
  readonly takesOthers: boolean;
  readonly frozenBy: (write: FlagWrite) => readonly FrozenEnvironment[];
}

/** The name stays with the object: its identity cannot change. */
export async function planRestore(
  wanted: WantedObject,
  cluster: ClusterConnection,
  judging: Judging,
): Promise<PlannedWrite> {
  const { kind, namespace, name } = wanted;
  const identity = { kind: kind.kind, namespace, name, changes: [], conflicts: [], freezes: [] };
  const path = resourcePath(kind, namespace, name);
  const present = await readObject(cluster, { kind, namespace, name });
  const call = callFor(path, wanted, present);
  const write = async ({ transport }: ClusterConnection) => {
    await transport.request({ ...call, query: RESTORE_QUERY });
  };
  const rejected = (message: string): PlannedWrite => ({ plan: { ...identity, action: 'rejected', message }, write });
  try {
    const after = await cluster.transport.request({ ...call, query: DRY_RUN });
    refuseBeyondEtcd(after, present);
    if (present === undefined) return { plan: { ...identity, action: 'create' }, write, ...noteOf(wanted) };
    const changes = fieldChanges({ spec: specOf(present) }, { spec: specOf(after) });
    if (changes.length > 0 && isOther(wanted, present) && !judging.takesOthers) return rejected(otherObject(wanted));
    const before = parseObject(kind, present);
    const planned = planOfPatch(before, changes, await judging.protectionOf(before, kind));
    const freezes = kind.kind === featureFlag.kind ? judging.frozenBy({ before: present, after }) : [];
    return { plan: { ...identity, ...planned, freezes }, write };
  } catch (error) {
    if (!isRejection(error)) throw error;
    return rejected(present === undefined && error.code === 'not-found' ? noNamespace(wanted) : error.message);
  }
}

function isOther({ uid }: WantedObject, present: unknown): boolean {
  return uid !== undefined && metadataOf(present)['uid'] !== uid;
}

function otherObject({ uid, name }: WantedObject): string {
  return `${name} is another object now: that of then, with the uid ${uid}, is gone. With --other-objects this one gets its state`;
}

function noNamespace({ kind, namespace }: WantedObject): string {
  return `the namespace ${namespace} is gone, and the ${kind.kind} with it: create the namespace first`;
}

function callFor(path: string, { kind, namespace, name, spec }: WantedObject, present: unknown): Call {
  if (present === undefined) {
    const body = { apiVersion: API_VERSION, kind: kind.kind, metadata: { namespace, name }, spec: specOfNew(spec) };
    return { method: 'POST', path: resourcePath(kind, namespace), body };
  }
  // A change between the plan and the write is not overwritten.
  const metadata = { resourceVersion: metadataOf(present)['resourceVersion'] };
  const body = { spec: mergePatch(specOf(present), spec, () => true), metadata };
  return { method: 'PATCH', path, contentType: PATCH, body };
}

function noteOf({ kind, name, spec }: WantedObject): Pick<PlannedWrite, 'note'> {
  if (!isRecord(spec) || !Object.hasOwn(spec, 'clone')) return {};
  return { note: `${kind.kind} ${name} is made again without spec.clone, which would copy flags again` };
}

/** A clone was made once: a new Environment would make it again, over the flags of today. */
function specOfNew(spec: unknown): unknown {
  if (!isRecord(spec)) return spec;
  const { clone: _, ...rest } = spec;
  return rest;
}

function specOf(object: unknown): unknown {
  return recordOf(object)['spec'];
}
