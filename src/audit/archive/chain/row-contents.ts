/** The contents of rows that links commit. */
import { type RawBuilder, sql } from 'kysely';
import type { RowKind } from '../../../domain/history/chain.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Db } from '../tables.ts';

export interface RowContent {
  readonly kind: RowKind;
  readonly ref: number;
  readonly at: number;
  readonly content: JsonObject;
}

/** The columns are named one by one: a later column must not change the digests of earlier rows. */
const ofEntry = sql.raw(
  [
    ...['id', 'key', 'created_at', 'type', 'project', 'environment', 'feature_name', 'data', 'pre_data', 'tags'],
    ...['subject', 'created_by', 'created_by_user_id', 'ip', 'resource', 'namespace', 'object', 'uid'],
    ...['from_version', 'to_version', 'coalesced', 'restored', 'earliest_at', 'channel', 'field_manager', 'reason'],
  ]
    .map((column) => `e.${column}`)
    .join(', '),
);

type Row = Readonly<Record<string, string | number | null>>;

/** `which` is a condition on the table `e`. */
export async function entryContents(db: Db, which: RawBuilder<unknown>, limit: number): Promise<readonly RowContent[]> {
  const { rows } =
    await sql<Row>`select ${ofEntry} from entries as e where ${which} order by e.id limit ${limit}`.execute(db);
  return rows.map((row) => ({
    kind: 'entry',
    ref: Number(row['id']),
    at: Number(row['created_at']),
    content: present(row),
  }));
}

/** `which` is a condition on the table `v`. What the version says is committed by its digest. */
export async function versionContents(
  db: Db,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<readonly RowContent[]> {
  const { rows } = await sql<Row>`
    select v.id, t.uid, t.resource, t.namespace, t.name, t.wire_name, t.project, t.created, v.generation,
      v.earliest_at, v.from_at, v.several, v.has_parents, c.digest as says
    from versions as v join tracked as t on t.id = v.tracked left join contents as c on c.id = v.content
    where ${which} order by v.id limit ${limit}`.execute(db);
  return rows.map((row) => ({
    kind: 'version',
    ref: Number(row['id']),
    at: Number(row['from_at']),
    content: present(row),
  }));
}

/** A column that is null is left out, as is a later column in a row that has none. */
function present(row: Row): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
