/** Gives the frames of a watch that the API server refuses to resume, from what etcd still has. */
import pLimit from 'p-limit';
import { keyOf } from '../schema/object.ts';
import { type Identity, type Life, livesBetween, type Window, writesOf } from './lives.ts';
import { createPast, type PastParts, type ReadablePast, revisionOf } from './past.ts';
import { asRawObject, type RawObject } from './raw-object.ts';
import { isAtMost } from './version.ts';
import type { Sought, Stretch, WatchEffect } from './watch-state.ts';
import { WITHIN_SECOND_MS } from './written-at.ts';

export interface Replay {
  /** Takes note of what the watch has told: the newest of it must be in the past that is read. */
  saw(effect: WatchEffect): void;
  /** The oldest version from this one on that can be read, beside the present one. Rejects with `invalid`: versions are no numbers. */
  seek(from: string, signal: AbortSignal): Promise<Sought>;
  /** Everything that happened after the first of these versions, in order, up to a bookmark at the second. */
  frames(stretch: Stretch, signal: AbortSignal): AsyncIterable<unknown>;
}

/** What a stretch of the past has given. */
export interface Replayed {
  readonly from: string;
  readonly to: string;
  readonly versions: number;
  /** See `Lives`. */
  readonly step: number;
  readonly unexplained: number;
}

export interface ReplayParts extends Omit<PastParts, 'signal'> {
  readonly turns: ReplayTurns;
  readonly onReplayed: (what: Replayed) => void;
}

/** What replays of several kinds share. */
export interface ReplayTurns {
  /** One reads at a time, so that the API server is not flooded after it was restarted. */
  readonly limit: <T>(read: () => Promise<T>) => Promise<T>;
  /** Versions of the cluster that earlier ones have found: they need not be looked at for objects of other kinds. */
  readonly found: Set<bigint>;
}

export function createReplayTurns(): ReplayTurns {
  return { limit: pLimit(1), found: new Set() };
}

const MOST_FOUND = 200_000;

/** Versions of the cluster that are read at a time: it bounds what is held, and the next one begins where this one ended. */
const WINDOW = 20_000n;

const OBJECTS_AT_ONCE = 16;

export function createReplay({ onReplayed, turns, ...parts }: ReplayParts): Replay {
  const find = (past: ReadablePast, window: Omit<Window, 'elsewhere'>) =>
    turns.limit(async () => {
      const { found } = turns;
      const lives = await livesBetween(past, { ...window, elsewhere: found });
      if (found.size > MOST_FOUND) found.clear();
      for (const version of writesOf(lives.lives)) found.add(version);
      return lives;
    });
  let newest: Seen | undefined;
  return {
    saw(effect) {
      if (effect.do === 'begin') newest = undefined;
      for (const seen of seenIn(effect)) if (!isAtMost(seen.version, newest?.version)) newest = seen;
    },
    async seek(from, signal) {
      const past = createPast({ ...parts, signal });
      const present = await past.now();
      const version = `${await oldestReadable(past, revisionOf(from), present)}`;
      const isRewritten = version === from && newest !== undefined && !(await isIn(past, newest, revisionOf(from)));
      return { version, present: `${present}`, isRewritten };
    },
    async *frames(stretch, signal) {
      const past = createPast({ ...parts, signal });
      const until = revisionOf(stretch.until);
      let base = revisionOf(stretch.from);
      let before = await past.identitiesAt(base);
      while (base < until) {
        const end = base + WINDOW < until ? base + WINDOW : until;
        const { lives, after, step, unexplained } = await find(past, { base, end, before });
        const moments = inOrder(lives.flatMap(momentsOf), before);
        yield* framesOf(past, moments);
        onReplayed({ from: `${base}`, to: `${end}`, versions: moments.length, step: Number(step), unexplained });
        yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: `${end}` } } };
        [base, before] = [end, after];
      }
    },
  };
}

/** What a watch has told last of all. */
interface Seen {
  readonly key: string;
  readonly uid: string;
  readonly version: string;
  readonly isGone: boolean;
}

function seenIn(effect: WatchEffect): readonly Seen[] {
  if (effect.do === 'listed') return effect.objects.map((object) => seenAs(object, false));
  if (effect.do === 'applied' || effect.do === 'deleted') return [seenAs(effect.object, effect.do === 'deleted')];
  return [];
}

function seenAs(object: unknown, isGone: boolean): Seen {
  const { metadata } = asRawObject(object);
  return { key: keyOf(metadata), uid: metadata.uid, version: metadata.resourceVersion, isGone };
}

/** Nothing of its kind has changed since, up to the version where the watch ended. */
async function isIn(past: ReadablePast, { key, uid, version, isGone }: Seen, end: bigint): Promise<boolean> {
  const found = await past.identityAt(key, end);
  return isGone ? found === undefined : found?.uid === uid && found.version === revisionOf(version);
}

async function oldestReadable(past: ReadablePast, from: bigint, present: bigint): Promise<bigint> {
  if (from >= present || (await past.isReadable(from))) return from;
  let [forgotten, readable] = [from, present];
  while (readable - forgotten > 1n) {
    const middle = (forgotten + readable) / 2n;
    if (await past.isReadable(middle)) readable = middle;
    else forgotten = middle;
  }
  return readable;
}

/** One frame, and where its object is read. */
interface Moment {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: bigint;
  readonly key: string;
  readonly readAt: bigint;
  /** As the object tells; 0: it does not tell. */
  readonly writtenAt: number;
  readonly notAfter?: number;
}

function momentsOf({ key, versions, isNew, goneAt }: Life): readonly Moment[] {
  const moments = versions.map(({ version, writtenAt }, index): Moment => {
    return { type: isNew && index === 0 ? 'ADDED' : 'MODIFIED', version, key, readAt: version, writtenAt };
  });
  if (goneAt !== undefined) moments.push({ type: 'DELETED', version: goneAt, key, readAt: goneAt - 1n, writtenAt: 0 });
  return moments;
}

/** A time that is later than all before it is of the very write that tells it: what came before was not after it. */
function inOrder(moments: readonly Moment[], before: ReadonlyMap<string, Identity>): readonly Moment[] {
  const sorted = moments.toSorted((one, other) => (one.version < other.version ? -1 : 1));
  let latest = [...before.values()].reduce((time, { writtenAt }) => Math.max(time, writtenAt), 0);
  const isFirst = sorted.map(({ writtenAt }) => {
    const isLater = writtenAt > latest;
    latest = Math.max(latest, writtenAt);
    return isLater;
  });
  let notAfter = Number.POSITIVE_INFINITY;
  const bounded = sorted.toReversed().map((moment, index) => {
    const one = { ...moment, notAfter };
    if (isFirst.at(-1 - index)) notAfter = moment.writtenAt + WITHIN_SECOND_MS;
    return one;
  });
  return bounded.toReversed();
}

async function* framesOf(past: ReadablePast, moments: readonly Moment[]): AsyncIterable<unknown> {
  for (let from = 0; from < moments.length; from += OBJECTS_AT_ONCE) {
    const some = moments.slice(from, from + OBJECTS_AT_ONCE);
    yield* await Promise.all(
      some.map(async ({ type, version, key, readAt, notAfter }) => ({
        type,
        notAfter,
        object: atVersion(await past.objectAt(key, readAt), version),
      })),
    );
  }
}

/** A watch gives what is deleted the version of its deletion. */
function atVersion(object: RawObject, version: bigint): RawObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
}
