/** Keeps the configuration of environments that an import does not speak of, in files that it replaces. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { entryKindAt } from '../files/entry-kind.ts';
import { parseManifests } from '../manifests/parse-manifests.ts';
import type { Imported, ImportedObject } from './imported.ts';
import { withOwnVariants } from './join.ts';
import { type Layout, manifestOf } from './write-manifests.ts';

/** Returns the same objects, where flags have the other environments of their present files in the folder. */
export async function keepEnvironments(read: Imported, folder: string, layout: Layout): Promise<Imported> {
  const objects: ImportedObject[] = [];
  for (const object of read.objects) {
    const present =
      object.kind === 'flags' ? await presentSpec(join(folder, manifestOf(object, layout).path)) : undefined;
    objects.push(present ? withOthers(object, present) : object);
  }
  return { ...read, objects };
}

function withOthers(object: ImportedObject, present: FlagSpec): ImportedObject {
  // Only flags have a present file.
  const spec = object.spec as FlagSpec;
  const others = Object.keys(present.environments ?? {}).filter(
    (name) => !Object.hasOwn(spec.environments ?? {}, name),
  );
  if (others.length === 0) return object;
  const kept = withOwnVariants(present).environments ?? {};
  const own = withOwnVariants(spec);
  const environments = { ...own.environments, ...Object.fromEntries(others.map((name) => [name, kept[name] ?? {}])) };
  return { ...object, kind: 'flags', spec: { ...own, environments } };
}

/** Undefined if the file is not there, or is not one flag: then there is nothing to keep. */
async function presentSpec(file: string): Promise<FlagSpec | undefined> {
  // A link is refused when the file is written.
  const isFile = (await entryKindAt(file)) === 'file';
  const text = isFile ? await readFile(file, 'utf8').catch(() => undefined) : undefined;
  if (text === undefined) return undefined;
  const { manifests } = parseManifests({ file, text });
  const [manifest] = manifests;
  if (manifest?.kind !== 'flags' || manifests.length > 1) return undefined;
  // A file that does not match the schema is one that lint rejects, with the rest of the flag.
  return manifest.value['spec'] as FlagSpec | undefined;
}
