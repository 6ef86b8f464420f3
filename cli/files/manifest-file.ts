/** Files of manifests, one for each object, in a folder. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../failure.ts';
import { reasonOf } from '../manifests/source.ts';
import { entryKindAt } from './entry-kind.ts';
import { refuseLink, refuseLinkedFolder } from './refuse-link.ts';

export interface ManifestFile {
  /** The path below the folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface ObjectPath {
  /** The namespace, in most layouts. */
  readonly folder: string;
  readonly plural: string;
  readonly name: string;
}

/** Names of objects are valid file names on every system. */
export function manifestPath({ folder, plural, name }: ObjectPath): string {
  return `${folder}/${plural}/${name}.yaml`;
}

export interface Written {
  /** Paths, below the folder, of files that are new or have changed. */
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
}

/**
 * If `overwrite` is false and a file has another text, throws an InputError and writes nothing: a person may have
 * edited the file.
 */
export async function writeManifestFiles(
  folder: string,
  files: readonly ManifestFile[],
  { overwrite }: { readonly overwrite: boolean },
): Promise<Written> {
  await refuseLinkedFolder(folder);
  for (const { path } of files) await requireInside(folder, path);
  const present = new Map<string, string | undefined>();
  for (const { path } of files) present.set(path, await textOf(join(folder, path)));
  const changed = files.filter(({ path, text }) => present.get(path) !== text);
  const inTheWay = changed.filter(({ path }) => present.get(path) !== undefined).map(({ path }) => join(folder, path));
  if (inTheWay.length > 0 && !overwrite) {
    const more = inTheWay.length > 5 ? ` and ${inTheWay.length - 5} more` : '';
    throw new InputError(
      `nothing was written, as these files are there with another content: ${inTheWay.slice(0, 5).join(', ')}${more}. Name another folder, or give --overwrite`,
    );
  }
  for (const { path, text } of changed) await writeText(join(folder, path), text);
  const written = new Set(pathsOf(changed));
  return { written: [...written], unchanged: pathsOf(files.filter(({ path }) => !written.has(path))) };
}

function pathsOf(files: readonly ManifestFile[]): readonly string[] {
  return files.map(({ path }) => path).sort();
}

/** Names of objects come from a server, and links from the person who made the folder: neither leads out of it. */
export const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

async function requireInside(folder: string, path: string): Promise<void> {
  const names = path.split('/');
  const odd = names.find((name) => !OBJECT_NAME.test(name));
  if (odd !== undefined) {
    throw new InputError(`nothing was written: "${odd}" in ${JSON.stringify(path)} is not the name of an object`);
  }
  for (const depth of names.keys()) {
    const place = join(folder, ...names.slice(0, depth + 1));
    const kind = await entryKindAt(place);
    const wanted = depth === names.length - 1 ? 'file' : 'folder';
    if (kind !== undefined && kind !== wanted)
      throw new InputError(
        `nothing was written: ${place} is a ${kind}, not a ${wanted}. Remove it, or name another folder`,
      );
  }
}

async function writeText(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${reasonOf(error)}`);
  }
}

/** Returns undefined if the file does not exist. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new InputError(`cannot read ${file}: ${reasonOf(error)}`);
  }
}

/** Writes a report beside the result. Throws an InputError if that is not possible. */
export async function writeReportFile(file: string, text: string): Promise<void> {
  await refuseLink(file);
  await writeFile(file, text).catch((error: unknown) => {
    throw new InputError(`cannot write ${file}: ${reasonOf(error)}`);
  });
}
