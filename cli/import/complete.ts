/** Adds the projects and environments that imported flags need and the document does not have. */
import { wireNameOf } from '../../src/domain/identity/names.ts';
import type { OfflineCluster } from '../lint/offline-cluster.ts';
import type { ImportedObject } from './imported.ts';

/** An environment with one of these names gets the type of that name; other names say nothing about the purpose. */
const TYPES: readonly string[] = ['development', 'test', 'pre-production', 'production'];

/** Returns the objects that neither the document nor the context has. */
export function missingObjects(
  objects: readonly ImportedObject[],
  { catalog }: OfflineCluster,
): readonly ImportedObject[] {
  const named = (kind: ImportedObject['kind']) =>
    new Set(objects.filter((object) => object.kind === kind).map(({ name }) => name));
  const flags = objects.filter((object): object is ImportedObject<'flags'> => object.kind === 'flags');
  const projects = new Set(flags.map(({ spec }) => spec.project ?? 'default'));
  const environments = new Set([
    ...flags.flatMap(({ spec }) => Object.keys(spec.environments ?? {})),
    ...objects.flatMap(({ kind, spec }) => (kind === 'projects' && 'environments' in spec ? namesIn(spec) : [])),
  ]);
  const known = new Set(catalog.environments().map(wireNameOf));
  return [
    ...[...environments.difference(named('environments')).difference(known)]
      .sort()
      .map(
        (name): ImportedObject => ({ kind: 'environments', name, spec: TYPES.includes(name) ? { type: name } : {} }),
      ),
    ...[...projects.difference(named('projects'))]
      .filter((name) => !catalog.project(name))
      .sort()
      .map((name): ImportedObject => ({ kind: 'projects', name, spec: {} })),
  ];
}

function namesIn({ environments }: { readonly environments?: unknown }): readonly string[] {
  return Array.isArray(environments) ? environments : [];
}
