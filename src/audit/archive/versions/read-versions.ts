/** Reads which version of each object was in force at a time. */
import { type RawBuilder, sql } from 'kysely';
import { featureFlag } from '../../../schema/feature-flag.ts';
import { inChunks, isAmong } from '../sql.ts';
import type { DatabaseKind, Db } from '../tables.ts';
import { unpackContent, type VersionContent } from './content.ts';
import type {
  FoundVersions,
  LastVersion,
  PastObject,
  PastVersion,
  VersionPlace,
  VersionScope,
  WantedVersions,
} from './versions.ts';

export async function readVersionScopes(db: Db): Promise<readonly VersionScope[]> {
  const rows = await db.selectFrom('version_scopes').selectAll().orderBy('scope').execute();
  return rows.map(({ moved_at: until, ...row }) => ({ ...row, until }));
}

/** Contents may be large, and each answer is taken as a whole. */
const ROWS_PER_STATEMENT = 100;

type PastPlace = Pick<PastObject, 'uid' | 'resource' | 'namespace' | 'name' | 'created'>;

interface ObjectRow extends PastPlace {
  /** Null: the object did not exist yet. */
  readonly version: number | null;
  readonly last: number;
}

interface VersionRow {
  readonly id: number;
  readonly generation: number;
  readonly earliest_at: number;
  readonly from_at: number;
  readonly several: number;
  readonly body: string | null;
}

type FoundRow = PastPlace & VersionRow & Pick<ObjectRow, 'last'>;

/** A few queries for all objects, and two for those whose version is uncertain. */
export async function readVersionsAt(db: Db, kind: DatabaseKind, wanted: WantedVersions): Promise<FoundVersions> {
  const { at } = wanted;
  const scopes = await readVersionScopes(db);
  const latest = await inForce(db, { at, known: sql`1 = 1`, among: await wantedObjects(db, kind, wanted) });
  const uncertain = latest.filter(({ from_at: from }) => from > at).map(({ uid }) => uid);
  const among = isAmong(kind, 't.uid', uncertain);
  const certain = uncertain.length > 0 ? await inForce(db, { at, known: sql`w.from_at <= ${at}`, among }) : [];
  const previous = uncertain.length > 0 ? await previousOf(db, { at, among }) : new Map<string, number>();
  const before = new Map(certain.map((row) => [row.uid, row]));
  const objects = latest.flatMap((row) => {
    if (row.from_at <= at) return row.body === null ? [] : certainly(row);
    return perhaps(row, before.get(row.uid), previous.get(row.uid));
  });
  return { objects, scopes };
}

interface InForce {
  readonly at: number;
  /** What else must hold for the version `w`. */
  readonly known: RawBuilder<unknown>;
  readonly among: RawBuilder<boolean>;
}

/** Finds the versions first, and reads them by their ids: PostgreSQL would read all versions to join them. */
async function inForce(db: Db, { at, known, among }: InForce): Promise<readonly FoundRow[]> {
  const { rows } = await sql<ObjectRow>`
    select t.uid, t.resource, t.namespace, t.name, t.created, (
      select w.id from versions as w where w.tracked = t.id and w.earliest_at <= ${at} and ${known}
      order by w.earliest_at desc, w.id desc limit 1) as version,
      (select max(l.id) from versions as l where l.tracked = t.id) as last
    from tracked as t where ${among} order by t.id`.execute(db);
  const ids = rows.flatMap(({ version }) => version ?? []);
  const found = new Map<number, VersionRow>();
  for (const some of inChunks(ids, ROWS_PER_STATEMENT)) {
    const { rows: versions } = await sql<VersionRow>`
      select v.id, v.generation, v.earliest_at, v.from_at, v.several, c.body
      from versions as v left join contents as c on c.id = v.content
      where v.id in (${sql.raw(some.join(', '))})`.execute(db);
    for (const version of versions) found.set(version.id, version);
  }
  return rows.flatMap(({ version, ...object }) => {
    const row = found.get(version ?? 0);
    return row ? [{ ...object, ...row }] : [];
  });
}

async function wantedObjects(db: Db, kind: DatabaseKind, wanted: WantedVersions): Promise<RawBuilder<boolean>> {
  const { resources, flags } = wanted;
  const whole = isAmong(kind, 't.resource', resources);
  const isFlag = sql<boolean>`t.resource = ${featureFlag.plural}`;
  if (flags.of === 'all') return sql<boolean>`(${whole} or ${isFlag})`;
  if (flags.of === 'projects')
    return sql<boolean>`(${whole} or (${isFlag} and ${isAmong(kind, 't.project', flags.projects)}))`;
  const isNamed = sql<boolean>`${isFlag} and ${isAmong(kind, 't.wire_name', flags.names)}`;
  const withParents = await sql<{ id: number }>`
    select distinct p.tracked as id from versions as p where p.has_parents = 1`.execute(db);
  const ids = withParents.rows.map(({ id }) => id);
  const isChild = ids.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`t.id in (${sql.raw(ids.join(', '))})`;
  return sql<boolean>`(${whole} or (${isNamed}) or ${isChild})`;
}

/** The ids of the versions right before those that `inForce` finds. */
async function previousOf(db: Db, { at, among }: Omit<InForce, 'known'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ uid: string; previous: number | null }>`
    select t.uid, (
      select w.id from versions as w where w.tracked = t.id and w.earliest_at <= ${at}
      order by w.earliest_at desc, w.id desc limit 1 offset 1) as previous
    from tracked as t where ${among}`.execute(db);
  return new Map(rows.flatMap(({ uid, previous }) => (previous === null ? [] : [[uid, previous] as const])));
}

function certainly(row: FoundRow): PastObject {
  const version = toVersion(row);
  return { ...placeOf(row), before: version, after: version, span: undefined };
}

function perhaps(row: FoundRow, before: FoundRow | undefined, previous: number | undefined): PastObject {
  const { earliest_at: from, from_at: until } = row;
  const span = { from, until, several: row.several === 1 || previous !== before?.id };
  return { ...placeOf(row), before: before && toVersion(before), after: toVersion(row), span };
}

function placeOf({ uid, resource, namespace, name, created, id, last }: FoundRow) {
  return { uid, resource, namespace, name, created, hasLater: last > id };
}

function toVersion({ generation, body }: FoundRow): PastVersion {
  let content: VersionContent | undefined;
  return {
    generation,
    get content() {
      content ??= body === null ? undefined : unpackContent(body);
      return content;
    },
  };
}

const LAST_PER_READ = 2_000;

/** Reads in parts, because the thread of the event loop takes each answer as a whole. */
export async function readLastVersions(
  db: Db,
  { resource, namespace }: VersionPlace,
): Promise<ReadonlyMap<string, LastVersion>> {
  const found = new Map<string, LastVersion>();
  for (let after = 0; ; ) {
    const { rows } = await sql<LastRow>`
      select t.id, t.uid, t.namespace, t.name, c.digest from tracked as t
      join versions as v on v.id = (select max(w.id) from versions as w where w.tracked = t.id)
      left join contents as c on c.id = v.content
      where t.resource = ${resource} and ${namespace === undefined ? sql`1 = 1` : sql`t.namespace = ${namespace}`}
        and t.id > ${after} order by t.id limit ${LAST_PER_READ}`.execute(db);
    for (const { uid, digest, ...row } of rows) {
      found.set(uid, { namespace: row.namespace, name: row.name, digest: digest ?? undefined });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < LAST_PER_READ) return found;
    after = last.id;
  }
}

interface LastRow {
  readonly id: number;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly digest: string | null;
}
