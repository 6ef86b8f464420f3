/** Makes manifests of imported objects. */
import { objectNamesFor } from '../../src/domain/identity/names.ts';
import { registry } from '../../src/kinds/registry.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { manifestText } from '../../src/wire/admin/manifest.ts';
import { type ManifestFile, manifestPath } from '../files/manifest-file.ts';
import type { ImportedObject } from './imported.ts';

export interface Namespaces {
  /** The namespace of projects, of their flags and of their segments. */
  readonly namespace: string;
  /** The namespace of environments, strategy types, and segments for all projects. */
  readonly operatorNamespace: string;
}

/** Returns the manifest in its file, with the object name that the API would give it. */
export function manifestOf({ kind, name: wireName, spec }: ImportedObject, namespaces: Namespaces): ManifestFile {
  const [name = wireName] = objectNamesFor(wireName);
  const namespace = namespaceOf({ kind, spec }, namespaces);
  const { kind: definition } = registry[kind];
  const object = {
    apiVersion: API_VERSION,
    kind: definition.kind,
    metadata: { name, namespace },
    spec: { ...(name !== wireName && { name: wireName }), ...spec },
  };
  return { path: manifestPath({ namespace, plural: definition.plural, name }), text: manifestText([object]) };
}

function namespaceOf(
  { kind, spec }: Pick<ImportedObject, 'kind' | 'spec'>,
  { namespace, operatorNamespace }: Namespaces,
): string {
  if (kind === 'segments') return 'project' in spec && spec.project !== undefined ? namespace : operatorNamespace;
  return ['flags', 'projects'].includes(kind) ? namespace : operatorNamespace;
}
