/** Reads manifests as they were at a commit. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { InputError } from '../input-error.ts';
import { isManifestFile, type Source } from './source.ts';

/** The files at these paths in a commit, a branch or a tag, of the repository of the working directory. Throws InputError where Git does not know it. */
export async function readSourcesAt(reference: string, paths: readonly string[]): Promise<readonly Source[]> {
  const commit = (await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`])).trim();
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', commit, '--', ...paths]);
  const files = listed.split('\0').filter((file) => file !== '' && isManifestFile(file));
  const sources: Source[] = [];
  for (const file of files) sources.push({ file, text: await git(['show', `${commit}:./${file}`]) });
  return sources;
}

async function git(commandLine: readonly string[]): Promise<string> {
  const child = spawn('git', commandLine, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', () => reject(new InputError('--against needs git, which cannot be started')));
    child.once('close', resolve);
  });
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return output;
  throw new InputError(
    `git ${commandLine[0]} failed for ${commandLine.at(-1)}: ${complaint.trim() || `it ended with ${code}`}`,
  );
}
