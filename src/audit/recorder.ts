/** Follows the ordered watch of every kind and keeps in the archive what it tells, from where the archive ends. */
import { isAppError } from '../errors.ts';
import { type Clock, pause } from '../kube/pause.ts';
import { createReplay, createReplayTurns, type Replayed, type ReplayTurns } from '../kube/replay.ts';
import { runWatch, type WatchNotice, type WatchParts } from '../kube/watch.ts';
import type { Kind } from '../schema/kind.ts';
import type { CustomObject, Ref } from '../schema/object.ts';
import type { Archive, Batch, Cursor } from './archive.ts';
import type { NewEntry } from './entry.ts';
import { createIntake, type Frame, type Intake } from './intake.ts';
import type { HistoryNotice, Notify } from './notice.ts';
import { type Attempts, persistently } from './persistently.ts';
import { judgeFrames, resumptionOf, type ScribeParts, type Standing, standingAt, standingBefore } from './scribe.ts';
import { wasSetBack } from './set-back.ts';
import type { StepParts } from './steps.ts';
import { createWaitingRoom, type WaitingRoom } from './waiting-room.ts';

/** One kind in one namespace; absent: in all. */
export interface Place {
  readonly kind: Kind<unknown, unknown>;
  readonly namespace: string | undefined;
  /** What the cache of this replica has there. */
  readonly present: () => Iterable<CustomObject<unknown, unknown>>;
  readonly live: (ref: Ref, signal: AbortSignal) => Promise<CustomObject<unknown, unknown>>;
}

export interface RecorderParts extends StepParts, Pick<WatchParts, 'transport' | 'random'> {
  readonly archive: Archive;
  readonly places: readonly Place[];
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Takes what the cluster itself still tells, for an archive that knows nothing. */
  readonly restore: (signal: AbortSignal) => Promise<void>;
  /** Entries were stored. */
  readonly onEntries: () => void;
  readonly onNotice: Notify;
}

export interface Recorder {
  /** Records until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** What was told by the watches and is not in the archive yet. */
  readonly waiting: number;
  /** When the oldest of it was told, in ms since 1970. */
  readonly oldest: number | undefined;
}

/** So far the cursor in the archive may stay behind where nothing happens; it would be read again. */
const MOST_BEHIND_MS = 10_000;

/** Each transaction waits for the disk. */
const GATHERING_MS = 50;

/** Frames that one transaction takes. */
const MOST_FRAMES = 100;

export function createRecorder(parts: RecorderParts): Recorder {
  const intakes = new Set<Intake>();
  const oldest = () => Math.min(...[...intakes].map((intake) => intake.oldest ?? Number.POSITIVE_INFINITY));
  return {
    async run(signal) {
      while (!signal.aborted) {
        await untilOvertaken({ ...parts, intakes, signal });
        await pause(parts.clock, parts.backoff(0), signal);
      }
    },
    get waiting() {
      return [...intakes].reduce((sum, { length }) => sum + length, 0);
    },
    get oldest() {
      return Number.isFinite(oldest()) ? oldest() : undefined;
    },
  };
}

interface Round extends RecorderParts {
  readonly intakes: Set<Intake>;
  readonly room: WaitingRoom;
  readonly turns: ReplayTurns;
  readonly signal: AbortSignal;
  /** Ends the whole round. */
  readonly fail: (error: unknown) => void;
}

/** Ends when the signal aborts, or when the cursor turns out to be elsewhere: then all is read again from there. */
async function untilOvertaken(parts: Omit<Round, 'fail' | 'room' | 'turns'>): Promise<void> {
  const end = new AbortController();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    if (parts.signal.aborted || end.signal.aborted) return;
    failures.push(error);
    end.abort(error);
  };
  const signal = AbortSignal.any([parts.signal, end.signal]);
  const round: Round = { ...parts, fail, signal, room: createWaitingRoom(signal), turns: createReplayTurns() };
  try {
    const cursors = await readCursors(round);
    await Promise.all(round.places.map((place) => follow(round, place, cursors)));
  } catch (error) {
    fail(error);
  }
  for (const failure of failures) {
    if (!isAppError(failure, 'conflict')) throw failure;
    round.onNotice({ type: 'overtaken' });
  }
}

/** An archive that knows nothing begins with what the cluster still tells. */
async function readCursors(round: Round): Promise<ReadonlyMap<string, Cursor>> {
  const cursors = await persistently(round, attemptsOf(round), () => round.archive.cursors());
  if (cursors.length === 0) await persistently(round, attemptsOf(round), () => round.restore(round.signal));
  return new Map(cursors.map((cursor) => [cursor.scope, cursor]));
}

/** Reads and records side by side; the intake between them holds the reader back. */
async function follow(round: Round, place: Place, cursors: ReadonlyMap<string, Cursor>): Promise<void> {
  const { kind, namespace } = place;
  const {
    transport,
    random,
    clock,
    backoff,
    signal,
    now,
    intakes,
    fail,
    archive,
    derive,
    people,
    onNotice,
    room,
    turns,
  } = round;
  const scope = `${kind.plural}/${namespace ?? ''}`;
  const standing = await standingOf(round, place, cursors.get(scope));
  const from = resumptionOf(standing);
  const intake = createIntake({ now, signal, room });
  intakes.add(intake);
  const onReplayed = (what: Replayed): void => onNotice({ type: 'replayed', scope, ...what });
  const replay = createReplay({ transport, kind, namespace, turns, onReplayed });
  const watch = { transport, random, clock, backoff, signal, kind, namespace, sink: intake.sink, replay };
  const scribe = { kind, scope, archive, derive, people, onNotice };
  await Promise.all([
    runWatch({ ...watch, ...(from !== undefined && { from }), observe: complainIn(round, scope) }),
    record(round, { scribe, intake, standing }).catch(fail),
  ]);
  intakes.delete(intake);
}

async function standingOf(round: Round, { present, live }: Place, cursor: Cursor | undefined): Promise<Standing> {
  if (cursor === undefined || resumptionOf(standingAt(cursor)) === undefined) return standingAt(cursor);
  const { scope, version } = cursor;
  const known = await persistently(round, attemptsOf(round), () => round.archive.knownIn(scope));
  const suspicion = { present: present(), known, version, live: (ref: Ref) => live(ref, round.signal) };
  return (await wasSetBack(suspicion)) ? standingBefore(cursor) : standingAt(cursor);
}

interface Recording {
  readonly scribe: ScribeParts;
  readonly intake: Intake;
  readonly standing: Standing;
}

async function record(round: Round, { scribe, intake, standing }: Recording): Promise<void> {
  let now = standing;
  let storedAt = standing.seenAt;
  for (;;) {
    const frames = await gather(round, intake);
    if (frames.length === 0) return;
    const attempts = attemptsOf(round);
    const { batch, standing: next } = await persistently(round, attempts, () => judgeFrames(scribe, now, frames));
    const notices = noticesOf(scribe.scope, now, next);
    // The end of a list is something: from there on the watch can go on.
    const isNews = !isNothing(batch) || now.listing !== undefined || notices.length > 0;
    if (!isNews && batch.at - storedAt < MOST_BEHIND_MS) {
      now = { ...next, revision: now.revision };
    } else {
      await persistently(round, attempts, () => round.archive.commit(batch));
      now = next;
      storedAt = batch.at;
    }
    intake.drop(frames.length);
    for (const notice of notices) round.onNotice(notice);
    if (batch.entries.length > 0) tellOf(round, batch.entries);
  }
}

function noticesOf(scope: string, now: Standing, next: Standing): readonly HistoryNotice[] {
  const gap = { type: 'gap', scope, since: now.listing?.since ?? now.seenAt } as const;
  return [...(next.era > now.era ? [{ type: 'rewound', scope } as const] : []), ...(next.gaps > now.gaps ? [gap] : [])];
}

/** What comes within a moment is one transaction; none when told to end. */
async function gather({ clock, signal }: Round, intake: Intake): Promise<readonly Frame[]> {
  await intake.next(1);
  if (intake.length < MOST_FRAMES) await pause(clock, GATHERING_MS, signal);
  return signal.aborted ? [] : intake.next(MOST_FRAMES);
}

/** As most batches are, for most of what is written is our own status. */
function isNothing({ entries, states, gone, after }: Batch): boolean {
  return entries.length === 0 && states.length === 0 && gone.length === 0 && after !== undefined;
}

function tellOf({ onNotice, onEntries }: Round, entries: readonly NewEntry[]): void {
  onNotice({ type: 'told', entries });
  onEntries();
}

function attemptsOf({ onNotice }: Round): Attempts {
  return {
    passes: (error) => !isAppError(error, 'conflict'),
    onFailure: (error) => onNotice({ type: 'archive-failed', error }),
    onRecovery: () => onNotice({ type: 'archive-recovered' }),
  };
}

function complainIn({ onNotice }: Round, scope: string) {
  return (notice: WatchNotice): void => {
    if (notice.type === 'failed') onNotice({ type: 'watch-failed', scope, error: notice.error });
  };
}
