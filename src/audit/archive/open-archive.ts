/** Opens the archive in the database that a URL names. */

import type { NewEntry } from '../../domain/history/entry.ts';
import { Refusal } from '../../errors.ts';
import type { Archive, KnownObject, Linked, ObjectState } from './archive.ts';
import { LINKS_PER_BATCH, linkRows, readChainPlace, readUnlinked } from './chain/append-links.ts';
import { createExportStore } from './chain/exports.ts';
import { createHeadStore } from './chain/heads.ts';
import { streamChain } from './chain/read-chain.ts';
import { linkRetention } from './chain/retention-link.ts';
import { commitBatch } from './commit-batch.ts';
import { publications } from './entry-rows.ts';
import { SEARCH_LIMITS, type SearchLimits } from './lanes.ts';
import { readBacklog, readUnpublished, settleEntries } from './outbox.ts';
import { postgresArchive } from './postgres.ts';
import { pruneEntries, pruneVersions } from './prune.ts';
import { type Connectable, type Connected, keepConnected } from './reconnect.ts';
import { conditionsOf } from './search/conditions.ts';
import { searchEntries } from './search/search-entries.ts';
import { inChunks, isAmong } from './sql.ts';
import { sqliteArchive } from './sqlite/sqlite.ts';
import type { Script } from './statement.ts';
import { insertEntries, storeEntries } from './store-entries.ts';
import { streamEntries } from './stream-entries.ts';
import type { DatabaseKind, Db } from './tables.ts';
import { readLastVersions, readVersionScopes, readVersionsAt } from './versions/read-versions.ts';
import { packVersions } from './versions/store-versions.ts';
import { createLogStore } from './witnesses/log-store.ts';

export interface ArchiveParts {
  /** Receives a message if the archive lacks a feature. */
  readonly notice: (sentence: string) => void;
  /** How long to wait for a lock of another process; default: 3 s. */
  readonly lockWaitMs?: number;
  /** Limits of searches; default: `SEARCH_LIMITS`. */
  readonly limits?: SearchLimits;
}

const neverAborted = new AbortController().signal;

export function openArchive(url: string, parts: ArchiveParts): Archive {
  return archiveIn(openDatabase(url, parts));
}

/** Connects on the first call, so that an unreachable database does not prevent the start. */
export function openDatabase(url: string, parts: ArchiveParts): Connected {
  return keepConnected(connectable(url, parts));
}

export function archiveIn(connected: Connected): Archive {
  return {
    cursors: () => connected.read(readCursors),
    states: (uids) => connected.read((db, kind) => readStates(db, kind, uids)),
    knownIn: (scope) => connected.read((db) => readKnownIn(db, scope)),
    async commit(batch) {
      const versions = await packVersions(batch.versions ?? []);
      await connected.run((kind) => commitBatch(kind, batch, versions));
    },

    unpublished: (limit, after, unnamedBefore) =>
      connected.read((db) => readUnpublished(db, { limit, after, unnamedBefore })),
    async settle(ids, how) {
      await connected.run(() => settleEntries(ids, how));
    },
    backlog: () => connected.read(readBacklog),
    restore: (entries) => restoreEntries(connected, entries),

    search: (filter, page, signal = neverAborted) =>
      connected.search(signal, async (db, kind) => {
        const conditions = await conditionsOf(db, kind, filter);
        return conditions === undefined ? { entries: [], total: 0 } : searchEntries({ db, kind }, conditions, page);
      }),
    stream: (filter, signal) => streamEntries(connected, filter, signal),
    versionsAt: (wanted, signal = neverAborted) =>
      connected.search(signal, (db, kind) => readVersionsAt(db, kind, wanted)),
    versionScopes: () => connected.read(readVersionScopes),
    lastVersionsIn: (place) => connected.read((db) => readLastVersions(db, place)),
    pruneVersions: (before, limit) => connected.write((db, kind) => pruneVersions(db, kind, { before, limit })),
    size: () => connected.size(),
    prune: (before, limit) => connected.write((db, kind) => pruneEntries(db, kind, { before, limit })),

    log: createLogStore(connected),
    link: () => linkSome(connected),
    linkRetention: (edge) => connected.write((db, kind) => linkRetention(db, kind, edge)),
    chain: (signal) => streamChain(connected, signal),
    heads: createHeadStore(connected),
    exports: createExportStore(connected),

    close: () => connected.close(),
  };
}

function connectable(url: string, { notice, lockWaitMs = 3_000, limits = SEARCH_LIMITS }: ArchiveParts): Connectable {
  if (/^postgres(ql)?:\/\//.test(url)) return postgresArchive(url, { notice, lockWaitMs, limits });
  if (url.startsWith('sqlite:')) return sqliteArchive(url.slice('sqlite:'.length), { lockWaitMs, limits });
  throw new Refusal('invalid', 'The URL of the archive must start with sqlite: or postgres://');
}

async function restoreEntries(connected: Connected, entries: readonly NewEntry[]): Promise<number> {
  let script: Script = [];
  const written = await connected.run((kind) => {
    script = storeEntries({ kind, publication: publications.published }, entries);
    return script;
  });
  return written.reduce((sum, count, index) => (script[index]?.sql === insertEntries.sql ? sum + count : sum), 0);
}

/** The place is read before the rows: a transaction that rewrites rows moves the chain, and then nothing is linked. */
async function linkSome(connected: Connected): Promise<Linked> {
  const { last, rows } = await connected.read(async (db) => ({
    last: await readChainPlace(db),
    rows: await readUnlinked(db),
  }));
  if (rows.length > 0) await connected.run(() => linkRows(last, rows));
  return { links: rows.length, isMore: rows.length >= LINKS_PER_BATCH };
}

async function readCursors(db: Db) {
  const rows = await db.selectFrom('cursors').selectAll().orderBy('scope').execute();
  return rows.map(({ moved_at, ...cursor }) => ({ ...cursor, movedAt: moved_at }));
}

async function readStates(
  db: Db,
  kind: DatabaseKind,
  uids: readonly string[],
): Promise<ReadonlyMap<string, ObjectState>> {
  const found = new Map<string, ObjectState>();
  for (const some of inChunks(uids, 1000)) {
    const rows = await db
      .selectFrom('states')
      .selectAll()
      .where(isAmong(kind, 'uid', some))
      .execute();
    for (const { changed_at: changedAt, mark: fingerprint, ...row } of rows)
      found.set(row.uid, { ...row, fingerprint, changedAt });
  }
  return found;
}

const KNOWN_PER_READ = 2_000;

/** Reads in parts, because the thread of the event loop takes each answer as a whole. */
async function readKnownIn(db: Db, scope: string): Promise<readonly KnownObject[]> {
  const known: KnownObject[] = [];
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('states')
      .select(['uid', 'key', 'version', 'mark as fingerprint'])
      .where('scope', '=', scope)
      .where('uid', '>', after)
      .orderBy('uid')
      .limit(KNOWN_PER_READ)
      .execute();
    known.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < KNOWN_PER_READ) return known;
    after = last.uid;
  }
}
