/** Builds the entries of one step of an object. */
import { hash } from 'node:crypto';
import type { Actor, AuditEvent, NewEntry } from '../../domain/history/entry.ts';
import { eventTypes } from '../../domain/history/event-types.ts';
import { writersBetween } from '../../domain/identity/author.ts';
import type { Kind } from '../../model/kind.ts';
import type { AnyObject } from '../../model/object.ts';
import { actorOf, isRetention, type KnownUsers } from './actor.ts';
import { nowhere } from './audit-event.ts';
import { type Authorship, authorOfSpec, authorshipOf, authorshipOfOne } from './authorship.ts';
import type { Derive } from './kind.ts';
import { type ForceSpan, forceSpanOf, specWrittenAt, type TimedStep, type Times, timesOf } from './times.ts';

/** Two consecutive versions of an object, and when the second one was seen. */
export interface RecordableStep extends TimedStep {
  readonly kind: Kind<unknown, unknown>;
  /** Absent: the object is new. */
  readonly before?: AnyObject | undefined;
  /** Absent: the object is deleted. */
  readonly after?: AnyObject | undefined;
  /** The last known version of a deleted object; it may be newer than `before`. */
  readonly last?: AnyObject | undefined;
  /** Versions between the two may have been missed. */
  readonly unseen: boolean;
  /** The era of the first version; see `Cursor`. */
  readonly era: number;
  /** The first version precedes the restore of a backup. */
  readonly isRestored: boolean;
}

export interface StepParts {
  readonly derive: Derive;
  readonly people: KnownUsers;
}

const KEY_DIGITS = 24;

export function entriesOf(step: RecordableStep, { derive, people }: StepParts): readonly NewEntry[] {
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
  const derived = derive({ resource: kind.plural, before, after });
  const writers = after ? writersBetween(before?.owners ?? [], after.owners) : [];
  const isByAlert = derived.some(({ type }) => type === 'feature-alert-action');
  return derived.map((recorded) => {
    const { moment, ...auditEvent } = recorded;
    const planned = moment && step[moment.plan];
    const author = planned ? authorOfSpec(planned) : authorshipOfOne(recorded, authorship);
    return {
      ...auditEvent,
      // A removal because of its age is not part of the history of a flag.
      ...(isRetention(authorship) && nowhere),
      ...place,
      ...(moment && { createdAt: moment.at, earliestAt: null, coalesced: false }),
      ...actorOf(author, people, writers),
      ...channelOf(recorded, isByAlert),
      key: keyOfEntry({ ...place, ...step }, recorded),
    };
  });
}

/** What happened by time, or in a step of an alert, came through neither the API server nor a client of the API. */
function channelOf({ type, moment }: AuditEvent, isByAlert: boolean): Partial<Actor> {
  if (moment || eventTypes[type].byTime) return { channel: 'time', fieldManager: null, reason: null };
  return isByAlert ? { channel: 'alert' } : {};
}

/** Whether the spec changed more than once: the generation counts its changes. */
function isSeveral(before: AnyObject | undefined, after: AnyObject | undefined): boolean {
  return after?.metadata.generation !== (before?.metadata.generation ?? 0) + 1;
}

/** A change made by a restore has no author; its original author was recorded before. */
function authorshipOfStep(step: RecordableStep): Authorship {
  const { before, after, last = before, seenSince, isRestored } = step;
  if (!after) return authorshipOf({ before: last, after, seenSince });
  if (isBroughtBack(step, after)) return { by: 'unknown' };
  // Generations before and after a restore are not comparable.
  return authorshipOf({ before: isRestored ? undefined : before, after, seenSince });
}

/** Whether the version was written before the restore. */
function isBroughtBack({ isRestored, seenSince }: RecordableStep, version: AnyObject): boolean {
  return isRestored && (specWrittenAt(version) ?? 0) <= seenSince;
}

type Start = Pick<NewEntry, 'uid' | 'fromVersion'> & Pick<RecordableStep, 'era' | 'isRestored'>;

/**
 * Contains the era, because after a restore a different step may start at the same version. Marks steps made by the
 * restore itself, because they start at a version of the old era. A moment of a plan comes once, whatever the step.
 */
function keyOfEntry({ uid, fromVersion, era, isRestored }: Start, recorded: AuditEvent): string {
  if (recorded.moment) return digestOf([uid, `${recorded.moment.at}`, ...factsOf(recorded)]);
  const count = [...(era > 0 ? [`era ${era}`] : []), ...(isRestored ? ['rewound'] : [])];
  return digestOf([uid, fromVersion, ...factsOf(recorded), ...count]);
}

function factsOf({ type, environment, subject }: AuditEvent): readonly string[] {
  return [type, environment ?? '', subject];
}

function digestOf(facts: readonly string[]): string {
  return hash('sha256', facts.join('\n')).slice(0, KEY_DIGITS);
}

/** The times of a step; a change made by a restore gets the time at which it was noticed. */
export function timesOfStep(step: RecordableStep): Times {
  const { before, after, at, unseen } = step;
  const isCoalesced = unseen && isSeveral(before, after);
  const isBack = after !== undefined && isBroughtBack(step, after);
  return isBack ? { createdAt: at, earliestAt: null } : timesOf(step, isCoalesced);
}

/** When the version after a step came into force. */
export function forceSpanOfStep(step: RecordableStep): ForceSpan & { readonly several: boolean } {
  const { before, after, at, unseen, isRestored, seenSince } = step;
  const several = unseen && isSeveral(before, after);
  if (isRestored) return { earliestAt: Math.min(at, seenSince), fromAt: at, several: true };
  return { ...forceSpanOf(step, several), several };
}
