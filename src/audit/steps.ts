/** The entries that one step of an object amounts to. */
import { createHash } from 'node:crypto';
import { latestOf } from '../kube/written-at.ts';
import type { Kind } from '../schema/kind.ts';
import type { CustomObject } from '../schema/object.ts';
import { actorOf, type KnownUsers } from './actor.ts';
import { type Authorship, authorshipOf, authorshipOfOne } from './authorship.ts';
import type { Derive } from './derive-kind.ts';
import type { NewEntry, Told } from './entry.ts';
import { type TimedStep, type Times, timesOf } from './times.ts';

type Version = CustomObject<unknown, unknown>;

/** An object at two of its versions, and when the second one was told. */
export interface TellableStep extends TimedStep {
  readonly kind: Kind<unknown, unknown>;
  /** Absent: it is new. */
  readonly before?: Version | undefined;
  /** Absent: it is gone. */
  readonly after?: Version | undefined;
  /** The last that is known of an object that is gone: it may be newer than `before`. */
  readonly last?: Version | undefined;
  /** Versions between the two may never have been seen. */
  readonly unseen: boolean;
  /** See `Cursor`: that of the first version. */
  readonly era: number;
  /** The first version is of a history that the cluster has left: a backup was restored. */
  readonly isRewound: boolean;
}

export interface StepParts {
  readonly derive: Derive;
  readonly people: KnownUsers;
}

const KEY_DIGITS = 24;

export function entriesOf(step: TellableStep, { derive, people }: StepParts): readonly NewEntry[] {
  const { kind, before, after, last = before } = step;
  const known = after ?? last;
  if (!known) return [];
  const { namespace, name, uid } = known.metadata;
  const authorship = authorshipOfStep(step);
  const place = {
    resource: kind.plural,
    namespace,
    object: name,
    uid,
    fromVersion: before?.metadata.resourceVersion ?? '',
    toVersion: known.metadata.resourceVersion,
    coalesced: step.unseen && isSeveral(before, after),
    ...timesOfStep(step),
    restored: false,
  };
  return derive({ resource: kind.plural, before, after }).map((told) => ({
    ...told,
    ...place,
    ...actorOf(authorshipOfOne(told, authorship), people),
    key: keyOfEntry({ ...place, ...step }, told),
  }));
}

/** The generation counts the changes of a spec. */
function isSeveral(before: Version | undefined, after: Version | undefined): boolean {
  return after?.metadata.generation !== (before?.metadata.generation ?? 0) + 1;
}

/** Nobody has made now what a backup has brought back; who changed it once is told already. */
function authorshipOfStep(step: TellableStep): Authorship {
  const { before, after, last = before, seenSince, isRewound } = step;
  if (!after) return authorshipOf({ before: last, after, seenSince });
  if (isBroughtBack(step, after)) return { by: 'unknown' };
  // Generations of two histories are not to be compared.
  return authorshipOf({ before: isRewound ? undefined : before, after, seenSince });
}

/** What was written before the backup was restored, and seen then. */
function isBroughtBack({ isRewound, seenSince }: TellableStep, { metadata, owners }: Version): boolean {
  const written = latestOf([metadata.creationTimestamp, ...owners.map(({ time = '' }) => time)]) ?? 0;
  return isRewound && written <= seenSince;
}

type Start = Pick<NewEntry, 'uid' | 'fromVersion'> & Pick<TellableStep, 'era' | 'isRewound'>;

/**
 * The era is in it, as after a restore another step may begin at a version at which one has begun before; so is that the
 * restore itself made the step, for it begins in the old count, and a later one may begin at the same version of the new.
 */
function keyOfEntry({ uid, fromVersion, era, isRewound }: Start, told: Told): string {
  const count = [...(era > 0 ? [`era ${era}`] : []), ...(isRewound ? ['rewound'] : [])];
  const facts = [uid, fromVersion, told.type, told.environment ?? '', told.subject, ...count];
  return createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, KEY_DIGITS);
}

/** What a backup has brought back was made when that was noticed. */
export function timesOfStep(step: TellableStep): Times {
  const { before, after, at, unseen } = step;
  const isCoalesced = unseen && isSeveral(before, after);
  const isBack = after !== undefined && isBroughtBack(step, after);
  return isBack ? { createdAt: at, earliestAt: null } : timesOf(step, isCoalesced);
}
