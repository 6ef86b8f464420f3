/** What is at a place in a folder, without following links. */
import { lstat } from 'node:fs/promises';

/** Undefined if nothing is there, or if reading or writing it says what is wrong. */
export async function entryKindAt(place: string): Promise<'file' | 'folder' | 'symbolic link' | 'device' | undefined> {
  const found = await lstat(place).catch(() => undefined);
  if (!found) return undefined;
  if (found.isSymbolicLink()) return 'symbolic link';
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'device';
}
