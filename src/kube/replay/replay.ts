/** Rebuilds the missed frames of a watch that the API server cannot resume, from past versions in etcd. */
import { keyOf } from '../../model/object.ts';
import { isAtMost } from '../../model/version.ts';
import type { Replay } from '../cache/watch.ts';
import type { WatchEffect } from '../cache/watch-state.ts';
import { asRawObject, type RawObject } from '../object/raw-object.ts';
import { WITHIN_SECOND_MS } from '../object/written-at.ts';
import { type Incarnation, incarnationsBetween, type ObjectVersion } from './incarnations.ts';
import { createPast, type PastParts, type ReadablePast } from './past.ts';
import { revisionOf } from './revision.ts';
import type { SharedSearch } from './shared-search.ts';

/** The result of replaying a range of versions. */
export interface Replayed {
  readonly from: string;
  readonly to: string;
  readonly versions: number;
  /** See `Incarnations`. */
  readonly step: number;
  readonly unexplained: number;
}

export interface ReplayParts extends Omit<PastParts, 'signal'> {
  readonly shared: SharedSearch;
  readonly onReplayed: (replayed: Replayed) => void;
}

/** Cluster versions per window: limits memory; consecutive windows are replayed one by one. */
const WINDOW = 20_000n;

const OBJECTS_PER_PAGE = 16;

export function createReplay({ onReplayed, shared, ...parts }: ReplayParts): Replay {
  let newest: Seen | undefined;
  const begin = (isRewritten: boolean) => {
    newest = undefined;
    if (isRewritten) shared.forget();
  };
  const remember = (seen: Seen) => {
    const { version, isDeleted } = seen;
    const isInPast = (signal: AbortSignal) =>
      isIn(createPast({ ...parts, signal }), seen, revisionOf(version)).catch(() => {
        signal.throwIfAborted();
        // A failed read confirms nothing: this scope may be gone, and searches of other kinds go on without it.
        return false;
      });
    if (isDeleted) shared.rememberVersion(parts.scope, version);
    else shared.rememberChange(parts.scope, { version, isInPast });
  };
  return {
    saw(effect) {
      if (effect.do === 'begin') begin(effect.isRewritten);
      for (const seen of seenIn(effect)) {
        if (!isAtMost(seen.version, newest?.version)) newest = seen;
        if (effect.do !== 'listed') remember(seen);
      }
    },
    async seek(from, signal) {
      const past = createPast({ ...parts, signal });
      const present = await past.now();
      await shared.forgetUnconfirmed(signal);
      const version = `${await oldestReadable(past, revisionOf(from), present)}`;
      const isRewritten = version === from && newest !== undefined && !(await isIn(past, newest, revisionOf(from)));
      return { version, present: `${present}`, isRewritten };
    },
    async *frames(range, signal) {
      const past = createPast({ ...parts, signal });
      const until = revisionOf(range.until);
      let base = revisionOf(range.from);
      let before = await past.identitiesAt(base);
      while (base < until) {
        const end = base + WINDOW < until ? base + WINDOW : until;
        const { incarnations, after, step, unexplained } = await incarnationsBetween(
          past,
          { base, end, before },
          shared,
        );
        const moments = inOrder(incarnations.flatMap(momentsOf), before);
        yield* framesOf(past, moments, shared);
        onReplayed({ from: `${base}`, to: `${end}`, versions: moments.length, step: Number(step), unexplained });
        yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: `${end}` } } };
        [base, before] = [end, after];
      }
    },
  };
}

/** The newest object that a watch has delivered. */
interface Seen {
  readonly key: string;
  readonly uid: string;
  readonly version: string;
  readonly isDeleted: boolean;
}

function seenIn(effect: WatchEffect): readonly Seen[] {
  if (effect.do === 'listed') return effect.objects.map((object) => seenAs(object, false));
  if (effect.do === 'applied' || effect.do === 'deleted') return [seenAs(effect.object, effect.do === 'deleted')];
  return [];
}

function seenAs(object: unknown, isDeleted: boolean): Seen {
  const { metadata } = asRawObject(object);
  return { key: keyOf(metadata), uid: metadata.uid, version: metadata.resourceVersion, isDeleted };
}

/** Whether the past contains the object: no object of the kind has changed between it and the end of the watch. */
async function isIn(past: ReadablePast, { key, uid, version, isDeleted }: Seen, end: bigint): Promise<boolean> {
  const found = await past.identityAt(key, end);
  return isDeleted ? found === undefined : found?.uid === uid && found.version === revisionOf(version);
}

async function oldestReadable(past: ReadablePast, from: bigint, present: bigint): Promise<bigint> {
  if (from >= present || (await past.isReadable(from))) return from;
  let [compacted, readable] = [from, present];
  while (readable - compacted > 1n) {
    const middle = (compacted + readable) / 2n;
    if (await past.isReadable(middle)) readable = middle;
    else compacted = middle;
  }
  return readable;
}

/** One frame, and the version at which its object is read. */
interface ReplayedFrame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: bigint;
  readonly key: string;
  readonly readAt: bigint;
  /** The write time that the object states; 0: none. */
  readonly writtenAt: number;
  readonly notAfter?: number;
}

function momentsOf({ key, versions, isNew, goneAt }: Incarnation): readonly ReplayedFrame[] {
  const moments = versions.map(({ version, writtenAt }, index): ReplayedFrame => {
    return { type: isNew && index === 0 ? 'ADDED' : 'MODIFIED', version, key, readAt: version, writtenAt };
  });
  if (goneAt !== undefined) moments.push({ type: 'DELETED', version: goneAt, key, readAt: goneAt - 1n, writtenAt: 0 });
  return moments;
}

/**
 * Sorts by version and adds upper bounds: a stated time later than all before is that write's own, so earlier writes
 * precede it.
 */
function inOrder(
  moments: readonly ReplayedFrame[],
  before: ReadonlyMap<string, ObjectVersion>,
): readonly ReplayedFrame[] {
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

async function* framesOf(
  past: ReadablePast,
  moments: readonly ReplayedFrame[],
  { read }: SharedSearch,
): AsyncIterable<unknown> {
  for (let from = 0; from < moments.length; from += OBJECTS_PER_PAGE) {
    const some = moments.slice(from, from + OBJECTS_PER_PAGE);
    yield* await Promise.all(
      some.map(async ({ type, version, key, readAt, notAfter }) => ({
        type,
        notAfter,
        object: atVersion(await read(() => past.objectAt(key, readAt)), version),
      })),
    );
  }
}

/** Like a watch, gives a deleted object the version of its deletion. */
function atVersion(object: RawObject, version: bigint): RawObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
}
