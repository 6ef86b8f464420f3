/** Plans what an import changes in a cluster, with dry runs of the API server. */
import { environmentsOf } from '../../../src/domain/flag/flag-values.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { registry } from '../../../src/kinds/registry.ts';
import { resourcePath } from '../../../src/kube/api/paths.ts';
import { fieldChanges } from '../../../src/kube/object/field-changes.ts';
import { parseObject } from '../../../src/kube/object/parse-object.ts';
import { isRecord, recordOf } from '../../../src/model/json.ts';
import { type ClusterConnection, isRejection, readObject } from '../../connection/cluster.ts';
import { mapBounded } from '../../connection/map-bounded.ts';
import type { Manifest } from '../../manifests/parse-manifests.ts';
import { refOf } from '../../manifests/ref.ts';
import { mergePatch, planOfPatch } from '../../plan/merge-patch.ts';
import type { ObjectPlan } from '../../plan/plan-objects.ts';

/** Fields of this manager are not protected, unlike those of an apply: the API and the console can change them. */
export const MANAGER = 'vexil-import';
export const WRITE_QUERY = { fieldManager: MANAGER, fieldValidation: 'Strict' } as const;
const DRY_RUN = { ...WRITE_QUERY, dryRun: 'All' } as const;

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
  const spoken = manifests.flatMap((manifest) => (manifest.kind === 'environments' ? [nameIn(manifest)] : []));
  return mapBounded(manifests, async (manifest) => ({ manifest, ...(await planOne(manifest, cluster, spoken)) }));
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
    const before = await readObject({ transport }, { kind, ...ref });
    if (before === undefined) {
      const inNamespace = resourcePath(kind, ref.namespace);
      await transport.request({ method: 'POST', path: inNamespace, query: DRY_RUN, body: manifest.value });
      return { plan: { ...identity, action: 'create' } };
    }
    const patch = { spec: mergePatch(recordOf(before)['spec'], wholeSpec(manifest, before, spoken), isRemoved) };
    const contentType = 'application/merge-patch+json';
    const after = await transport.request({ method: 'PATCH', path, query: DRY_RUN, contentType, body: patch });
    // What others have written since the last import, or own, stays.
    const planned = planOfPatch(
      parseObject(kind as typeof registry.flags.kind, before),
      fieldChanges(before, after),
      isOfOthers,
    );
    return { plan: { ...identity, ...planned }, patch };
  } catch (error) {
    if (!isRejection(error)) throw error;
    return { plan: { ...identity, action: 'rejected', message: error.message } };
  }
}

function isOfOthers({ manager }: { readonly manager: string }): boolean {
  return manager !== MANAGER;
}

/**
 * What the old server no longer has goes, by its path in the spec: `*` is the name of an environment. Other fields,
 * such as windows and members, are those of people here.
 */
const REMOVED: readonly (readonly string[])[] = [
  ['description'],
  ['tags'],
  ['dependencies'],
  ['variants'],
  ['archived'],
  ['stale'],
  ['environments', '*', 'variants'],
  ['environments', '*', 'strategies'],
];

/** The strategies of an environment go with everything that is in them. */
function isRemoved(path: readonly string[]): boolean {
  return REMOVED.some((pattern) => {
    const isWhole = path.length === pattern.length || (pattern.at(-1) === 'strategies' && path.length > pattern.length);
    return isWhole && pattern.every((key, index) => key === '*' || key === path[index]);
  });
}

/** With the environments of the old server in which the flag has no configuration any more. */
function wholeSpec({ kind, value }: Manifest, before: unknown, spoken: readonly string[]): unknown {
  const { spec } = value;
  if (kind !== 'flags' || !isRecord(spec)) return spec;
  const present = environmentsOf(parseObject(registry.flags.kind, before)).map(([name]) => name);
  const emptied = present.filter((name) => spoken.includes(name)).map((name) => [name, { enabled: false }] as const);
  const environments = { ...Object.fromEntries(emptied), ...recordOf(spec['environments']) };
  return { ...spec, ...(Object.keys(environments).length > 0 && { environments }) };
}
