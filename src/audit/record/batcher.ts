/** Folds the watch events of one kind in one namespace into batches for the archive. */

import type { NewEntry } from '../../domain/history/entry.ts';
import { WITHIN_SECOND_MS } from '../../kube/object/written-at.ts';
import type { Kind } from '../../model/kind.ts';
import { keyOf } from '../../model/object.ts';
import { isAbove, isAtMost } from '../../model/version.ts';
import { decides } from '../../schema/kinds.ts';
import type { Archive, Batch, Cursor, KnownObject, NewVersion, ObjectState } from '../archive/archive.ts';
import type { Derivation } from '../derive/derive.ts';
import { entriesOf, forceSpanOfStep, type RecordableStep, type StepParts, timesOfStep } from '../derive/steps.ts';
import { decisiveIn, generationIn } from './fingerprint.ts';
import type { Notify } from './notice.ts';
import { readSnapshot } from './snapshot.ts';
import type { Frame, RecordedObject } from './watch-buffer.ts';

export interface BatcherParts extends StepParts, Derivation {
  readonly kind: Kind<unknown, unknown>;
  readonly scope: string;
  readonly archive: Pick<Archive, 'states' | 'knownIn'>;
  readonly onNotice: Notify;
}

/** The state of the batcher between two frames. */
export interface Checkpoint {
  /** Everything up to this resourceVersion is recorded; empty: nothing is recorded yet. */
  readonly version: string;
  readonly revision: number | undefined;
  /** See `Cursor`. */
  readonly era: number;
  /** The time up to which all changes were seen live, in ms since 1970. */
  readonly seenAt: number;
  /** The latest write time that objects up to there state, in ms since 1970. */
  readonly reachedAt: number;
  readonly listing: Listing | undefined;
  /** How often a list replaced a watch that could not resume: changes in between may be missing. */
  readonly gaps: number;
}

/** A list in progress. */
interface Listing {
  /** The first list of a kind: its objects are the baseline and produce no entries. */
  readonly isBaseline: boolean;
  /** The cluster was restored: an equal resourceVersion in this list may be a different version. */
  readonly isRewritten: boolean;
  /** The time up to which all changes were seen before the list started, in ms since 1970. */
  readonly since: number;
  /** The uids of known objects that the list has not returned yet, by namespace/name. */
  readonly missing: Map<string, string>;
}

const NO_VERSION = '';

const READ_CONCURRENCY = 200;

export function checkpointAt(cursor: Cursor | undefined): Checkpoint {
  const { version = NO_VERSION, revision, era = 0, movedAt = 0 } = cursor ?? {};
  return { version, revision, era, seenAt: movedAt, reachedAt: movedAt, listing: undefined, gaps: 0 };
}

/** The checkpoint for a cluster that was restored since: all objects are compared, regardless of their versions. */
export function checkpointBefore(cursor: Cursor): Checkpoint {
  const listing = { isBaseline: false, isRewritten: true, since: cursor.movedAt, missing: new Map() };
  return { ...checkpointAt(cursor), listing };
}

/** The version at which the watch resumes; undefined: it starts with a list. */
export function resumptionOf({ version, listing }: Checkpoint): string | undefined {
  return version === NO_VERSION || listing !== undefined ? undefined : version;
}

/** Folds frames into a batch. Writes nothing, so that a retry can fold the same frames again. */
export async function foldWatchEvents(
  parts: BatcherParts,
  checkpoint: Checkpoint,
  frames: readonly Frame[],
): Promise<{ readonly batch: Batch; readonly checkpoint: Checkpoint }> {
  const draft = await beginDraft(parts, frames);
  const bounds = upperBoundsOf(frames, checkpoint.reachedAt);
  let now = checkpoint;
  for (const [index, frame] of frames.entries()) {
    const listing = await fold(draft, now, { ...frame, until: bounds[index] ?? frame.at });
    now = { ...now, ...checkpointAfter(frame, now), listing };
  }
  const { version, revision, era, seenAt } = now;
  const { states, gone, entries, versions } = draft;
  const facts = { scope: parts.scope, after: revision, version, era, at: seenAt, completeSince: draft.completeSince };
  const batch = { ...facts, entries, versions, gone: [...gone] };
  return {
    batch: { ...batch, states: [...states.values()] },
    checkpoint: { ...now, revision: (revision ?? 0) + 1 },
  };
}

function checkpointAfter(frame: Frame, now: Checkpoint): Omit<Checkpoint, 'revision' | 'listing'> {
  const { version, listing, gaps } = now;
  const isGap = frame.reports === 'swap' && listing?.isBaseline === false && !listing.isRewritten;
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
 * A late frame does not advance the time. An object advances it to its write time rather than its arrival, because a
 * process that was suspended reads old events.
 */
function seenAfter(frame: Frame, seenAt: number): number {
  if (frame.isLate) return seenAt;
  if (frame.reports === 'progressed' || frame.reports === 'swap') return Math.max(seenAt, frame.at);
  return frame.reports === 'applied' ? Math.max(seenAt, Math.min(frame.writtenAt, frame.at)) : seenAt;
}

/** After the list all known versions belong to the new era. */
function eraAfter(frame: Frame, { era, listing }: Checkpoint): number {
  return frame.reports === 'swap' && listing?.isRewritten ? era + 1 : era;
}

function passedBy(frame: Frame, version: string): string {
  if (frame.reports === 'swap') return frame.version;
  const isPast = frame.reports === 'applied' || frame.reports === 'deleted' || frame.reports === 'progressed';
  return isPast && !isAtMost(frame.version, version) ? frame.version : version;
}

/** A batch under construction. */
interface Draft extends BatcherParts {
  readonly known: ReadonlyMap<string, ObjectState>;
  readonly states: Map<string, ObjectState>;
  readonly gone: Set<string>;
  readonly entries: NewEntry[];
  readonly versions: NewVersion[];
  /** See `Batch`. */
  completeSince: number | undefined;
}

async function beginDraft(parts: BatcherParts, frames: readonly Frame[]): Promise<Draft> {
  const uids = new Set(frames.flatMap((frame) => ('uid' in frame ? [frame.uid] : [])));
  const known = uids.size === 0 ? new Map<string, ObjectState>() : await parts.archive.states([...uids]);
  return { ...parts, known, states: new Map(), gone: new Set(), entries: [], versions: [], completeSince: undefined };
}

/** A frame with the latest time at which it can have happened, as far as other frames show. */
type Timed<F> = F & { readonly until: number };

/** Folds one frame; returns the listing after it. */
async function fold(draft: Draft, checkpoint: Checkpoint, frame: Timed<Frame>): Promise<Listing | undefined> {
  const { listing } = checkpoint;
  switch (frame.reports) {
    case 'begin':
      return beginListing(draft, checkpoint, frame.isRewritten);
    case 'listed':
      return takeListed(draft, checkpoint, frame);
    case 'swap':
      await diffMissing(draft, [...(listing?.missing.values() ?? [])], momentOf(checkpoint, frame));
      if (listing?.isBaseline && decides(draft.kind.plural)) draft.completeSince = frame.at;
      return undefined;
    case 'applied':
      takeApplied(draft, frame, momentOf(checkpoint, frame));
      return listing;
    case 'deleted':
    case 'unlisted':
      listing?.missing.delete(frame.key);
      takeDeleted(draft, frame, momentOf(checkpoint, frame));
      return listing;
    case 'progressed':
      return listing;
  }
}

/** A list that restarts after a failure still belongs to the restored cluster. */
async function beginListing(
  draft: Draft,
  { listing, version, seenAt }: Checkpoint,
  isRewritten: boolean,
): Promise<Listing> {
  return {
    isBaseline: version === NO_VERSION,
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

async function takeListed(
  draft: Draft,
  checkpoint: Checkpoint,
  frame: Timed<RecordedObject>,
): Promise<Listing | undefined> {
  const { listing } = checkpoint;
  const known = listing?.missing.get(frame.key);
  // The name belonged to another object, which was deleted before this one was created.
  if (known !== undefined && known !== frame.uid) await diffMissing(draft, [known], momentOf(checkpoint, frame));
  listing?.missing.delete(frame.key);
  const before = stateOf(draft, frame.uid);
  // A list is never stale, so an older version means that the cluster was restored.
  const isOlder = before !== undefined && isAbove(before.version, frame.version);
  const now = listing && { ...listing, isRewritten: listing.isRewritten || isOlder };
  if (before?.version === frame.version && !(now?.isRewritten && before.object !== frame.snapshot)) return now;
  const isBaseline = before === undefined && listing?.isBaseline === true;
  report(draft, frame, { ...momentOf({ ...checkpoint, listing: now }, frame), before, unseen: true, isBaseline });
  return now;
}

function takeApplied(draft: Draft, frame: RecordedObject, moment: StepTime): void {
  const before = stateOf(draft, frame.uid);
  if (before && isAtMost(frame.version, before.version)) return;
  report(draft, frame, { ...moment, before, unseen: isAfterGap(frame, before), isBaseline: false });
}

/** A watch skips no version. The audit log of the API server may lack some, and the generation counts all changes. */
function isAfterGap({ isLate, fingerprint }: RecordedObject, before: ObjectState | undefined): boolean {
  return isLate && generationIn(fingerprint) > (before ? generationIn(before.fingerprint) : 0) + 1;
}

type StepTime = Pick<RecordableStep, 'at' | 'isLate' | 'since' | 'until' | 'seenSince' | 'era' | 'isRestored'>;

/** A change found by a list happened at any time since the previous list or since the watch ended. */
function momentOf({ era, seenAt, reachedAt, listing }: Checkpoint, { at, isLate, until }: Timed<Frame>): StepTime {
  const when = { at, isLate: isLate || listing !== undefined, since: reachedAt, until, era };
  if (listing?.isRewritten) return { ...when, seenSince: listing.since, isRestored: true };
  return { ...when, seenSince: seenAt, isRestored: false };
}

interface ChangedState extends StepTime {
  readonly before: ObjectState | undefined;
  readonly unseen: boolean;
  /** The object exists when recording starts: it produces no entry. */
  readonly isBaseline: boolean;
}

function report(draft: Draft, frame: RecordedObject, { before: state, isBaseline, ...moment }: ChangedState): void {
  const isChanged = moment.isRestored || state?.fingerprint !== frame.fingerprint;
  // After a restore versions start again lower: store the new version even if the object is unchanged.
  if (!isChanged && !isAtMost(frame.version, state?.version)) return;
  const { uid, key, version, fingerprint, snapshot: object } = frame;
  const next = { uid, key, version, fingerprint, object, scope: draft.scope };
  draft.gone.delete(uid);
  if (isChanged && !isBaseline) {
    reportChange(draft, frame, { next, state, moment });
    return;
  }
  if (isBaseline) keepVersion(draft, frame, { earliestAt: frame.at, fromAt: frame.at, several: false });
  const changedAt = isChanged ? Math.min(frame.writtenAt, frame.at) : (state?.changedAt ?? 0);
  draft.states.set(uid, { ...next, changedAt });
}

interface ReportedChange {
  readonly next: Omit<ObjectState, 'changedAt'>;
  readonly state: ObjectState | undefined;
  readonly moment: StepTime & Pick<RecordableStep, 'unseen'>;
}

function reportChange(draft: Draft, frame: RecordedObject, { next, state, moment }: ReportedChange): void {
  const before = state && readSnapshot(draft.kind, state.object);
  const after = readSnapshot(draft.kind, next.object);
  const step = { kind: draft.kind, before, after, ...moment, previousAt: state?.changedAt ?? 0 };
  draft.states.set(next.uid, { ...next, changedAt: timesOfStep(step).createdAt });
  const isDecisive = moment.isRestored || decisiveIn(state?.fingerprint) !== decisiveIn(frame.fingerprint);
  if (isDecisive) keepVersion(draft, frame, forceSpanOfStep(step));
  write(draft, step);
}

function takeDeleted(draft: Draft, frame: RecordedObject, moment: StepTime): void {
  const last = readSnapshot(draft.kind, frame.snapshot);
  const state = stateOf(draft, frame.uid);
  const before = state ? readSnapshot(draft.kind, state.object) : last;
  forget(draft, frame.uid);
  const previousAt = state?.changedAt ?? 0;
  const step = { kind: draft.kind, before, last, ...moment, previousAt, unseen: false };
  keepDeletion(draft, { uid: frame.uid, object: frame.snapshot }, step);
  write(draft, step);
}

/** Records the deletion of objects that a list no longer contains. */
async function diffMissing(draft: Draft, uids: readonly string[], moment: StepTime): Promise<void> {
  for (let from = 0; from < uids.length; from += READ_CONCURRENCY) {
    const some = uids.slice(from, from + READ_CONCURRENCY);
    const stored = await draft.archive.states(some);
    for (const uid of some) {
      const state = stateOf(draft, uid) ?? (draft.gone.has(uid) ? undefined : stored.get(uid));
      if (!state) continue;
      forget(draft, uid);
      const before = readSnapshot(draft.kind, state.object);
      const step = { kind: draft.kind, before, ...moment, previousAt: state.changedAt, unseen: true };
      keepDeletion(draft, state, step);
      write(draft, step);
    }
  }
}

type KeptObject = Pick<ObjectState, 'uid' | 'object'>;
type KeptSpan = Pick<NewVersion, 'earliestAt' | 'fromAt' | 'several'>;

function keepVersion(
  { kind, versions }: Draft,
  { uid, fingerprint, snapshot: object }: RecordedObject,
  span: KeptSpan,
): void {
  if (!decides(kind.plural)) return;
  const generation = generationIn(fingerprint);
  versions.push({ uid, resource: kind.plural, object, generation, isDeleted: false, ...span });
}

function keepDeletion({ kind, versions }: Draft, { uid, object }: KeptObject, step: RecordableStep): void {
  if (!decides(kind.plural)) return;
  versions.push({ uid, resource: kind.plural, object, generation: 0, isDeleted: true, ...forceSpanOfStep(step) });
}

function stateOf({ known, states, gone }: Draft, uid: string): ObjectState | undefined {
  return states.get(uid) ?? (gone.has(uid) ? undefined : known.get(uid));
}

function forget({ states, gone }: Draft, uid: string): void {
  states.delete(uid);
  gone.add(uid);
}

/**
 * A step that cannot be derived gets an entry without content: an unforeseen change must neither be missing nor stop
 * the recording of others.
 */
function write(draft: Draft, step: RecordableStep): void {
  try {
    draft.entries.push(...entriesOf(step, draft));
  } catch (error) {
    const { metadata } = step.after ?? step.last ?? step.before ?? {};
    const key = metadata ? keyOf(metadata) : '';
    draft.onNotice({ type: 'step-not-derived', resource: step.kind.plural, key, error });
    draft.entries.push(...entriesOf(step, { ...draft, derive: draft.deriveBare }));
  }
}

/** The latest time at which an object up to this frame was written, according to the objects. */
function reachedAfter(frame: Frame, reachedAt: number): number {
  return frame.reports === 'applied' ? Math.max(reachedAt, Math.min(frame.writtenAt, frame.at)) : reachedAt;
}

/** For each frame, a time before which it happened, if a later frame in the list shows one. */
export function upperBoundsOf(frames: readonly Frame[], reachedAt: number): readonly number[] {
  let reached = reachedAt;
  const records = frames.map((frame) => {
    const [before, after] = [reached, reachedAfter(frame, reached)];
    reached = after;
    return after > before ? after + WITHIN_SECOND_MS : undefined;
  });
  const bounds: number[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const [index, record] of [...records.entries()].toReversed()) {
    const frame = frames[index];
    bounds.push(frame && 'notAfter' in frame ? Math.min(next, frame.notAfter) : next);
    next = record ?? next;
  }
  return bounds.toReversed();
}
