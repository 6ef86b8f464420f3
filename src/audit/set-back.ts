/** Whether the cluster was set back to an earlier state, and has since moved on past the version that the archive knows. */
import { isAbove, isAtMost } from '../kube/version.ts';
import type { CustomObject, Ref } from '../schema/object.ts';
import type { KnownObject } from './archive.ts';
import { generationIn } from './mark.ts';

type Present = Pick<CustomObject<unknown, unknown>, 'metadata'>;

export interface Suspicion {
  /** What exists in the scope, as far as this replica has heard. */
  readonly present: Iterable<Present>;
  /** What the archive knows there. */
  readonly known: readonly KnownObject[];
  /** Up to which version it knows it. */
  readonly version: string;
  /** The object as it is now. */
  readonly live: (ref: Ref) => Promise<Present>;
}

/** A cache that is behind looks like a cluster that was set back; only so many objects are asked for to find out. */
const MOST_ASKED = 5;

/**
 * A cursor that is ahead of the cluster shows by itself. One that is not does not, and to go on from there would leave out
 * what the restore has changed: what exists, is not newer than the cursor, and is not as the archive knows it, gives it away.
 */
export async function wasSetBack({ present, known, version, live }: Suspicion): Promise<boolean> {
  const byUid = new Map(known.map((one) => [one.uid, one]));
  const isStrange = ({ metadata }: Present) => contradicts(byUid.get(metadata.uid), metadata, version);
  let asked = 0;
  for (const object of present) {
    if (!isStrange(object)) continue;
    // Gone meanwhile, or nobody answers: then it proves nothing.
    const now = await live(object.metadata).catch(() => undefined);
    if (now && isStrange(now)) return true;
    asked += 1;
    if (asked === MOST_ASKED) return false;
  }
  return false;
}

function contradicts(known: KnownObject | undefined, now: Present['metadata'], version: string): boolean {
  // What is newer than the cursor is yet to be told.
  if (!isAtMost(now.resourceVersion, version)) return false;
  if (!known) return true;
  return isAbove(known.version, now.resourceVersion) || generationIn(known.mark) !== (now.generation ?? 0);
}
