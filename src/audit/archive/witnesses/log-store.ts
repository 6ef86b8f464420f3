/** Stores what the audit log of the API server says. */
import { sql } from 'kysely';
import { type Entry, isUnattributed, withWitness } from '../../../domain/history/entry.ts';
import { auditEventTypes } from '../../../domain/history/event-types.ts';
import { wayOf } from '../../../domain/history/way.ts';
import { Refusal } from '../../../errors.ts';
import { authorKeyOf, insertAuthors, toAuthorRow } from '../authors.ts';
import { storable, storableOrNull } from '../entry-rows.ts';
import { insertNames } from '../names.ts';
import type { Connected } from '../reconnect.ts';
import { inChunks } from '../sql.ts';
import { defineStatement, type Script, stepOf } from '../statement.ts';
import type { Db } from '../tables.ts';
import type {
  LoggedRange,
  LoggedWrite,
  LogPosition,
  LogStore,
  NewWitness,
  WitnessBatch,
  WitnessedEntry,
  WriteFacts,
} from './logged-writes.ts';

/** Limits of what waits for its entries: the log is believed, but not in its size. */
const MAX_WAITING = 50_000;
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

/** Bounds the parameter of PostgreSQL. */
const WRITES_PER_STEP = 200;
const IDS_PER_READ = 100;

export function createLogStore(connected: Connected): LogStore {
  return {
    async add(writes, at, position) {
      await connected.read(refuseWhileFull);
      const steps = inChunks(writes, WRITES_PER_STEP).map((some) => insertStep(some, at));
      const written = await connected.run(() => [...steps, ...positionSteps(position, at)]);
      return written.slice(0, steps.length).reduce((sum, count) => sum + count, 0);
    },
    async positions() {
      const rows = await connected.read((db) => db.selectFrom('log_positions').selectAll().execute());
      return new Map(rows.map(({ file, position }) => [file, position]));
    },
    witnessed: (limit) => connected.read((db) => readWitnessed(db, limit)),
    async settle(batch) {
      await connected.run(() => settleSteps(batch));
    },
    forget: (before) => connected.write((db) => forgetWrites(db, before)),
    range: (range) => connected.read((db) => readRange(db, range)),
    objects: (ids) => connected.read((db) => readObjects(db, ids)),
    unconfirmed: (from, until) => connected.read((db) => countUnconfirmed(db, from, until)),
  };
}

async function refuseWhileFull(db: Db): Promise<void> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*) as count, coalesce(sum(size), 0) as bytes from logged_writes`.execute(db);
  const { count = 0, bytes = 0 } = rows[0] ?? {};
  if (count < MAX_WAITING && Number(bytes) < MAX_WAITING_BYTES) return;
  const message = `${count} writes of the audit log wait for their entries in the history. Send this one again later.`;
  throw new Refusal('busy', message, { retryAfterSeconds: 10 });
}

const writeTypes = {
  ...({ id: 'text', resource: 'text', namespace: 'text', uid: 'text', revision: 'bigint' } as const),
  ...({ generation: 'bigint', received_at: 'bigint', completed_at: 'bigint' } as const),
  ...({
    arrived_at: 'bigint',
    username: 'text',
    impersonated_by: 'text',
    ip: 'text',
    user_agent: 'text',
    field_manager: 'text',
  } as const),
  ...({ object: 'text', size: 'bigint' } as const),
};
const writeColumns = Object.keys(writeTypes);

/** A write that has an entry already comes again after a restart, or because somebody sends it again. */
const insertWrites = defineStatement(
  writeTypes,
  (source) => `insert into logged_writes (${writeColumns}) select ${writeColumns.map((column) => `r.${column}`)}
    from ${source} where not exists (select 1 from witnesses as w where w.logged = r.id) on conflict (id) do nothing`,
);

function insertStep(writes: readonly LoggedWrite[], at: number) {
  const once = new Map(writes.map((write) => [write.id, write]));
  return stepOf(
    insertWrites,
    [...once.values()].map((write) => ({
      ...{ id: write.id, resource: write.resource, namespace: write.namespace, uid: write.uid },
      ...{ revision: write.revision, generation: write.generation, received_at: write.receivedAt },
      ...{ completed_at: write.completedAt, arrived_at: at },
      ...{ username: storable(write.username), impersonated_by: storableOrNull(write.impersonatedBy) },
      ...{ ip: storableOrNull(write.ip), user_agent: storableOrNull(write.userAgent) },
      ...{ field_manager: storableOrNull(write.fieldManager), object: storableOrNull(write.object) },
      size: write.object?.length ?? 0,
    })),
  );
}

const movePosition = defineStatement(
  { file: 'text', position: 'bigint', moved_at: 'bigint' },
  (source) => `insert into log_positions (file, position, moved_at) select r.file, r.position, r.moved_at
    from ${source} where true
    on conflict (file) do update set position = excluded.position, moved_at = excluded.moved_at`,
);

function positionSteps(position: LogPosition | undefined, at: number): Script {
  return position === undefined ? [] : [stepOf(movePosition, [{ ...position, moved_at: at }])];
}

interface WriteRow {
  readonly id: string;
  readonly resource: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number | null;
  readonly generation: number | null;
  readonly received_at: number;
  readonly completed_at: number;
  readonly username: string;
  readonly impersonated_by: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly field_manager: string | null;
}

function factsOfRow(row: WriteRow): WriteFacts {
  return {
    ...{ id: row.id, resource: row.resource, namespace: row.namespace, uid: row.uid },
    ...{ revision: row.revision, generation: row.generation, receivedAt: row.received_at },
    ...{ completedAt: row.completed_at, username: row.username },
    ...{ impersonatedBy: row.impersonated_by, ip: row.ip, userAgent: row.user_agent, fieldManager: row.field_manager },
  };
}

const FACTS = sql.raw(
  [
    ...['id', 'resource', 'namespace', 'uid', 'revision', 'generation', 'received_at', 'completed_at'],
    ...['username', 'impersonated_by', 'ip', 'user_agent', 'field_manager'],
  ]
    .map((column) => `l.${column}`)
    .join(', '),
);

const DELETIONS = sql.join(auditEventTypes.filter((type) => type.endsWith('-deleted')).map((type) => sql.lit(type)));

interface WitnessedRow extends WriteRow {
  readonly entry: number;
  readonly type: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly created_by_user_id: number;
  readonly channel: string | null;
  readonly manager: string | null;
  readonly witnessed_at: number | null;
  readonly confirms: number | null;
}

async function readWitnessed(db: Db, limit: number): Promise<readonly WitnessedEntry[]> {
  const { rows } = await sql<WitnessedRow>`
    select ${FACTS}, e.id as entry, e.type, e.created_at, e.created_by, e.created_by_user_id, e.channel,
      e.field_manager as manager, w.completed_at as witnessed_at, w.confirms
    from (select * from logged_writes as w where exists (select 1 from entries as e where e.uid = w.uid and
        ((w.revision is null and e.type in (${DELETIONS})) or e.to_version = cast(w.revision as text)))
      order by w.received_at, w.id limit ${limit}) as l
    join entries as e on e.uid = l.uid and
      ((l.revision is null and e.type in (${DELETIONS})) or e.to_version = cast(l.revision as text))
    left join witnesses as w on w.id = e.id
    order by l.received_at, l.id`.execute(db);
  return rows.map((row) => ({
    write: factsOfRow(row),
    entry: {
      ...{ id: row.entry, type: row.type as Entry['type'], createdAt: row.created_at, createdBy: row.created_by },
      ...{ createdByUserId: row.created_by_user_id, channel: row.channel as Entry['channel'] },
      ...{ fieldManager: row.manager, witness: presentWitness(row) },
    },
  }));
}

function presentWitness({ witnessed_at: completedAt, confirms }: WitnessedRow): WitnessedEntry['entry']['witness'] {
  return completedAt === null ? undefined : { completedAt, confirms: confirms === 1 };
}

/** Whether the row `r` counts rather than the present witness `w`. */
const COUNTS_MORE = `(w.completed_at > r.completed_at or (r.confirms > w.confirms and r.received_at < w.completed_at))`;

const insertWitnesses = defineStatement(
  {
    ...({ id: 'bigint', logged: 'text', received_at: 'bigint', completed_at: 'bigint' } as const),
    ...({ confirms: 'bigint', created_by: 'text' } as const),
    ...({ created_by_user_id: 'bigint', ip: 'text', user_agent: 'text', field_manager: 'text' } as const),
    ...({ impersonated_by: 'text' } as const),
  },
  (source) => {
    const columns = [
      ...['logged', 'completed_at', 'confirms', 'created_by', 'created_by_user_id', 'ip', 'user_agent'],
      ...['field_manager', 'impersonated_by'],
    ];
    return `insert into witnesses (id, ${columns}) select r.id, ${columns.map((column) => `r.${column}`)}
      from ${source} where not exists (select 1 from witnesses as w where w.id = r.id and not ${COUNTS_MORE})
      on conflict (id) do update set ${columns.map((column) => `${column} = excluded.${column}`)}
      where witnesses.completed_at > excluded.completed_at or excluded.confirms > witnesses.confirms`;
  },
);

/** The entry is found by the author that counts now; its own row stays as it is. */
const COUNTS = `exists (select 1 from witnesses as w where w.id = r.id and w.logged = r.logged)`;

const moveAuthored = defineStatement(
  { id: 'bigint', logged: 'text', author: 'text' },
  (source) => `update authored set author = (select a.id from authors as a where a.key = r.author)
    from ${source} where authored.id = r.id and ${COUNTS}`,
);

const moveFacets = defineStatement(
  { id: 'bigint', logged: 'text', created_by: 'bigint', way: 'text' },
  (source) => `update facets set created_by = r.created_by, way = (select n.id from names as n where n.name = r.way)
    from ${source} where facets.id = r.id and ${COUNTS}`,
);

const deleteWrites = defineStatement(
  { id: 'text' },
  (source) => `delete from logged_writes where id in (select r.id from ${source})`,
);

function settleSteps({ witnesses, settled }: WitnessBatch): Script {
  const naming = witnesses.filter(({ entry }) => isUnattributed(entry));
  const authors = new Map(naming.map(({ createdBy }) => [createdBy, toAuthorRow(createdBy)]));
  const facets = naming.map((witness) => ({ ...witness, way: wayOfWitness(witness) }));
  return [
    stepOf(insertWitnesses, witnesses.map(rowOfWitness)),
    stepOf(insertAuthors, [...authors.values()]),
    stepOf(
      insertNames,
      [...new Set(facets.map(({ way }) => way))].sort().map((name) => ({ name })),
    ),
    stepOf(
      moveAuthored,
      naming.map(({ entry, logged, createdBy }) => ({ id: entry.id, logged, author: authorKeyOf(createdBy) })),
    ),
    stepOf(
      moveFacets,
      facets.map(({ entry, logged, createdByUserId, way }) => {
        return { id: entry.id, logged, created_by: createdByUserId, way };
      }),
    ),
    stepOf(
      deleteWrites,
      [...new Set(settled)].map((id) => ({ id })),
    ),
  ];
}

function rowOfWitness(witness: NewWitness) {
  return {
    ...{ id: witness.entry.id, logged: witness.logged, received_at: witness.receivedAt },
    ...{ completed_at: witness.completedAt },
    ...{ confirms: Number(witness.confirms), created_by: storable(witness.createdBy) },
    ...{ created_by_user_id: witness.createdByUserId, ip: storableOrNull(witness.ip) },
    ...{ user_agent: storableOrNull(witness.userAgent), field_manager: storableOrNull(witness.fieldManager) },
    impersonated_by: storableOrNull(witness.impersonatedBy),
  };
}

function wayOfWitness({ entry, fieldManager }: NewWitness): string {
  return wayOf({ channel: 'kubernetes', fieldManager: entry.fieldManager ?? fieldManager }) ?? '';
}

async function forgetWrites(db: Db, before: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('logged_writes').where('arrived_at', '<', before).executeTakeFirst();
  return Number(numDeletedRows);
}

async function readRange(db: Db, { resource, namespace, from, until }: LoggedRange): Promise<readonly WriteFacts[]> {
  const place = namespace === undefined ? sql`` : sql`and l.namespace = ${namespace}`;
  const { rows } = await sql<WriteRow>`
    select ${FACTS} from logged_writes as l where l.resource = ${resource} ${place}
      and (l.revision is null or (l.revision > ${from} and l.revision <= ${until}))
    order by l.received_at, l.id`.execute(db);
  return rows.map(factsOfRow);
}

async function readObjects(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const some of inChunks(ids, IDS_PER_READ)) {
    const rows = await db.selectFrom('logged_writes').select(['id', 'object']).where('id', 'in', some).execute();
    for (const { id, object } of rows) if (object !== null) found.set(id, object);
  }
  return found;
}

/** Neither a plan nor Vexil itself has an audit event of its own for an entry. */
async function countUnconfirmed(db: Db, from: number, until: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from facets as f join entries as e on e.id = f.id
    where f.created_at >= ${from} and f.created_at < ${until} and e.created_by_user_id <> -1337
      and (e.channel is null or e.channel <> 'time') and not exists (select 1 from witnesses as w where w.id = f.id)
    `.execute(db);
  return Number(rows[0]?.count ?? 0);
}

const IDS_PER_STATEMENT = 1_000;

/** The entries with what the log says about them. */
export async function witnessedEntries(db: Db, entries: readonly Entry[]): Promise<Entry[]> {
  const found = new Map<number, Parameters<typeof withWitness>[1]>();
  for (const some of inChunks(entries, IDS_PER_STATEMENT)) {
    const ids = some.map(({ id }) => id);
    const rows = await db.selectFrom('witnesses').selectAll().where('id', 'in', ids).execute();
    for (const row of rows) {
      found.set(row.id, {
        ...{ confirms: row.confirms === 1, createdBy: row.created_by, createdByUserId: row.created_by_user_id },
        ...{ ip: row.ip, userAgent: row.user_agent, fieldManager: row.field_manager },
        impersonatedBy: row.impersonated_by,
      });
    }
  }
  return entries.map((entry) => withWitness(entry, found.get(entry.id)));
}
