/** Refuses to write where a link leads. */
import { dirname, isAbsolute } from 'node:path';
import { InputError } from '../failure.ts';
import { refuseLinkOut } from '../manifests/source.ts';
import { entryKindAt } from './entry-kind.ts';

/** As `refuseLink`, for a folder that need not exist yet. */
export async function refuseLinkedFolder(folder: string): Promise<void> {
  if (isAbsolute(folder)) return;
  let there = folder;
  while ((await entryKindAt(there)) === undefined && dirname(there) !== there) there = dirname(there);
  await refuseLinkOut(there).catch((error: unknown) => {
    throw error instanceof InputError ? error : new InputError(`cannot write to ${there}: it is a link to nothing`);
  });
}

/**
 * A pull request could have made the link. A path that is elsewhere as it is written, such as /dev/stdout, was meant.
 */
export async function refuseLink(file: string): Promise<void> {
  if (isAbsolute(file)) return;
  if ((await entryKindAt(dirname(file))) !== undefined) await refuseLinkOut(dirname(file));
  if ((await entryKindAt(file)) === 'symbolic link')
    throw new InputError(`cannot write ${file}: it is a symbolic link`);
}
