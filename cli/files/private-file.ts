/** Opens files that only their owner may read. */
import { type FileHandle, open } from 'node:fs/promises';
import { InputError } from '../failure.ts';
import { reasonOf } from '../manifests/source.ts';
import { refuseLink } from './refuse-link.ts';

const OWNER_ONLY = 0o600;

/** A file that is there already may have other permissions, and gets these. Throws an InputError. */
export async function openPrivateFile(file: string, flags: 'a' | 'w'): Promise<FileHandle> {
  await refuseLink(file);
  try {
    const handle = await open(file, flags, OWNER_ONLY);
    if ((await handle.stat()).isFile()) await handle.chmod(OWNER_ONLY);
    return handle;
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${reasonOf(error)}`);
  }
}
