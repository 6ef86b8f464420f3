/** Makes batches for the archive of what the watch of one kind in one namespace tells. */
import { isAbove, isAtMost } from '../kube/version.ts';
import type { Kind } from '../schema/kind.ts';
import { keyOf } from '../schema/object.ts';
import type { Archive, Batch, Cursor, KnownObject, State } from './archive.ts';
import { deriveBare } from './derive-bare.ts';
import type { NewEntry } from './entry.ts';
import type { Frame, ToldObject } from './intake.ts';
import type { Notify } from './notice.ts';
import { readSnapshot } from './snapshot.ts';
import { entriesOf, type StepParts, type TellableStep, timesOfStep } from './steps.ts';
import { reachedAfter, upperBoundsOf } from './times.ts';

export interface ScribeParts extends StepParts {
  readonly kind: Kind<unknown, unknown>;
  readonly scope: string;
  readonly archive: Pick<Archive, 'states' | 'knownIn'>;
  readonly onNotice: Notify;
}

/** Where a scribe is between two frames. */
export interface Standing {
  /** Everything up to here is told; empty: nothing ever was. */
  readonly version: string;
  readonly revision: number | undefined;
  /** See `Cursor`. */
  readonly era: number;
  /** When everything up to there had been seen as it happened, in ms since 1970. */
  readonly seenAt: number;
  /** The latest time at which anything up to there was written, as objects tell, in ms since 1970. */
  readonly reachedAt: number;
  readonly listing: Listing | undefined;
  /** So often a list has replaced what no watch told: changes in between may be missing. */
  readonly gaps: number;
}

/** A list that is under way. */
interface Listing {
  /** What exists when a kind is seen for the first time is no news. */
  readonly isBaseline: boolean;
  /** Versions of this list are not of the count of those that are known: what has the same may be something else. */
  readonly isRewritten: boolean;
  /** When everything had been seen before it began, in ms since 1970. */
  readonly since: number;
  /** The uid of what was known before and has not been shown yet, by namespace/name. */
  readonly missing: Map<string, string>;
}

const NOTHING_YET = '';

const READ_AT_ONCE = 200;

export function standingAt(cursor: Cursor | undefined): Standing {
  const { version = NOTHING_YET, revision, era = 0, movedAt = 0 } = cursor ?? {};
  return { version, revision, era, seenAt: movedAt, reachedAt: movedAt, listing: undefined, gaps: 0 };
}

/** As `standingAt`, of a cluster that was set back since: everything is to be compared, whatever its version. */
export function standingBefore(cursor: Cursor): Standing {
  const listing = { isBaseline: false, isRewritten: true, since: cursor.movedAt, missing: new Map() };
  return { ...standingAt(cursor), listing };
}

/** The version at which the watch goes on; undefined: it begins with a list. */
export function resumptionOf({ version, listing }: Standing): string | undefined {
  return version === NOTHING_YET || listing !== undefined ? undefined : version;
}

/** Writes nothing: the same frames may be judged again. */
export async function judgeFrames(
  parts: ScribeParts,
  standing: Standing,
  frames: readonly Frame[],
): Promise<{ readonly batch: Batch; readonly standing: Standing }> {
  const draft = await beginDraft(parts, frames);
  const bounds = upperBoundsOf(frames, standing.reachedAt);
  let now = standing;
  for (const [index, frame] of frames.entries()) {
    const listing = await take(draft, now, { ...frame, until: bounds[index] ?? frame.at });
    now = { ...now, ...standingAfter(frame, now), listing };
  }
  const { version, revision, era, seenAt } = now;
  const { states, gone, entries } = draft;
  const batch = { scope: parts.scope, after: revision, version, era, at: seenAt, entries, gone: [...gone] };
  return {
    batch: { ...batch, states: [...states.values()] },
    standing: { ...now, revision: (revision ?? 0) + 1 },
  };
}

function standingAfter(frame: Frame, now: Standing): Omit<Standing, 'revision' | 'listing'> {
  const { version, listing, gaps } = now;
  const isGap = frame.tells === 'swap' && listing?.isBaseline === false && !listing.isRewritten;
  const seenAt = seenAfter(frame, now.seenAt);
  return {
    era: eraAfter(frame, now),
    version: passedBy(frame, version),
    seenAt,
    reachedAt: Math.max(seenAt, reachedAfter(frame, now.reachedAt)),
    gaps: isGap ? gaps + 1 : gaps,
  };
}

/**
 * A late frame says nothing about the present. Of an object it counts when it was written rather than when it
 * came: a process that was suspended reads what happened before.
 */
function seenAfter(frame: Frame, seenAt: number): number {
  if (frame.isLate) return seenAt;
  if (frame.tells === 'progressed' || frame.tells === 'swap') return Math.max(seenAt, frame.at);
  return frame.tells === 'applied' ? Math.max(seenAt, Math.min(frame.writtenAt, frame.at)) : seenAt;
}

/** With the end of the list all that is known is of the new count. */
function eraAfter(frame: Frame, { era, listing }: Standing): number {
  return frame.tells === 'swap' && listing?.isRewritten ? era + 1 : era;
}

function passedBy(frame: Frame, version: string): string {
  if (frame.tells === 'swap') return frame.version;
  const isPast = frame.tells === 'applied' || frame.tells === 'deleted' || frame.tells === 'progressed';
  return isPast && !isAtMost(frame.version, version) ? frame.version : version;
}

/** A batch as it comes to be. */
interface Draft extends ScribeParts {
  readonly known: ReadonlyMap<string, State>;
  readonly states: Map<string, State>;
  readonly gone: Set<string>;
  readonly entries: NewEntry[];
}

async function beginDraft(parts: ScribeParts, frames: readonly Frame[]): Promise<Draft> {
  const uids = new Set(frames.flatMap((frame) => ('uid' in frame ? [frame.uid] : [])));
  const known = uids.size === 0 ? new Map<string, State>() : await parts.archive.states([...uids]);
  return { ...parts, known, states: new Map(), gone: new Set(), entries: [] };
}

/** A frame with a time before which it happened, if another one gives it away. */
type Timed<F> = F & { readonly until: number };

/** Gives the listing as it is after the frame. */
async function take(draft: Draft, standing: Standing, frame: Timed<Frame>): Promise<Listing | undefined> {
  const { listing } = standing;
  switch (frame.tells) {
    case 'begin':
      return beginListing(draft, standing, frame.isRewritten);
    case 'listed':
      return takeListed(draft, standing, frame);
    case 'swap':
      await tellMissing(draft, [...(listing?.missing.values() ?? [])], momentOf(standing, frame));
      return undefined;
    case 'applied':
      takeApplied(draft, frame, momentOf(standing, frame));
      return listing;
    case 'deleted':
    case 'unlisted':
      listing?.missing.delete(frame.key);
      takeDeleted(draft, frame, momentOf(standing, frame));
      return listing;
    case 'progressed':
      return listing;
  }
}

/** A list that begins again after it broke off is still that of a rewritten history. */
async function beginListing(
  draft: Draft,
  { listing, version, seenAt }: Standing,
  isRewritten: boolean,
): Promise<Listing> {
  return {
    isBaseline: version === NOTHING_YET,
    isRewritten: isRewritten || listing?.isRewritten === true,
    since: listing?.since ?? seenAt,
    missing: await knownBefore(draft),
  };
}

async function knownBefore({ archive, scope, states, gone }: Draft): Promise<Map<string, string>> {
  const stored: readonly KnownObject[] = await archive.knownIn(scope);
  const all = [...stored.filter(({ uid }) => !gone.has(uid)), ...states.values()];
  return new Map(all.map(({ key, uid }) => [key, uid]));
}

async function takeListed(draft: Draft, standing: Standing, frame: Timed<ToldObject>): Promise<Listing | undefined> {
  const { listing } = standing;
  const known = listing?.missing.get(frame.key);
  // Another object had this name: it went before this one came.
  if (known !== undefined && known !== frame.uid) await tellMissing(draft, [known], momentOf(standing, frame));
  listing?.missing.delete(frame.key);
  const before = stateOf(draft, frame.uid);
  // A list is never older than the moment, so an older version says what a restored backup says that counts on from above.
  const isOlder = before !== undefined && isAbove(before.version, frame.version);
  const now = listing && { ...listing, isRewritten: listing.isRewritten || isOlder };
  if (before?.version === frame.version && !(now?.isRewritten && before.object !== frame.snapshot)) return now;
  const isNews = before !== undefined || listing?.isBaseline !== true;
  tell(draft, frame, { ...momentOf({ ...standing, listing: now }, frame), before, unseen: true, isNews });
  return now;
}

function takeApplied(draft: Draft, frame: ToldObject, moment: Moment): void {
  const before = stateOf(draft, frame.uid);
  if (before && isAtMost(frame.version, before.version)) return;
  tell(draft, frame, { ...moment, before, unseen: false, isNews: true });
}

type Moment = Pick<TellableStep, 'at' | 'isLate' | 'since' | 'until' | 'seenSince' | 'era' | 'isRewound'>;

/** What a list tells happened at any time since the one before, or since a watch ended. */
function momentOf({ era, seenAt, reachedAt, listing }: Standing, { at, isLate, until }: Timed<Frame>): Moment {
  const when = { at, isLate: isLate || listing !== undefined, since: reachedAt, until, era };
  if (listing?.isRewritten) return { ...when, seenSince: listing.since, isRewound: true };
  return { ...when, seenSince: seenAt, isRewound: false };
}

interface Telling extends Moment {
  readonly before: State | undefined;
  readonly unseen: boolean;
  readonly isNews: boolean;
}

function tell(draft: Draft, frame: ToldObject, { before: state, isNews, ...moment }: Telling): void {
  const isTold = moment.isRewound || state?.mark !== frame.mark;
  // Versions count anew after a restored backup: what comes then must not look older than what is known.
  if (!isTold && !isAtMost(frame.version, state?.version)) return;
  const { uid, key, version, mark, snapshot: object } = frame;
  const next = { uid, key, version, mark, object, scope: draft.scope };
  draft.gone.delete(uid);
  if (!isTold || !isNews) {
    const changedAt = isTold ? Math.min(frame.writtenAt, frame.at) : (state?.changedAt ?? 0);
    draft.states.set(uid, { ...next, changedAt });
    return;
  }
  const before = state && readSnapshot(draft.kind, state.object);
  const after = readSnapshot(draft.kind, object);
  const step = { kind: draft.kind, before, after, ...moment, previousAt: state?.changedAt ?? 0 };
  draft.states.set(uid, { ...next, changedAt: timesOfStep(step).createdAt });
  write(draft, step);
}

function takeDeleted(draft: Draft, frame: ToldObject, moment: Moment): void {
  const last = readSnapshot(draft.kind, frame.snapshot);
  const state = stateOf(draft, frame.uid);
  const before = state ? readSnapshot(draft.kind, state.object) : last;
  forget(draft, frame.uid);
  const previousAt = state?.changedAt ?? 0;
  write(draft, { kind: draft.kind, before, last, ...moment, previousAt, unseen: false });
}

/** Of these no more is known than that they are gone. */
async function tellMissing(draft: Draft, uids: readonly string[], moment: Moment): Promise<void> {
  for (let from = 0; from < uids.length; from += READ_AT_ONCE) {
    const some = uids.slice(from, from + READ_AT_ONCE);
    const stored = await draft.archive.states(some);
    for (const uid of some) {
      const state = stateOf(draft, uid) ?? (draft.gone.has(uid) ? undefined : stored.get(uid));
      if (!state) continue;
      forget(draft, uid);
      const before = readSnapshot(draft.kind, state.object);
      write(draft, { kind: draft.kind, before, ...moment, previousAt: state.changedAt, unseen: true });
    }
  }
}

function stateOf({ known, states, gone }: Draft, uid: string): State | undefined {
  return states.get(uid) ?? (gone.has(uid) ? undefined : known.get(uid));
}

function forget({ states, gone }: Draft, uid: string): void {
  states.delete(uid);
  gone.add(uid);
}

/**
 * A step that cannot be derived has an entry without content: a change that no rule foresaw must not be missing, nor end the
 * history of all others.
 */
function write(draft: Draft, step: TellableStep): void {
  try {
    draft.entries.push(...entriesOf(step, draft));
  } catch (error) {
    const { metadata } = step.after ?? step.last ?? step.before ?? {};
    const key = metadata ? keyOf(metadata) : '';
    draft.onNotice({ type: 'step-not-derived', resource: step.kind.plural, key, error });
    draft.entries.push(...entriesOf(step, { ...draft, derive: deriveBare }));
  }
}
