/** Finds every version that objects of one kind had between two versions of the cluster, from reads of the past alone. */
import pLimit from 'p-limit';
import { AppError } from '../errors.ts';

/** An object at one of its versions. */
export interface Identity {
  readonly uid: string;
  readonly version: bigint;
  /** When it was written, as it tells, in ms since 1970; 0: it does not tell. */
  readonly writtenAt: number;
}

/** What existed at a version of the cluster. Keys are namespace/name. */
export interface Past {
  identityAt(key: string, version: bigint): Promise<Identity | undefined>;
  identitiesAt(version: bigint): Promise<ReadonlyMap<string, Identity>>;
  countAt(version: bigint): Promise<number>;
}

/** One object as it lived within a window. */
export interface Life {
  readonly key: string;
  readonly uid: string;
  /** Its versions within the window, the oldest first. */
  readonly versions: readonly Identity[];
  /** It was created with the first of them. */
  readonly isNew: boolean;
  /** The version of the cluster at which it was deleted; undefined: it is there at the end. */
  readonly goneAt: bigint | undefined;
}

export interface Window {
  /** Known already: what is sought is newer. */
  readonly base: bigint;
  readonly end: bigint;
  /** What existed at `base`. */
  readonly before: ReadonlyMap<string, Identity>;
  /** Versions of the cluster that are known to be writes of other objects. */
  readonly elsewhere: ReadonlySet<bigint>;
}

export interface Lives {
  readonly lives: readonly Life[];
  /** What existed at the end. */
  readonly after: ReadonlyMap<string, Identity>;
  /** An object that existed for fewer versions of the cluster than this may be missing; 1: none is. */
  readonly step: bigint;
  /** Points in between at which objects existed that are in no life: looking for all of them took too long. */
  readonly unexplained: number;
}

const READS_AT_ONCE = 8;

/** To count the objects at one version costs etcd a look at the key of each. */
const MOST_COUNTED = 20_000_000;
const MOST_SAMPLES = 10_000;
const FEWEST_SAMPLES = 50;

/** Objects listed to find names that only existed in between: somebody may make and delete without end. */
const MOST_LISTED = 500_000;

interface Search extends Window {
  readonly past: Past;
  readonly after: ReadonlyMap<string, Identity>;
  readonly limit: <T>(read: () => Promise<T>) => Promise<T>;
}

/**
 * The version of an object is that of the cluster when it was written, so the version before can be read one below it.
 * Where an object was deleted is found by halving. What came and went in between is in neither list: counts at
 * versions in between give it away.
 */
export async function livesBetween(past: Past, window: Window): Promise<Lives> {
  const after = await past.identitiesAt(window.end);
  const search: Search = { ...window, past, after, limit: pLimit(READS_AT_ONCE) };
  const touched = [...new Set([...window.before.keys(), ...after.keys()])].filter((key) => isTouched(search, key));
  const known = await Promise.all(touched.map((key) => search.limit(() => livesUnder(search, key))));
  const { lives, step, unexplained } = await withHidden(search, known.flat());
  return { lives, after, step, unexplained };
}

function isTouched({ before, after, base }: Search, key: string): boolean {
  const [was, is] = [before.get(key), after.get(key)];
  return is === undefined || was?.uid !== is.uid || is.version > base;
}

async function livesUnder(search: Search, key: string): Promise<readonly Life[]> {
  const is = search.after.get(key);
  const last = is === undefined ? undefined : await lifeUpTo(search, key, is);
  if (last?.isNew === false) return [last];
  const absentAt = last === undefined ? search.end : beforeFirst(last);
  const earlier = search.before.has(key) ? await livesWithin(search, key, { presentAt: search.base, absentAt }) : [];
  return last === undefined ? earlier : [...earlier, last];
}

async function lifeUpTo({ past, base }: Search, key: string, last: Identity): Promise<Life> {
  const versions: Identity[] = [];
  let at: Identity | undefined = last;
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

/** Those of one name from `presentAt` on; of several it may miss some in between. */
async function livesWithin(search: Search, key: string, { presentAt, absentAt }: Gap): Promise<readonly Life[]> {
  const lives: Life[] = [];
  let until = absentAt;
  for (;;) {
    const goneAt = await endWithin(search, key, { presentAt, absentAt: until });
    const last = await search.past.identityAt(key, goneAt - 1n);
    if (last === undefined) throw new AppError('unavailable', `The API server contradicts itself about ${key}`);
    const life = { ...(await lifeUpTo(search, key, last)), goneAt };
    lives.unshift(life);
    if (!life.isNew || beforeFirst(life) < presentAt) return lives;
    until = beforeFirst(life);
  }
}

/** The version of the cluster at which an object of this name was deleted. */
async function endWithin({ past }: Search, key: string, { presentAt, absentAt }: Gap): Promise<bigint> {
  let [there, absent] = [presentAt, absentAt];
  while (absent - there > 1n) {
    const middle = (there + absent) / 2n;
    if ((await past.identityAt(key, middle)) === undefined) absent = middle;
    else there = middle;
  }
  return absent;
}

function beforeFirst({ versions: [first] }: Life): bigint {
  return (first?.version ?? 0n) - 1n;
}

/** With those that existed neither at the base nor at the end. */
async function withHidden(search: Search, known: readonly Life[]): Promise<Omit<Lives, 'after'>> {
  const lives = [...known];
  const uids = new Set([...search.before.values(), ...known].map(({ uid }) => uid));
  const { points, step } = samplesOf(search, lives);
  const counts = await Promise.all(points.map((point) => search.limit(() => search.past.countAt(point))));
  const expected = countExpected(search, lives);
  let [unexplained, listed] = [0, 0];
  for (const [index, point] of points.entries()) {
    if (counts[index] === expected.at(point)) continue;
    const found = listed > MOST_LISTED ? [] : await hiddenAt(search, { lives, uids }, point);
    listed += counts[index] ?? 0;
    lives.push(...found);
    for (const { uid } of found) uids.add(uid);
    expected.add(found);
    if (found.length === 0) unexplained += 1;
  }
  return { lives, step, unexplained };
}

/** No object is made or deleted by a write that is known to be of another one. */
function samplesOf({ base, end, before, after, elsewhere }: Search, lives: readonly Life[]) {
  const known = new Set([...writesOf(lives), ...elsewhere].filter((version) => version > base && version <= end));
  const size = Math.max(before.size, after.size, 1);
  const most = Math.min(MOST_SAMPLES, Math.max(FEWEST_SAMPLES, Math.floor(MOST_COUNTED / size)));
  const free = end - base - BigInt(known.size);
  const step = free <= BigInt(most) ? 1n : (end - base) / BigInt(most) + 1n;
  const points: bigint[] = [];
  for (let point = base + 1n; point < end; point += step) if (!known.has(point)) points.push(point);
  return { points, step };
}

/** The versions of the cluster at which these lives changed. */
export function writesOf(lives: readonly Life[]): readonly bigint[] {
  return lives.flatMap(({ versions, goneAt }) => {
    const written = versions.map(({ version }) => version);
    return goneAt === undefined ? written : [...written, goneAt];
  });
}

/** An object more or less. */
interface CountChange {
  readonly version: bigint;
  readonly by: 1 | -1;
}

/** How many objects existed as far as the lives tell, at versions that are asked for in their order. */
function countExpected({ before }: Search, lives: readonly Life[]) {
  const changes: CountChange[] = lives.flatMap(countChangesOf).sort(byVersion);
  let [passed, count] = [0, before.size];
  return {
    at(point: bigint): number {
      for (let next = changes[passed]; next && next.version <= point; next = changes[passed]) {
        count += next.by;
        passed += 1;
      }
      return count;
    },
    /** Lives that were found at the last version that was asked for. */
    add(found: readonly Life[]): void {
      if (found.length === 0) return;
      const waiting = changes.splice(passed);
      changes.push(...[...waiting, ...found.flatMap(countChangesOf)].sort(byVersion));
    },
  };
}

function countChangesOf({ isNew, versions: [first], goneAt }: Life): readonly CountChange[] {
  const made: CountChange[] = isNew && first !== undefined ? [{ version: first.version, by: 1 }] : [];
  return goneAt === undefined ? made : [...made, { version: goneAt, by: -1 }];
}

function byVersion(one: CountChange, other: CountChange): number {
  return one.version < other.version ? -1 : 1;
}

interface Found {
  readonly lives: readonly Life[];
  /** Of these and of all that existed at the base. */
  readonly uids: ReadonlySet<string>;
}

async function hiddenAt(search: Search, { lives, uids }: Found, point: bigint): Promise<readonly Life[]> {
  const there = await search.past.identitiesAt(point);
  const hidden = [...there].filter(([, { uid }]) => !uids.has(uid)).map(([key]) => key);
  const found = hidden.map((key) => {
    const later = lives.filter((life) => life.key === key && beforeFirst(life) >= point).map(beforeFirst);
    const absentAt = later.reduce((one, other) => (other < one ? other : one), search.end);
    return search.limit(() => livesWithin(search, key, { presentAt: point, absentAt }));
  });
  return (await Promise.all(found)).flat();
}
