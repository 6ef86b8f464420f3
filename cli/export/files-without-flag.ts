/** Finds files of an earlier export whose flags are not exported any more. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ref } from '../../src/model/object.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { entryKindAt } from '../files/entry-kind.ts';
import { manifestPath } from '../files/manifest-file.ts';
import { parseManifests } from '../manifests/parse-manifests.ts';
import { metadataOf } from '../manifests/ref.ts';
import { readText } from '../manifests/source.ts';

/**
 * Returns the paths, below the folder, of files that an export would write for a flag, that contain only this flag, and
 * that are not exported now. Without a namespace, searches all. Links lead out of the folder, so they are not followed.
 */
export async function filesWithoutFlag(
  folder: string,
  exported: ReadonlySet<string>,
  namespace: string | undefined,
): Promise<readonly string[]> {
  const namespaces = namespace === undefined ? await namesIn(folder, [], 'folders') : [namespace];
  const found: string[] = [];
  for (const place of namespaces.sort()) {
    const names = await namesIn(folder, [place, featureFlag.plural], 'files');
    const flags = names.filter((name) => name.endsWith('.yaml'));
    const refs = flags.sort().map((name) => ({ namespace: place, name: name.slice(0, -'.yaml'.length) }));
    for (const ref of refs) {
      const path = manifestPath({ folder: place, plural: featureFlag.plural, name: ref.name });
      if (!exported.has(path) && (await hasOnly(join(folder, path), ref))) found.push(path);
    }
  }
  return found;
}

/** Returns no names if the folder does not exist, or if something on the way below the first one is no folder. */
async function namesIn(folder: string, below: readonly string[], wanted: 'files' | 'folders'): Promise<string[]> {
  for (const depth of below.keys())
    if ((await entryKindAt(join(folder, ...below.slice(0, depth + 1)))) !== 'folder') return [];
  const entries = await readdir(join(folder, ...below), { withFileTypes: true }).catch(noneIfAbsent);
  return entries.filter((entry) => (wanted === 'files' ? entry.isFile() : entry.isDirectory())).map(({ name }) => name);
}

function noneIfAbsent(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}

async function hasOnly(file: string, { namespace, name }: Ref): Promise<boolean> {
  const { manifests, unreadable, passedOver } = parseManifests({ file, text: await readText(file) });
  const [only, ...others] = manifests;
  if (!only || others.length > 0 || unreadable.length > 0 || passedOver > 0) return false;
  const metadata = metadataOf(only.value);
  return only.kind === 'flags' && metadata['namespace'] === namespace && metadata['name'] === name;
}
