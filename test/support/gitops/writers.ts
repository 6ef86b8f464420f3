/** Every tool that applies manifests, each with the requests that the real program sends for a custom resource. */
import { isDeepStrictEqual } from 'node:util';
import { isClusterError } from '../../../src/errors.ts';
import type { Call, Transport } from '../../../src/kube/api/transport.ts';
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import type { Manifest } from '../builders.ts';
import { LAST_APPLIED, lastAppliedOf } from '../create-as-kubectl.ts';
import type { Stored } from '../stored.ts';
import { FLUX_MODE, fluxCleanup } from './flux-cleanup.ts';
import { fieldsOfPatch, mergePatchBetween } from './merge-patch.ts';

/** conflict: another manager owns a field that the writer wants to change, and nothing was written. */
export type Outcome = 'written' | 'nothing to do' | 'conflict';

export interface Writer {
  readonly name: string;
  /** The operation and field manager that own its fields. */
  readonly owner: string;
  /** Applies the manifest, as often as it is called. */
  apply(manifest: Manifest): Promise<Outcome>;
}

const MERGE = 'application/merge-patch+json';

type Answering = (call: Call) => Promise<Stored>;

/** Returns the writers in the order of the page. */
export function writersOn(transport: Transport): readonly Writer[] {
  const request: Answering = (call) => transport.request(call) as Promise<Stored>;
  return [
    flux(request),
    clientSide(request, { name: 'Argo CD', manager: 'argocd-controller', prepare: trackedByArgoCd }),
    serverSide(request, {
      name: 'Argo CD, ServerSideApply',
      manager: 'argocd-controller',
      force: true,
      prepare: trackedByArgoCd,
    }),
    applyingAsKubectl(request),
    serverSide(request, { name: 'kubectl apply --server-side', manager: 'kubectl', force: false }),
    mergePatching(request),
    editing(request),
    helm3(request),
    serverSide(request, { name: 'Helm 4', manager: 'helm', force: false, prepare: releasedByHelm }),
  ];
}

/** `kubectl apply` of objects of any kind of Vexil, without the cost of starting the program. */
export function kubectlApply(transport: Transport): Writer {
  return applyingAsKubectl((call) => transport.request(call) as Promise<Stored>);
}

/** `kubectl apply --server-side --force-conflicts`. */
export function kubectlForcedApply(transport: Transport): Writer {
  const request: Answering = (call) => transport.request(call) as Promise<Stored>;
  return serverSide(request, { name: 'kubectl apply --server-side, forced', manager: 'kubectl', force: true });
}

function applyingAsKubectl(request: Answering): Writer {
  return clientSide(request, { name: 'kubectl apply', manager: 'kubectl-client-side-apply' });
}

const collectionOf = ({ apiVersion, kind, metadata }: Manifest) =>
  `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;
const pathOf = (manifest: Manifest) => `${collectionOf(manifest)}/${manifest.metadata.name}`;

async function present(request: Answering, manifest: Manifest): Promise<Stored | undefined> {
  try {
    return await request({ method: 'GET', path: pathOf(manifest) });
  } catch (error) {
    if (isClusterError(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Ignores a status that the operator may have written meanwhile. */
async function outcomeOf(request: Answering, manifest: Manifest, write: () => Promise<Stored>): Promise<Outcome> {
  const before = await present(request, manifest);
  try {
    const after = await write();
    return before && isDeepStrictEqual(beside(after), beside(before)) ? 'nothing to do' : 'written';
  } catch (error) {
    if (isClusterError(error, 'conflict')) return 'conflict';
    throw error;
  }
}

/** Returns the object without its status, but with the owners of fields and their times. */
function beside({ metadata: { resourceVersion: _, managedFields, ...metadata }, spec }: Stored): object {
  return { spec, metadata, owners: managedFields.filter(({ subresource }: Stored) => subresource === undefined) };
}

function withMetadata(manifest: Manifest, more: object): Manifest {
  const { metadata } = manifest;
  const merged = Object.entries(more).map(([key, value]) => [key, { ...metadata[key as 'annotations'], ...value }]);
  return { ...manifest, metadata: { ...metadata, ...Object.fromEntries(merged) } };
}

/** Annotation tracking, the default of Argo CD 3. */
function trackedByArgoCd(manifest: Manifest): Manifest {
  const { kind, metadata } = manifest;
  const id = `flags:vexil.dev/${kind}:${metadata.namespace}/${metadata.name}`;
  return withMetadata(manifest, { annotations: { 'argocd.argoproj.io/tracking-id': id } });
}

function releasedByHelm(manifest: Manifest): Manifest {
  const annotations = {
    'meta.helm.sh/release-name': 'flags',
    'meta.helm.sh/release-namespace': manifest.metadata.namespace,
  };
  return withMetadata(manifest, { labels: { 'app.kubernetes.io/managed-by': 'Helm' }, annotations });
}

function keptByFlux(manifest: Manifest): Manifest {
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'flags',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
  };
  return withMetadata(manifest, { labels });
}

const asItIs = (manifest: Manifest) => manifest;

interface ServerSide {
  readonly name: string;
  readonly manager: string;
  readonly force: boolean;
  readonly prepare?: (manifest: Manifest) => Manifest;
}

interface Applying {
  readonly manager: string;
  readonly force: boolean;
  readonly dryRun?: 'All';
}

function applyCall(manifest: Manifest, { manager, force, dryRun }: Applying): Call {
  return {
    method: 'PATCH',
    path: pathOf(manifest),
    query: { fieldManager: manager, force, fieldValidation: 'Strict', dryRun },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  };
}

function serverSide(request: Answering, { name, manager, force, prepare = asItIs }: ServerSide): Writer {
  return {
    name,
    owner: `Apply ${manager}`,
    apply: (manifest) => outcomeOf(request, manifest, () => request(applyCall(prepare(manifest), { manager, force }))),
  };
}

const FLUX = 'kustomize-controller';

/**
 * Checks first what an apply would change, and does not write the object if that is nothing. Takes over the fields that
 * kubectl owns.
 */
function flux(request: Answering): Writer {
  return {
    name: 'Flux',
    owner: `Apply ${FLUX}`,
    apply(manifest) {
      const wanted = keptByFlux(manifest);
      return outcomeOf(request, manifest, async () => {
        const existing = await present(request, manifest);
        if (existing && !(await isDrifted(request, wanted, existing))) return existing;
        return request(applyCall(wanted, { manager: FLUX, force: true }));
      });
    },
  };
}

/** Takes over fields first, and applies again if any were taken over. */
async function isDrifted(request: Answering, wanted: Manifest, existing: Stored): Promise<boolean> {
  if (wanted.metadata.annotations?.[FLUX_MODE] === 'IfNotPresent') return false;
  const cleanup = fluxCleanup(existing, FLUX);
  if (cleanup.length > 0) {
    const query = { fieldManager: FLUX };
    const contentType = 'application/json-patch+json';
    await request({ method: 'PATCH', path: pathOf(wanted), query, contentType, body: cleanup });
    return true;
  }
  const would = await request(applyCall(wanted, { manager: FLUX, force: true, dryRun: 'All' }));
  return !isDeepStrictEqual(compared(existing), compared(would));
}

/** The part that Flux compares: everything that users write. */
function compared({ metadata: { labels = {}, annotations = {} }, status: _, ...rest }: Stored): object {
  return { ...rest, metadata: { labels, annotations } };
}

interface ClientSide {
  readonly name: string;
  readonly manager: string;
  readonly prepare?: (manifest: Manifest) => Manifest;
}

/** A three-way merge of what was applied last, what is applied now, and the present object. */
function clientSide(request: Answering, { name, manager, prepare = asItIs }: ClientSide): Writer {
  return {
    name,
    owner: `Update ${manager}`,
    apply(manifest) {
      const wanted = prepare(manifest);
      const modified = withMetadata(wanted, { annotations: { [LAST_APPLIED]: lastAppliedOf(wanted) } });
      const query = { fieldManager: manager, fieldValidation: 'Strict' };
      return outcomeOf(request, manifest, async () => {
        const current = await present(request, manifest);
        if (!current) return request({ method: 'POST', path: collectionOf(manifest), query, body: modified });
        const original = JSON.parse(current.metadata.annotations?.[LAST_APPLIED] ?? '{}');
        const patch = threeWay({ original, modified, current });
        if (Object.keys(patch).length === 0) return current;
        return request({ method: 'PATCH', path: pathOf(manifest), query, contentType: MERGE, body: patch });
      });
    },
  };
}

interface Ways {
  readonly original: Stored;
  readonly modified: Stored;
  readonly current: Stored;
}

/** Sets fields that are wanted and differ, and removes fields that were wanted before and are not any more. */
function threeWay({ original, modified, current }: Ways): Stored {
  const set = fieldsOfPatch(mergePatchBetween(current, modified), (value) => value !== null);
  const taken = fieldsOfPatch(mergePatchBetween(original, modified), (value) => value === null);
  return merged(set, taken);
}

function merged(one: Stored, other: Stored): Stored {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return other;
  const both = Object.keys(other).map((key) => [key, key in one ? merged(one[key], other[key]) : other[key]]);
  return { ...one, ...Object.fromEntries(both) };
}

/** Sends the complete manifest each time. */
function mergePatching(request: Answering): Writer {
  return {
    name: 'kubectl patch',
    owner: 'Update kubectl-patch',
    apply: (manifest) =>
      outcomeOf(request, manifest, async () => {
        if (!(await present(request, manifest))) await createEmpty(request, manifest);
        return patchAsKubectl(request, manifest, { manager: 'kubectl-patch', body: { spec: manifest.spec } });
      }),
  };
}

/** A user opens the object, edits it to match the manifest, and saves it: the changes are sent. */
function editing(request: Answering): Writer {
  return {
    name: 'kubectl edit',
    owner: 'Update kubectl-edit',
    apply: (manifest) =>
      outcomeOf(request, manifest, async () => {
        const current = (await present(request, manifest)) ?? (await createEmpty(request, manifest));
        const spec = fieldsOfPatch(mergePatchBetween(current.spec ?? {}, manifest.spec), (value) => value !== null);
        if (Object.keys(spec).length === 0) return current;
        return patchAsKubectl(request, manifest, { manager: 'kubectl-edit', body: { spec } });
      }),
  };
}

/** Creates the object with the immutable fields, which must exist from the start. */
function createEmpty(request: Answering, manifest: Manifest): Promise<Stored> {
  const { project } = manifest.spec as FlagSpec;
  const query = { fieldManager: 'kubectl-create', fieldValidation: 'Strict' };
  return request({ method: 'POST', path: collectionOf(manifest), query, body: { ...manifest, spec: { project } } });
}

interface Patching {
  readonly manager: string;
  readonly body: object;
}

function patchAsKubectl(request: Answering, manifest: Manifest, { manager, body }: Patching): Promise<Stored> {
  return request({
    method: 'PATCH',
    path: pathOf(manifest),
    query: { fieldManager: manager },
    contentType: MERGE,
    body,
  });
}

/** Compares the new release of a custom resource with the one before, and never with the present object. */
function helm3(request: Answering): Writer {
  const released = new Map<string, Manifest>();
  const query = { fieldManager: 'helm' };
  return {
    name: 'Helm 3',
    owner: 'Update helm',
    apply(manifest) {
      const wanted = releasedByHelm(manifest);
      const path = pathOf(manifest);
      const before = released.get(path);
      return outcomeOf(request, manifest, async () => {
        released.set(path, structuredClone(wanted));
        if (!before) return request({ method: 'POST', path: collectionOf(manifest), query, body: wanted });
        const patch = mergePatchBetween(before, wanted);
        if (Object.keys(patch).length === 0) return request({ method: 'GET', path });
        return request({ method: 'PATCH', path, query, contentType: MERGE, body: patch });
      });
    },
  };
}
