/** Finds every version that objects of one kind had between two cluster versions, by reading past versions only. */
import { ClusterError } from '../../errors.ts';
import type { SharedSearch } from './shared-search.ts';

/** An object at one of its versions. */
export interface ObjectVersion {
  readonly uid: string;
  readonly version: bigint;
  /** The write time that the object states, in ms since 1970; 0: none. */
  readonly writtenAt: number;
}

/** Reads the objects of one kind at a past version of the cluster. Keys are namespace/name. */
export interface Past {
  /** The kind and the namespace that are read. */
  readonly scope: string;
  identityAt(key: string, version: bigint): Promise<ObjectVersion | undefined>;
  identitiesAt(version: bigint): Promise<ReadonlyMap<string, ObjectVersion>>;
  countAt(version: bigint): Promise<number>;
}

/** One object (by uid) within a window. */
export interface Incarnation {
  readonly key: string;
  readonly uid: string;
  /** Its versions within the window, the oldest first. */
  readonly versions: readonly ObjectVersion[];
  /** The first of them is its creation. */
  readonly isNew: boolean;
  /** The cluster version of its deletion; undefined: it exists at the end. */
  readonly goneAt: bigint | undefined;
}

export interface Window {
  /** The version before the window; everything up to it is known. */
  readonly base: bigint;
  readonly end: bigint;
  /** The objects at `base`. */
  readonly before: ReadonlyMap<string, ObjectVersion>;
}

export interface Incarnations {
  readonly incarnations: readonly Incarnation[];
  /** The objects at the end. */
  readonly after: ReadonlyMap<string, ObjectVersion>;
  /** Objects that existed for fewer cluster versions than this may be missing; 1: none is missing. */
  readonly step: bigint;
  /** Number of samples with objects that were not found, because the search reached its limit. */
  readonly unexplained: number;
}

/** Counting the objects at one version makes etcd scan all their keys. */
const MAX_COUNTED = 20_000_000;
const MAX_SAMPLES = 10_000;
const MIN_SAMPLES = 50;

/** Limit for objects listed to find short-lived ones: a client may create and delete objects without end. */
const MAX_LISTED = 500_000;

interface Search extends Window {
  readonly past: Past;
  readonly after: ReadonlyMap<string, ObjectVersion>;
  readonly shared: SharedSearch;
}

/**
 * An object's version is the cluster version of its last write, so its previous version can be read one below.
 * The version of a deletion is found by binary search. Objects that were created and deleted within the window are in
 * neither list; the number of objects at sampled versions reveals them.
 */
export async function incarnationsBetween(past: Past, window: Window, shared: SharedSearch): Promise<Incarnations> {
  const after = await past.identitiesAt(window.end);
  const search: Search = { ...window, past, after, shared };
  const touched = [...new Set([...window.before.keys(), ...after.keys()])].filter((key) => isTouched(search, key));
  const known = (await Promise.all(touched.map((key) => shared.read(() => incarnationsUnder(search, key))))).flat();
  shared.remember(past.scope, writesOf(known));
  const { incarnations, step, unexplained } = await shared.count(() => withHidden(search, known));
  shared.remember(past.scope, writesOf(incarnations.slice(known.length)));
  return { incarnations, after, step, unexplained };
}

function isTouched({ before, after, base }: Search, key: string): boolean {
  const [was, is] = [before.get(key), after.get(key)];
  return is === undefined || was?.uid !== is.uid || is.version > base;
}

async function incarnationsUnder(search: Search, key: string): Promise<readonly Incarnation[]> {
  const is = search.after.get(key);
  const last = is === undefined ? undefined : await incarnationUpTo(search, key, is);
  if (last?.isNew === false) return [last];
  const absentAt = last === undefined ? search.end : beforeFirst(last);
  const earlier = search.before.has(key)
    ? await incarnationsWithin(search, key, { presentAt: search.base, absentAt })
    : [];
  return last === undefined ? earlier : [...earlier, last];
}

async function incarnationUpTo({ past, base }: Search, key: string, last: ObjectVersion): Promise<Incarnation> {
  const versions: ObjectVersion[] = [];
  let at: ObjectVersion | undefined = last;
  while (at?.uid === last.uid && at.version > base) {
    versions.push(at);
    at = await past.identityAt(key, at.version - 1n);
  }
  return { key, uid: last.uid, versions: versions.reverse(), isNew: at?.uid !== last.uid, goneAt: undefined };
}

interface Gap {
  readonly presentAt: bigint;
  readonly absentAt: bigint;
}

/** The incarnations of one name from `presentAt` on; intermediate ones may be missing if there are several. */
async function incarnationsWithin(
  search: Search,
  key: string,
  { presentAt, absentAt }: Gap,
): Promise<readonly Incarnation[]> {
  const incarnations: Incarnation[] = [];
  let until = absentAt;
  for (;;) {
    const goneAt = await endWithin(search, key, { presentAt, absentAt: until });
    const last = await search.past.identityAt(key, goneAt - 1n);
    if (last === undefined)
      throw new ClusterError('unavailable', `The API server returned contradictory versions of ${key}`);
    const life = { ...(await incarnationUpTo(search, key, last)), goneAt };
    incarnations.unshift(life);
    if (!life.isNew || beforeFirst(life) < presentAt) return incarnations;
    until = beforeFirst(life);
  }
}

/** The version of the cluster at which an object of this name was deleted. */
async function endWithin({ past }: Search, key: string, { presentAt, absentAt }: Gap): Promise<bigint> {
  let [present, absent] = [presentAt, absentAt];
  while (absent - present > 1n) {
    const middle = (present + absent) / 2n;
    if ((await past.identityAt(key, middle)) === undefined) absent = middle;
    else present = middle;
  }
  return absent;
}

function beforeFirst({ versions: [first] }: Incarnation): bigint {
  return (first?.version ?? 0n) - 1n;
}

/** Adds the incarnations that existed neither at the base nor at the end. */
async function withHidden(search: Search, known: readonly Incarnation[]): Promise<Omit<Incarnations, 'after'>> {
  const incarnations = [...known];
  const uids = new Set([...search.before.values(), ...known].map(({ uid }) => uid));
  const { points, step } = samplesOf(search, incarnations);
  const counts = await Promise.all(points.map((point) => search.shared.read(() => search.past.countAt(point))));
  const expected = countExpected(search, incarnations);
  let [unexplained, listed] = [0, 0];
  for (const [index, point] of points.entries()) {
    if (counts[index] === expected.at(point)) continue;
    const found = listed > MAX_LISTED ? [] : await hiddenAt(search, { incarnations, uids }, point);
    listed += counts[index] ?? 0;
    incarnations.push(...found);
    for (const { uid } of found) uids.add(uid);
    expected.add(found);
    if (found.length === 0) unexplained += 1;
  }
  return { incarnations, step, unexplained };
}

/**
 * Chooses the versions to count at, at most `step` apart. A known write changes no hidden object, so the last unknown
 * version before it is counted instead, unless an earlier sample has counted it.
 */
function samplesOf({ past, shared, base, end, before, after }: Search, incarnations: readonly Incarnation[]) {
  const known = new Set([...writesOf(incarnations), ...shared.writesOutside(past.scope, { base, end })]);
  const size = Math.max(before.size, after.size, 1);
  const limit = Math.min(MAX_SAMPLES, Math.max(MIN_SAMPLES, Math.floor(MAX_COUNTED / size)));
  const unknown = end - base - BigInt(known.size);
  const step = unknown <= BigInt(limit) ? 1n : (end - base) / BigInt(limit) + 1n;
  const points: bigint[] = [];
  let last = base;
  for (let point = base + 1n; point < end; point += step) {
    let counted = point;
    while (counted > last && known.has(counted)) counted -= 1n;
    if (counted > last) points.push(counted);
    last = point;
  }
  return { points, step };
}

/** The cluster versions of all writes of these incarnations. */
function writesOf(incarnations: readonly Incarnation[]): readonly bigint[] {
  return incarnations.flatMap(({ versions, goneAt }) => {
    const written = versions.map(({ version }) => version);
    return goneAt === undefined ? written : [...written, goneAt];
  });
}

/** A creation or deletion. */
interface CountChange {
  readonly version: bigint;
  readonly by: 1 | -1;
}

/** Counts the objects of the known incarnations; versions must be queried in ascending order. */
function countExpected({ before }: Search, incarnations: readonly Incarnation[]) {
  const changes: CountChange[] = incarnations.flatMap(countChangesOf).sort(byVersion);
  let [passed, count] = [0, before.size];
  return {
    at(point: bigint): number {
      for (let next = changes[passed]; next && next.version <= point; next = changes[passed]) {
        count += next.by;
        passed += 1;
      }
      return count;
    },
    /** Adds incarnations that were found at the last queried version. */
    add(found: readonly Incarnation[]): void {
      if (found.length === 0) return;
      const waiting = changes.splice(passed);
      changes.push(...[...waiting, ...found.flatMap(countChangesOf)].sort(byVersion));
    },
  };
}

function countChangesOf({ isNew, versions: [first], goneAt }: Incarnation): readonly CountChange[] {
  const created: CountChange[] = isNew && first !== undefined ? [{ version: first.version, by: 1 }] : [];
  return goneAt === undefined ? created : [...created, { version: goneAt, by: -1 }];
}

function byVersion(one: CountChange, other: CountChange): number {
  return one.version < other.version ? -1 : 1;
}

interface FoundIncarnations {
  readonly incarnations: readonly Incarnation[];
  /** The uids of these incarnations and of all objects at the base. */
  readonly uids: ReadonlySet<string>;
}

async function hiddenAt(
  search: Search,
  { incarnations, uids }: FoundIncarnations,
  point: bigint,
): Promise<readonly Incarnation[]> {
  const present = await search.past.identitiesAt(point);
  const hidden = [...present].filter(([, { uid }]) => !uids.has(uid)).map(([key]) => key);
  const found = hidden.map((key) => {
    const later = incarnations.filter((life) => life.key === key && beforeFirst(life) >= point).map(beforeFirst);
    const absentAt = later.reduce((one, other) => (other < one ? other : one), search.end);
    return search.shared.read(() => incarnationsWithin(search, key, { presentAt: point, absentAt }));
  });
  return (await Promise.all(found)).flat();
}
