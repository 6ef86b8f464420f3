/** Where each sink is in the history, and the entries that come next. */
import { sql } from 'kysely';
import type { Entry } from '../../../domain/history/entry.ts';
import { Refusal } from '../../../errors.ts';
import { loadFitting } from '../load-entries.ts';
import type { Connected } from '../reconnect.ts';
import { isAmong } from '../sql.ts';
import type { Db } from '../tables.ts';

/** How far a sink is. Times are in ms since 1970; 0: never. */
export interface SinkPlace {
  readonly revision: number;
  /** The id of the last entry that the sink needs no more. */
  readonly position: number;
  readonly lastId: number;
  readonly lastAt: number;
  readonly setAside: number;
  readonly lastSetAside: string | null;
  /** The generation to which the receiver has answered 410; 0: none. */
  readonly gone: number;
  readonly replay: string | null;
  readonly replayedAt: number;
}

export interface SinkLag {
  /** Up to `MAX_COUNTED`. */
  readonly entries: number;
  readonly oldestAt: number | undefined;
}

/** All methods reject with Refusal `unavailable` while the database is away. */
export interface SinkStore {
  /** The place of the sink; a new sink begins with the first entry since this time. */
  open(uid: string, createdAt: number): Promise<SinkPlace>;
  /**
   * Rejects with Refusal `conflict` if the place has another revision: another replica delivers. Returns the new
   * revision.
   */
  save(uid: string, place: SinkPlace): Promise<number>;
  /** The next entries, in the order of their ids. None is passed over that is still being stored. */
  after(position: number, limit?: number): Promise<readonly Entry[]>;
  /** The position before the first entry since this time. */
  positionAt(time: number): Promise<number>;
  lag(position: number): Promise<SinkLag>;
  /** Forgets the places of all sinks but these. */
  keepOnly(uids: readonly string[]): Promise<void>;
}

const PAGE = 20;
const MAX_COUNTED = 10_000;

export function sinkStoreIn(connected: Connected): SinkStore {
  const readAfter = orderedReader(connected);
  return {
    open: (uid, createdAt) => connected.write((db) => openPlace(db, uid, createdAt)),
    save: (uid, place) => connected.write((db) => savePlace(db, uid, place)),
    after: readAfter,
    positionAt: (time) => connected.read((db) => positionAt(db, time)),
    lag: (position) => connected.read((db) => readLag(db, position)),
    async keepOnly(uids) {
      await connected.write((db, kind) => sql`delete from sinks where not (${isAmong(kind, 'uid', uids)})`.execute(db));
    },
  };
}

async function openPlace(db: Db, uid: string, createdAt: number): Promise<SinkPlace> {
  const known = await readPlace(db, uid);
  if (known) return known;
  const first = { revision: 1, position: await positionAt(db, createdAt), last_id: 0, last_at: 0, set_aside: 0 };
  await db
    .insertInto('sinks')
    .values({ uid, ...first, last_set_aside: null, gone: 0, replay: null, replayed_at: 0 })
    .onConflict((conflict) => conflict.column('uid').doNothing())
    .execute();
  return (await readPlace(db, uid)) ?? openPlace(db, uid, createdAt);
}

async function readPlace(db: Db, uid: string): Promise<SinkPlace | undefined> {
  const row = await db.selectFrom('sinks').selectAll().where('uid', '=', uid).executeTakeFirst();
  if (!row) return undefined;
  const { revision, position, gone, replay } = row;
  return {
    ...{ revision, position, gone, replay, lastId: row.last_id, lastAt: row.last_at, setAside: row.set_aside },
    lastSetAside: row.last_set_aside,
    replayedAt: row.replayed_at,
  };
}

async function savePlace(db: Db, uid: string, { revision, position, gone, replay, ...place }: SinkPlace) {
  const { numUpdatedRows } = await db
    .updateTable('sinks')
    .set({
      ...{ revision: revision + 1, position, gone, replay, replayed_at: place.replayedAt },
      ...{ last_id: place.lastId, last_at: place.lastAt },
      ...{ set_aside: place.setAside, last_set_aside: place.lastSetAside },
    })
    .where('uid', '=', uid)
    .where('revision', '=', revision)
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0) throw new Refusal('conflict', 'Another replica delivers to the sink');
  return revision + 1;
}

async function positionAt(db: Db, time: number): Promise<number> {
  const since = await db
    .selectFrom('facets')
    .select((facet) => facet.fn.min('id').as('id'))
    .where('created_at', '>=', time)
    .executeTakeFirst();
  if (since?.id) return since.id - 1;
  return highestId(db);
}

async function highestId(db: Db): Promise<number> {
  const row = await db.selectFrom('entries').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

async function readLag(db: Db, position: number): Promise<SinkLag> {
  const waiting = db.selectFrom('entries').select(['id', 'created_at']).where('id', '>', position).orderBy('id');
  const oldest = await waiting.limit(1).executeTakeFirst();
  if (!oldest) return { entries: 0, oldestAt: undefined };
  const { count } = await db
    .selectFrom(waiting.limit(MAX_COUNTED).as('waiting'))
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { entries: Number(count), oldestAt: oldest.created_at };
}

/**
 * In PostgreSQL, an entry with a lower id may be committed later. Only then is an id missing between others. All that
 * store entries write to the cursors first, so this waits for them, and new ones wait for a moment: then every id up to
 * the highest one is there, or will never be.
 */
function orderedReader(connected: Connected): SinkStore['after'] {
  let settledTo = 0;
  return async (position, limit = PAGE) => {
    const page = { position, limit };
    const { ids, kind } = await connected.read(async (db, kind) => ({ ids: await idsAfter(db, page), kind }));
    const last = ids.at(-1) ?? position;
    const isInOrder = kind === 'sqlite' || last <= settledTo || last - position === ids.length;
    if (!isInOrder) settledTo = await connected.write(settle);
    const bound = isInOrder ? last : settledTo;
    return connected.read(async (db) => loadFitting(db, isInOrder ? ids : await idsAfter(db, page, bound)));
  };
}

async function settle(db: Db): Promise<number> {
  await sql`lock table cursors in share mode`.execute(db);
  return highestId(db);
}

interface SinkPage {
  readonly position: number;
  readonly limit: number;
}

async function idsAfter(
  db: Db,
  { position, limit }: SinkPage,
  last = Number.MAX_SAFE_INTEGER,
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('entries')
    .select('id')
    .where('id', '>', position)
    .where('id', '<=', last)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
