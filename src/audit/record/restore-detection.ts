/** Detects a cluster that was restored from a backup and has since passed the archive's version. */
import type { AnyObject, Ref } from '../../model/object.ts';
import { isAbove, isAtMost } from '../../model/version.ts';
import { nextTurn } from '../../runtime/turns.ts';
import type { KnownObject } from '../archive/archive.ts';
import { generationIn } from './fingerprint.ts';

type ObjectNow = Pick<AnyObject, 'metadata'>;

export interface RestoreEvidence {
  /** The objects of the scope in the cache of this replica. */
  readonly present: Iterable<ObjectNow>;
  /** The objects of the scope in the archive. */
  readonly known: readonly KnownObject[];
  /** The version of the archive's cursor. */
  readonly version: string;
  /** Reads the present object from the API server. */
  readonly live: (ref: Ref) => Promise<ObjectNow>;
}

/**
 * A stale cache looks like a restored cluster; at most this number of objects is read from the API server to decide.
 */
const MAX_LIVE_READS = 5;

/**
 * A cursor ahead of the cluster is rejected by the API server. A cursor that the cluster has passed again is not, and
 * resuming there would miss the changes of the restore. The evidence is an object that is not newer than the cursor and
 * differs from the archive.
 */
export async function wasRestored({ present, known, version, live }: RestoreEvidence): Promise<boolean> {
  const byUid = new Map(known.map((one) => [one.uid, one]));
  const isContradiction = ({ metadata }: ObjectNow) => contradicts(byUid.get(metadata.uid), metadata, version);
  let reads = 0;
  for (const object of present) {
    const turn = nextTurn();
    if (turn !== undefined) await turn;
    if (!isContradiction(object)) continue;
    // Deleted meanwhile, or no answer: no evidence.
    const now = await live(object.metadata).catch(() => undefined);
    if (now && isContradiction(now)) return true;
    reads += 1;
    if (reads === MAX_LIVE_READS) return false;
  }
  return false;
}

function contradicts(known: KnownObject | undefined, now: ObjectNow['metadata'], version: string): boolean {
  // Versions newer than the cursor are recorded later.
  if (!isAtMost(now.resourceVersion, version)) return false;
  if (!known) return true;
  return isAbove(known.version, now.resourceVersion) || generationIn(known.fingerprint) !== (now.generation ?? 0);
}
