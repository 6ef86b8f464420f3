/** Plans how applying manifests would change a cluster, with dry runs of the API server. */
import { ClusterError, type FrozenEnvironment, isClusterError } from '../../src/errors.ts';
import { definitions, registry } from '../../src/kinds/registry.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { type FieldChange, fieldChanges } from '../../src/kube/object/field-changes.ts';
import { refuseBeyondEtcd } from '../../src/kube/write/stored-size.ts';
import { recordsIn } from '../../src/model/json.ts';
import { keyOf, type Ref } from '../../src/model/object.ts';
import type { KindName } from '../../src/schema/kinds.ts';
import { asFailure, type ClusterConnection, isRejection, listObjects, readObject } from '../connection/cluster.ts';
import { mapBounded } from '../connection/map-bounded.ts';
import { metadataFindings } from '../lint/check-metadata.ts';
import { metadataChecker } from '../lint/check-shape.ts';
import type { Unreadable } from '../manifests/documents.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import type { Place } from '../manifests/place.ts';
import { metadataOf, refOf } from '../manifests/ref.ts';
import { costlyAfter, type FlagWrite, useAgainst } from './flag-write.ts';

export interface Conflict {
  /** The path of the field as the API server names it. */
  readonly field: string;
  /** The field manager that owns it with another value. */
  readonly manager: string;
}

export interface ObjectPlan {
  /** Empty for a document that cannot be read. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent if the files do not have the object. */
  readonly place?: Place;
  /** `conflict`: a server-side apply without force is rejected. `rejected`: any apply is rejected. */
  readonly action: 'create' | 'change' | 'none' | 'delete' | 'conflict' | 'rejected';
  readonly changes: readonly FieldChange[];
  /** Fields that other managers own with other values; a forced apply takes them. */
  readonly conflicts: readonly Conflict[];
  /** Freezes in force that refuse this change of a flag to everyone who may not bypass them. */
  readonly freezes: readonly FrozenEnvironment[];
  /** The message of the condition Usage, if SDKs ask for a flag that is deleted or archived. */
  readonly used?: string;
  /** Sentences about environments where a flag would be off, because its evaluation takes too long. */
  readonly costly?: readonly string[];
  /** The reason of a rejection. */
  readonly message?: string;
}

export interface PlanOptions {
  readonly fieldManager: string;
  /** Whether the apply takes fields of other managers. */
  readonly force: boolean;
  /** Whether objects are deleted that the manager has applied before and the files do not have. */
  readonly prune: boolean;
  readonly frozenBy: (write: FlagWrite) => readonly FrozenEnvironment[];
}

/** Returns plans in the order of the manifests, then those of deleted objects. */
export async function planObjects(
  manifests: readonly Manifest[],
  cluster: ClusterConnection,
  options: PlanOptions,
): Promise<readonly ObjectPlan[]> {
  const forbidden: ClusterError[] = [];
  const plans = await mapBounded(manifests, (manifest) =>
    planObject(manifest, cluster, options).catch((error: unknown) => {
      if (!isClusterError(error) || !isAboutOneObject(error)) throw error;
      if (error.code === 'missing-permission') forbidden.push(error);
      return rejectedPlan(identityOf(manifest, cluster), asFailure(error, cluster.place).message);
    }),
  );
  const [first] = forbidden;
  if (first && forbidden.length === manifests.length) throw first;
  const deleted = options.prune ? await planDeletions(manifests, cluster, options) : [];
  return [...plans, ...deleted];
}

/** Webhooks choose the status of a refusal. */
const ABOUT_ALL: readonly number[] = [401, 408, 429];

/** The API server answers 500 to some objects that it cannot read, and answers others as usual. */
function isAboutOneObject({ answer }: ClusterError): boolean {
  if (!answer) return false;
  return answer.status === 500 || (answer.status >= 400 && answer.status < 500 && !ABOUT_ALL.includes(answer.status));
}

async function planObject(manifest: Manifest, cluster: ClusterConnection, options: PlanOptions): Promise<ObjectPlan> {
  const { kind } = registry[manifest.kind];
  const ref = refOf(manifest, cluster.namespace);
  const identity = identityOf(manifest, cluster);
  const path = resourcePath(kind, ref.namespace, ref.name);
  const apply = (force: boolean): Promise<unknown> =>
    cluster.transport.request({
      method: 'PATCH',
      path,
      query: { fieldManager: options.fieldManager, force, dryRun: 'All', fieldValidation: 'Strict' },
      contentType: 'application/apply-patch+yaml',
      body: withRef(manifest.value, ref),
    });
  try {
    refuseOddMetadata(manifest);
    const before = await readObject(cluster, { kind, ...ref });
    const { conflicts, after } = await applyOver(apply);
    refuseBeyondEtcd(after, before);
    const changes = fieldChanges(before, after);
    const ofFlag = manifest.kind === 'flags' ? flagObstacles({ before, after }, options) : NOTHING;
    return {
      ...identity,
      ...NOTHING,
      ...ofFlag,
      action: actionOf({ before, conflicts, changes }, options),
      changes,
      conflicts,
    };
  } catch (error) {
    if (!isRejection(error)) throw error;
    return rejectedPlan(identity, error.message);
  }
}

const checkMetadata = metadataChecker();

/** kubectl does not even send an object whose metadata it cannot read; the API server ignores most of them. */
function refuseOddMetadata({ value }: Manifest): void {
  const [odd] = [...metadataFindings(value), ...checkMetadata(value)];
  if (odd) throw new ClusterError('invalid', odd.message);
}

type PlannedIdentity = Pick<ObjectPlan, 'kind' | 'namespace' | 'name' | 'place'>;

function identityOf(manifest: Manifest, { namespace }: ClusterConnection): PlannedIdentity {
  const { kind } = registry[manifest.kind].kind;
  return { kind, ...refOf(manifest, namespace), place: manifest.placeOf(['metadata', 'name']) };
}

/** A document that cannot be read, so that it is not known which objects it has. */
export function unreadablePlan({ place, message }: Unreadable): ObjectPlan {
  return rejectedPlan({ kind: '', namespace: '', name: '', place }, message);
}

function rejectedPlan(identity: PlannedIdentity, message: string): ObjectPlan {
  return { ...identity, action: 'rejected', ...NOTHING, message };
}

const NOTHING = { changes: [], conflicts: [], freezes: [] };

function flagObstacles(write: FlagWrite, { frozenBy }: Pick<PlanOptions, 'frozenBy'>) {
  const used = useAgainst(write);
  const costly = costlyAfter(write);
  return {
    freezes: frozenBy(write),
    ...(used !== undefined && { used }),
    ...(costly.length > 0 && { costly }),
  };
}

/** Returns the object as a forced apply leaves it, with the conflicts that require force. */
async function applyOver(apply: (force: boolean) => Promise<unknown>) {
  try {
    return { after: await apply(false), conflicts: [] };
  } catch (error) {
    return { conflicts: conflictsOf(error), after: await apply(true) };
  }
}

type Compared = Pick<ObjectPlan, 'changes' | 'conflicts'> & { readonly before: unknown };

function actionOf({ before, conflicts, changes }: Compared, { force }: PlanOptions): ObjectPlan['action'] {
  if (conflicts.length > 0 && !force) return 'conflict';
  if (before === undefined) return 'create';
  return changes.length > 0 ? 'change' : 'none';
}

/** Server-side apply requires the name and the namespace of its path. A status must fit the schema, as in kubectl. */
function withRef(value: Manifest['value'], ref: Ref): unknown {
  return { ...value, metadata: { ...metadataOf(value), ...ref } };
}

function conflictsOf(error: unknown): readonly Conflict[] {
  const causes = isClusterError(error, 'conflict') ? (error.answer?.causes ?? []) : [];
  const owned = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (owned.length === 0) throw error;
  return owned.map(({ field, message }) => ({
    field: field.replace(/^\./, ''),
    manager: /"([^"]+)"/.exec(message)?.[1] ?? message,
  }));
}

/**
 * Plans the deletion of objects that the manager has applied in the namespaces of the manifests, and that no manifest
 * describes.
 */
async function planDeletions(
  manifests: readonly Manifest[],
  cluster: ClusterConnection,
  { fieldManager, frozenBy }: PlanOptions,
): Promise<readonly ObjectPlan[]> {
  const named = (kind: KindName, ref: Ref) => `${kind}/${keyOf(ref)}`;
  const refs = manifests.map((manifest) => ({ kind: manifest.kind, ref: refOf(manifest, cluster.namespace) }));
  const kept = new Set(refs.map(({ kind, ref }) => named(kind, ref)));
  const deleted: ObjectPlan[] = [];
  for (const namespace of new Set(refs.map(({ ref }) => ref.namespace))) {
    for (const [kindName, { kind }] of definitions) {
      const applied = (await listObjects(cluster, kind, namespace)).filter((one) => isAppliedBy(one, fieldManager));
      const gone = applied.filter((one) => !kept.has(named(kindName, { namespace, name: nameOf(one) })));
      deleted.push(...gone.map((object) => deletionOf({ object, kindName, namespace, frozenBy })));
    }
  }
  return deleted;
}

interface Deletion extends Pick<PlanOptions, 'frozenBy'> {
  readonly object: unknown;
  readonly kindName: KindName;
  readonly namespace: string;
}

function deletionOf({ object, kindName, namespace, frozenBy }: Deletion): ObjectPlan {
  const ofFlag = kindName === 'flags' ? flagObstacles({ before: object, after: undefined }, { frozenBy }) : {};
  const identity = { kind: registry[kindName].kind.kind, namespace, name: nameOf(object) };
  return { ...NOTHING, ...identity, action: 'delete', ...ofFlag };
}

function isAppliedBy(object: unknown, fieldManager: string): boolean {
  return recordsIn(metadataOf(object)['managedFields']).some(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === 'Apply' && subresource === undefined,
  );
}

function nameOf(object: unknown): string {
  return String(metadataOf(object)['name'] ?? '');
}
