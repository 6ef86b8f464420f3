/** Makes manifests of imported objects. */
import { DEFAULT_PROJECT, objectNamesFor } from '../../src/domain/identity/names.ts';
import { registry } from '../../src/kinds/registry.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { manifestText } from '../../src/wire/admin/manifest.ts';
import { type ManifestFile, manifestPath } from '../files/manifest-file.ts';
import type { ImportedObject } from './imported.ts';

export interface Layout {
  /** The namespace of projects, of their flags and of their segments. */
  readonly namespace: string;
  /** The namespace of environments, strategy types, and segments for all projects. */
  readonly operatorNamespace: string;
  /** The folders: one for each namespace (the default), or one for each project and one for everything else. */
  readonly folders?: 'namespaces' | 'projects';
}

/** The folder of what belongs to no project. */
const OF_ALL_PROJECTS = 'instance';

/** Returns the manifest in its file, with the object name that the API would give it. */
export function manifestOf(imported: ImportedObject, layout: Layout): ManifestFile {
  const { kind, name: wireName, spec } = imported;
  const [name = wireName] = objectNamesFor(wireName);
  const namespace = namespaceOf(imported, layout);
  const { kind: definition } = registry[kind];
  const object = {
    apiVersion: API_VERSION,
    kind: definition.kind,
    metadata: { name, namespace },
    spec: { ...(name !== wireName && { [kind === 'users' ? 'username' : 'name']: wireName }), ...spec },
  };
  const folder = layout.folders === 'projects' ? folderOf(imported) : namespace;
  return { path: manifestPath({ folder, plural: definition.plural, name }), text: manifestText([object]) };
}

function folderOf(imported: ImportedObject): string {
  const [folder = OF_ALL_PROJECTS] = objectNamesFor(projectOf(imported) ?? OF_ALL_PROJECTS);
  return folder;
}

/** The project that the object is, or belongs to. */
function projectOf({ kind, name, spec }: ImportedObject): string | undefined {
  if (kind === 'projects') return name;
  const said = 'project' in spec && typeof spec.project === 'string' ? spec.project : undefined;
  return kind === 'flags' ? (said ?? DEFAULT_PROJECT) : kind === 'segments' ? said : undefined;
}

function namespaceOf({ kind, spec }: ImportedObject, { namespace, operatorNamespace }: Layout): string {
  if (kind === 'segments') return 'project' in spec && spec.project !== undefined ? namespace : operatorNamespace;
  return ['flags', 'projects'].includes(kind) ? namespace : operatorNamespace;
}
