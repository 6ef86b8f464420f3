/** Writes objects under any field manager, as GitOps tools do. */
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import type { Manifest } from './builders.ts';
import type { Stored } from './stored.ts';

export type Writers = ReturnType<typeof writersOf>;

interface ApplyOptions {
  readonly force?: boolean;
}

/** The caller must close the writers. */
export function writersOf({ kubeconfig }: { readonly kubeconfig: string }) {
  const transport = connect(loadKubeConfig(kubeconfig));
  const collection = ({ apiVersion, kind, metadata }: Manifest) =>
    `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;
  const pathOf = (manifest: Manifest) => `${collection(manifest)}/${manifest.metadata.name}`;
  return {
    /** Applies the manifest with server-side apply. */
    apply: (fieldManager: string, manifest: Manifest, { force = true }: ApplyOptions = {}): Promise<Stored> =>
      transport.request({
        method: 'PATCH',
        path: pathOf(manifest),
        query: { fieldManager, force },
        contentType: 'application/apply-patch+yaml',
        body: manifest,
      }),
    /** Creates the object as a tool does that applies on the client's side. */
    create: (fieldManager: string, manifest: Manifest): Promise<Stored> =>
      transport.request({ method: 'POST', path: collection(manifest), query: { fieldManager }, body: manifest }),
    /** Merges a part of the spec into the object. */
    merge: (fieldManager: string, manifest: Manifest, spec: object): Promise<Stored> =>
      transport.request({
        method: 'PATCH',
        path: pathOf(manifest),
        query: { fieldManager },
        contentType: 'application/merge-patch+json',
        body: { spec },
      }),
    close: () => transport.close(),
  };
}

/** The fields of the spec that a manager owns; undefined if it owns none. */
export function ownedBy({ metadata }: Stored, manager: string, operation: 'Apply' | 'Update'): Stored {
  const entry = metadata.managedFields.find(
    (one: Stored) => one.manager === manager && one.operation === operation && one.subresource === undefined,
  );
  return entry?.fieldsV1['f:spec'];
}
