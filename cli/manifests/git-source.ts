/** Reads manifests as they were at a commit. */
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { InputError } from '../failure.ts';
import { isBelowPath, type Source } from './source.ts';

/**
 * Reads the files at these paths in a commit, a branch or a tag of the repository of the working directory. Throws an
 * InputError if Git does not know the reference.
 */
export async function readSourcesAt(reference: string, paths: readonly string[]): Promise<readonly Source[]> {
  if (paths.length === 0) return [];
  const commit = await commitOf(reference);
  const listed = String(await git(['ls-tree', '-r', '-z', commit, '--', ...paths]));
  const roots = paths.map((path) => relative('', path).replaceAll(sep, '/'));
  const files = listed
    .split('\0')
    .flatMap(blobIn)
    .filter(({ file }) => roots.some((root) => isBelowPath(root, file)));
  const output = await git(['cat-file', '--batch'], { input: files.map(({ id }) => `${id}\n`).join('') });
  const texts = textsIn(output);
  return files.map(({ file }, index) => ({ file, text: texts[index] ?? '' }));
}

async function commitOf(reference: string): Promise<string> {
  // Outside of a repository, this says so.
  await git(['rev-parse', '--git-dir']);
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`];
  const commit = await git(asked).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    const advice = 'check its name, and fetch it first (in CI, with the whole history)';
    throw new InputError(`--against ${reference}: this repository has no such branch, tag or commit: ${advice}`);
  });
  return String(commit).trim();
}

/** Whether Git tracks files at the path, in the repository of the working directory. */
export async function isTracked(path: string): Promise<boolean> {
  const folder = (await stat(path)).isDirectory() ? path : dirname(path);
  const root = (at: string) => git(['rev-parse', '--show-toplevel'], { folder: at }).then(String);
  const [own, here] = await Promise.all([root(folder).catch(undefinedUnlessKnown), root('.')]);
  return own === here && (await git(['ls-files', '-z', '--', path])).length > 0;
}

/** Ignores the error of Git for a folder that is in no repository. */
function undefinedUnlessKnown(error: unknown): undefined {
  if (!(error instanceof InputError)) throw error;
}

interface Blob {
  readonly id: string;
  /** The path from the working directory. */
  readonly file: string;
}

/**
 * Parses an entry of `ls-tree`: mode, type and id, then a tab and the path. Skips symbolic links, which are not files.
 */
function blobIn(entry: string): readonly Blob[] {
  const [, id, file] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
  return id !== undefined && file !== undefined ? [{ id, file }] : [];
}

/** Parses the output of `cat-file`: for each object `id type size`, a line end, so many bytes, and a line end. */
function textsIn(output: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < output.length; ) {
    const start = output.indexOf('\n', at) + 1;
    const size = Number(output.toString('latin1', at, start - 1).split(' ')[2]);
    texts.push(output.toString('utf8', start, start + size));
    at = start + size + 1;
  }
  return texts;
}

interface GitOptions {
  readonly input?: string;
  /** The folder to run git in; if absent, the working directory. */
  readonly folder?: string;
}

/** Returns the output. Throws an InputError if the command fails. */
async function git(commandLine: readonly string[], { input = '', folder }: GitOptions = {}): Promise<Buffer> {
  const child = spawn('git', commandLine, { stdio: ['pipe', 'pipe', 'pipe'], cwd: folder });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', () => reject(new InputError('--against needs git, which cannot be started')));
    child.once('close', resolve);
  });
  // Git may end without reading its input; its exit status says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, complaint, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  if (code === 0) return output;
  throw new InputError(
    `git ${commandLine[0]} failed for ${commandLine.at(-1)}: ${complaint.trim() || `it ended with ${code}`}`,
  );
}
