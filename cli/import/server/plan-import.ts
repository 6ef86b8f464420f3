/** Plans what an import changes in a cluster, with dry runs of the API server. */
import { environmentsOf } from '../../../src/domain/flag/flag-values.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { isClusterError } from '../../../src/errors.ts';
import { registry } from '../../../src/kinds/registry.ts';
import { resourcePath } from '../../../src/kube/api/paths.ts';
import { type FieldChange, fieldChanges } from '../../../src/kube/object/field-changes.ts';
import { parseObject } from '../../../src/kube/object/parse-object.ts';
import { fieldsWithOwnersOf } from '../../../src/kube/write/field-owners.ts';
import { isRecord } from '../../../src/model/json.ts';
import { runBounded } from '../../../src/runtime/run-bounded.ts';
import type { ClusterConnection } from '../../connection/cluster.ts';
import type { Manifest } from '../../manifests/parse-manifests.ts';
import { refOf } from '../../manifests/ref.ts';
import type { Conflict, ObjectPlan } from '../../plan/plan-objects.ts';
import { patchOf } from './patch-of.ts';

/** Fields of this manager are not protected, unlike those of an apply: the API and the console can change them. */
export const MANAGER = 'vexil-import';
export const WRITE_QUERY = { fieldManager: MANAGER, fieldValidation: 'Strict' } as const;
const DRY_RUN = { ...WRITE_QUERY, dryRun: 'All' } as const;
const CONCURRENCY = 8;

export interface Planned {
  readonly manifest: Manifest;
  readonly plan: ObjectPlan;
  /** The merge patch of an object that exists. */
  readonly patch?: unknown;
}

export async function planImport(
  manifests: readonly Manifest[],
  cluster: ClusterConnection,
): Promise<readonly Planned[]> {
  const plans = new Map<Manifest, Planned>();
  const spoken = manifests.flatMap((manifest) => (manifest.kind === 'environments' ? [nameIn(manifest)] : []));
  await runBounded(manifests, { concurrency: CONCURRENCY, goOn: () => true }, async (manifest) => {
    plans.set(manifest, { manifest, ...(await planOne(manifest, cluster, spoken)) });
  });
  return manifests.flatMap((manifest) => plans.get(manifest) ?? []);
}

function nameIn({ value }: Manifest): string {
  // The import has written the manifest.
  return wireNameOf(value as unknown as Parameters<typeof wireNameOf>[0]);
}

const NOTHING = { changes: [], conflicts: [], freezes: [] };

async function planOne(
  manifest: Manifest,
  { transport, namespace }: ClusterConnection,
  spoken: readonly string[],
): Promise<Omit<Planned, 'manifest'>> {
  const { kind } = registry[manifest.kind];
  const ref = refOf(manifest, namespace);
  const identity = { kind: kind.kind, ...ref, place: manifest.placeOf(['metadata', 'name']), ...NOTHING };
  const path = resourcePath(kind, ref.namespace, ref.name);
  try {
    const before = await transport.request({ method: 'GET', path }).catch(absentUnlessFailed);
    if (before === undefined) {
      const inNamespace = resourcePath(kind, ref.namespace);
      await transport.request({ method: 'POST', path: inNamespace, query: DRY_RUN, body: manifest.value });
      return { plan: { ...identity, action: 'create' } };
    }
    const patch = { spec: patchOf(specOf(before), wholeSpec(manifest, before, spoken)) };
    const contentType = 'application/merge-patch+json';
    const after = await transport.request({ method: 'PATCH', path, query: DRY_RUN, contentType, body: patch });
    const changes = fieldChanges(before, after);
    const conflicts = conflictsOf(manifest, before, changes);
    return { plan: { ...identity, changes, conflicts, action: actionOf(changes, conflicts) }, patch };
  } catch (error) {
    if (!isClusterError(error, 'invalid', 'forbidden', 'not-found', 'too-large', 'conflict')) throw error;
    return { plan: { ...identity, action: 'rejected', message: error.message } };
  }
}

function actionOf(changes: readonly FieldChange[], conflicts: readonly Conflict[]): ObjectPlan['action'] {
  if (conflicts.length > 0) return 'conflict';
  return changes.length > 0 ? 'change' : 'none';
}

function absentUnlessFailed(error: unknown): undefined {
  if (!isClusterError(error, 'not-found')) throw error;
}

function specOf(object: unknown): unknown {
  return isRecord(object) ? object['spec'] : undefined;
}

/** With the environments of the old server in which the flag has no configuration any more. */
function wholeSpec({ kind, value }: Manifest, before: unknown, spoken: readonly string[]): unknown {
  const { spec } = value;
  if (kind !== 'flags' || !isRecord(spec)) return spec;
  const present = environmentsOf(parseObject(registry.flags.kind, before)).map(([name]) => name);
  const emptied = present.filter((name) => spoken.includes(name)).map((name) => [name, { enabled: false }] as const);
  const environments = { ...Object.fromEntries(emptied), ...(isRecord(spec['environments']) && spec['environments']) };
  return { ...spec, ...(Object.keys(environments).length > 0 && { environments }) };
}

/** What others have written since the last import, or own, stays. */
function conflictsOf({ kind }: Manifest, before: unknown, changes: readonly FieldChange[]): readonly Conflict[] {
  const owned = fieldsWithOwnersOf(parseObject(registry[kind].kind as typeof registry.flags.kind, before), () => false);
  return changes.flatMap(({ path }) => {
    const fields = owned.filter(({ text }) => text === path || text.startsWith(`${path}.`));
    const [other] = fields.flatMap(({ owners }) => owners).filter(({ manager }) => manager !== MANAGER);
    return other ? [{ field: path, manager: other.manager }] : [];
  });
}
