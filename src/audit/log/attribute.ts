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
  if (isByTime || write.receivedAt > entry.createdAt + MAX_CLOCK_SKEW_MS) return undefined;
  const { id: logged, receivedAt, completedAt, ip, userAgent, fieldManager, impersonatedBy } = write;
  const facts = { entry, logged, receivedAt, completedAt, ip, userAgent, fieldManager, impersonatedBy };
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

type Answered = Pick<NewWitness, 'completedAt' | 'confirms'>;

/**
 * Whether a write made the version rather than the other one, which was answered with the same version. The one that
 * was answered first did, unless the API server had both at once: the one that changed nothing may then have been
 * answered first, so the one that the entry names counts.
 */
function isMaker(one: NewWitness, other: Answered & { readonly receivedAt?: number }): boolean {
  if (one.confirms && !other.confirms && one.receivedAt < other.completedAt) return true;
  const wereAtOnce = other.receivedAt !== undefined && other.receivedAt < one.completedAt;
  if (other.confirms && !one.confirms && wereAtOnce) return false;
  return one.completedAt < other.completedAt;
}

/** The witness of each entry, unless the one that it has made the version. */
export function witnessesOf(found: readonly WitnessedEntry[], attribution: Attribution): readonly NewWitness[] {
  const makers = new Map<number, NewWitness>();
  for (const one of found) {
    const witness = witnessOf(one, attribution);
    const known = makers.get(one.entry.id) ?? one.entry.witness;
    if (witness && (known === undefined || isMaker(witness, known))) makers.set(one.entry.id, witness);
  }
  return [...makers.values()];
}
