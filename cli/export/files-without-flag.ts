/** Finds files of an earlier export whose flags are not exported any more. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../src/model/json.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { manifestPath } from '../files/manifest-file.ts';
import { parseManifests } from '../manifests/parse-manifests.ts';

/**
 * Returns the paths, below the folder, of files that an export would write for a flag, that contain only this flag, and
 * that are not exported now. Without a namespace, searches all.
 */
export async function filesWithoutFlag(
  folder: string,
  exported: ReadonlySet<string>,
  namespace: string | undefined,
): Promise<readonly string[]> {
  const namespaces = namespace === undefined ? await namesIn(folder) : [namespace];
  const found: string[] = [];
  for (const place of namespaces.sort()) {
    const names = (await namesIn(join(folder, place, featureFlag.plural))).filter((name) => name.endsWith('.yaml'));
    const refs = names.sort().map((name) => ({ namespace: place, name: name.slice(0, -'.yaml'.length) }));
    for (const ref of refs) {
      const path = manifestPath({ ...ref, plural: featureFlag.plural });
      if (!exported.has(path) && (await hasOnly(join(folder, path), ref))) found.push(path);
    }
  }
  return found;
}

/** Returns no names if the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

interface Ref {
  readonly namespace: string;
  readonly name: string;
}

async function hasOnly(file: string, { namespace, name }: Ref): Promise<boolean> {
  const { manifests, unreadable, passedOver } = parseManifests({ file, text: await readFile(file, 'utf8') });
  const [only, ...others] = manifests;
  if (!only || others.length > 0 || unreadable.length > 0 || passedOver > 0) return false;
  const { metadata } = only.value;
  return (
    only.kind === 'flags' && isRecord(metadata) && metadata['namespace'] === namespace && metadata['name'] === name
  );
}
