/** Puts segments of the history into a folder. */
import { lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../errors.ts';
import type { SegmentTarget } from './exporter.ts';

export function folderTarget(folder: string): SegmentTarget {
  return {
    async put({ name, text }) {
      const path = join(folder, name);
      try {
        if (await isThere(path, Buffer.byteLength(text))) return;
        // A file that a crash cuts off does not get the name of a segment.
        const unfinished = join(folder, `.${name}.unfinished`);
        await writeDurably(unfinished, text);
        await rename(unfinished, path);
        await syncFolder(folder);
      } catch (cause) {
        throw asRefusal(folder, cause);
      }
    },
  };
}

/** The name has the digest of the content, so a file of the right size is only replaced by who writes to the folder. */
async function isThere(path: string, bytes: number): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return false;
  if (found.isFile() && found.size === bytes) return true;
  const why = found.isFile() ? 'it has another size' : 'it is no plain file';
  throw new Refusal('conflict', `The file ${path} is no segment of this history: ${why}. Move it away`);
}

async function writeDurably(path: string, text: string): Promise<void> {
  // A link under this name is not followed.
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o640);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function asRefusal(folder: string, cause: unknown): unknown {
  if (cause instanceof Refusal) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new Refusal(
    'unavailable',
    `The folder ${folder} of VEXIL_HISTORY_EXPORT_URL cannot be written (${code ?? message})`,
    {
      cause,
    },
  );
}
