/** Reads manifests from files, folders and standard input. */
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import { InputError } from '../failure.ts';

export interface Source {
  /** The name that the user gave, `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

const EXTENSIONS = /\.(ya?ml|json)$/;
/** Manifests are small: etcd accepts 1.5 MiB for an object. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

function isManifestFile(name: string): boolean {
  return EXTENSIONS.test(name);
}

/** Hidden folders and installed packages contain no manifests. */
function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Whether the path is this file or a folder above it. Both are relative to one folder, with `/`. */
export function isBelowPath(path: string, file: string): boolean {
  if (path === file) return true;
  if (path !== '' && !file.startsWith(`${path}/`)) return false;
  const names = (path === '' ? file : file.slice(path.length + 1)).split('/');
  return isManifestFile(file) && !names.some(isSkipped);
}

/**
 * Reads the files of all paths, each once, folders with everything below them, in the order of their names. Throws an
 * InputError for a path that cannot be read.
 */
export async function readSources(paths: readonly string[], standardInput: () => Promise<string>): Promise<Source[]> {
  const files = new Set<string>();
  for (const path of paths) for (const file of await filesAt(path)) files.add(file);
  const sources: Source[] = [];
  for (const file of files) {
    const text = file === '-' ? await standardInput() : await readText(file);
    refuseBinary(file, text);
    sources.push({ file, text });
  }
  return sources;
}

/** Text has no NUL. Text in UTF-16, read as UTF-8, has one beside most characters. */
function refuseBinary(file: string, text: string): void {
  if (!text.includes('\0')) return;
  const name = file === '-' ? 'standard input' : file;
  const isUtf16 = text.split('\0').length > text.length / 3;
  throw new InputError(
    isUtf16
      ? `${name} is text in UTF-16, as PowerShell 5 writes it: write UTF-8, in PowerShell with | Out-File -Encoding utf8`
      : `${name} is a binary file: YAML or JSON in UTF-8 is needed`,
  );
}

/** Throws an InputError that names the places where nothing is. */
export function refuseNothing(what: string, paths: readonly string[]): never {
  const places = [...new Set(paths)].map((path) => (path === '-' ? 'standard input' : path)).join(', ');
  throw new InputError(
    `there is nothing to ${what} in ${places}: is the path right, and did the command before succeed?`,
  );
}

async function filesAt(path: string): Promise<readonly string[]> {
  if (path === '-') return [path];
  const found = await stat(path).catch((error: unknown) => {
    throw new InputError(`cannot read ${path}: ${reasonOf(error)}`);
  });
  await refuseLinkOut(path);
  return found.isDirectory() ? filesBelow(path) : [path];
}

/**
 * Refuses a path of the working directory that is a link out of it: a pull request could have made it, and errors show
 * what they are about. A path that is elsewhere as it is written was meant.
 */
export async function refuseLinkOut(path: string): Promise<void> {
  const isOutside = (place: string) => isAbsolute(place) || place === '..' || place.startsWith(`..${sep}`);
  if (isAbsolute(path) || isOutside(normalize(path))) return;
  const real = await realpath(path);
  if (!isOutside(relative(await realpath('.'), real))) return;
  throw new InputError(`${path} is a link to ${real}, which is not in this folder: name the file itself`);
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (isSkipped(entry.name)) continue;
    if (entry.isDirectory()) below.push(...(await filesBelow(path)));
    // A link of a pull request could lead to any file of the machine, and a device has no end.
    else if (entry.isFile() && isManifestFile(entry.name)) below.push(path);
  }
  return below;
}

/** Reads a file with a bound: a link may lead to a device that has no end. Throws an InputError. */
export async function readText(file: string): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of createReadStream(file, { end: MAX_FILE_BYTES })) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
    if (bytes > MAX_FILE_BYTES) throw new Error(`the file has more than ${MAX_FILE_BYTES} bytes`);
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    throw new InputError(`cannot read ${file}: ${reasonOf(error)}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/** Says why a file cannot be read, without the words of Node.js for the common reasons. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
