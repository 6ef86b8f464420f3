/** Judges what a write in the audit log says about an entry that the write caused. */
import { isUnattributed, userIds } from '../../domain/history/entry.ts';
import type { NewWitness, WitnessedEntry } from '../archive/witnesses/logged-writes.ts';
import { type KnownUsers, whoInKubernetes } from '../derive/actor.ts';

/** How far the clocks of the API server and of the operator may be apart. */
export const MAX_CLOCK_SKEW_MS = 2_000;

export interface Attribution {
  readonly people: Pick<KnownUsers, 'userBySubject'>;
  /** The Kubernetes user that the operator is; undefined: not known yet. */
  readonly self: string | undefined;
}

/**
 * Undefined: the write did not cause the entry. A write that changes nothing is answered with the version of an earlier
 * write, so the request must have arrived before the version was seen.
 */
function witnessOf({ write, entry }: WitnessedEntry, { people, self }: Attribution): NewWitness | undefined {
  const isByTime = entry.channel === 'time' || entry.createdByUserId === userIds.vexil;
  const isLater = entry.witnessedAt !== undefined && write.completedAt >= entry.witnessedAt;
  if (isByTime || isLater || write.receivedAt > entry.createdAt + MAX_CLOCK_SKEW_MS) return undefined;
  const { id: logged, completedAt, ip, userAgent, fieldManager, impersonatedBy } = write;
  const facts = { entry, logged, completedAt, ip, userAgent, fieldManager, impersonatedBy };
  const cameThroughApi = entry.channel !== 'kubernetes' && !isUnattributed(entry);
  // The API writes for its callers, and the log names the operator.
  if (cameThroughApi && write.username === self) {
    const { createdBy, createdByUserId } = entry;
    return { ...facts, confirms: true, createdBy, createdByUserId };
  }
  const who = whoInKubernetes(write.username, people);
  const isSame = !cameThroughApi && who.createdBy === entry.createdBy;
  return { ...facts, ...who, confirms: isUnattributed(entry) || isSame };
}

/** The witness of each entry. Of several writes, the one that was answered first made the version. */
export function witnessesOf(found: readonly WitnessedEntry[], attribution: Attribution): readonly NewWitness[] {
  const first = new Map<number, NewWitness>();
  for (const one of found) {
    const witness = witnessOf(one, attribution);
    const known = first.get(one.entry.id);
    const isFirst = known === undefined || (witness && witness.completedAt < known.completedAt);
    if (witness && isFirst) first.set(one.entry.id, witness);
  }
  return [...first.values()];
}
