/** Replaces a person in entries, with their index rows. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { type Entry, userIds } from '../../../domain/history/entry.ts';
import type { Forgetter } from '../../../domain/history/forgetter.ts';
import { collectInTurns, nextTurn } from '../../../runtime/turns.ts';
import { flagUser } from '../../../schema/flag-user.ts';
import { insertAuthors, toAuthorRow } from '../authors.ts';
import { fromRow, toRow } from '../entry-rows.ts';
import { fold, maskedTextOf, searchTextOf } from '../fold.ts';
import { defineStatement, stepOf } from '../statement.ts';
import { amendForgotten, type ForgettingStep, type StepResult, writeRows } from './forgetting-step.ts';

/** Rows that a step looks at, and rows that it writes. */
const LOOKED_AT = 2_000;
const WRITTEN = 50;

const updateEntries = defineStatement(
  {
    ...({ id: 'bigint', data: 'text', pre_data: 'text', tags: 'text', subject: 'text', reason: 'text' } as const),
    ...({
      created_by: 'text',
      created_by_user_id: 'bigint',
      ip: 'text',
      object: 'text',
      field_manager: 'text',
    } as const),
  },
  (source) => `update entries set data = r.data, pre_data = r.pre_data, tags = r.tags, subject = r.subject,
      reason = r.reason, created_by = r.created_by, created_by_user_id = r.created_by_user_id, ip = r.ip,
      object = r.object, field_manager = r.field_manager
    from ${source} where entries.id = r.id`,
);
const updateFacets = defineStatement(
  { id: 'bigint', created_by_user_id: 'bigint' },
  (source) => `update facets set created_by = r.created_by_user_id from ${source} where facets.id = r.id`,
);
const updateAuthored = defineStatement(
  { id: 'bigint', author: 'text' },
  (source) => `update authored set author = (select a.id from authors as a where a.key = r.author)
    from ${source} where authored.id = r.id`,
);
const updateTexts = defineStatement(
  { id: 'bigint', folded: 'text' },
  (source) => `update texts set folded = r.folded from ${source} where texts.id = r.id`,
);
const deleteFrom = (table: string, id: string) =>
  defineStatement({ id: 'bigint' }, (source) => `delete from ${table} where ${id} in (select r.id from ${source})`);
const insertInto = (table: string, id: string) =>
  defineStatement(
    { id: 'bigint', folded: 'text' },
    (source) => `insert into ${table} (${id}, folded) select r.id, r.folded from ${source}`,
  );
const deleteMasked = deleteFrom('masked_texts', 'id');
const insertMasked = insertInto('masked_texts', 'id');
const deleteGrams = deleteFrom('grams', 'rowid');
const insertGrams = insertInto('grams', 'rowid');

interface LookedAt {
  readonly id: number;
  readonly subject: string;
  readonly reason: string | null;
  readonly field_manager: string | null;
  readonly created_by: string;
  readonly created_by_user_id: number;
  /** 1: the search text contains a name, perhaps within a word. */
  readonly named: number;
}

export async function forgetInEntries(step: ForgettingStep, from: string): Promise<StepResult> {
  const rows = await lookAt(step, Number(from));
  const perhaps = rows.filter((row) => row.named === 1 || isNamedAside(row, step.forgetter)).map(({ id }) => id);
  const ids = perhaps.slice(0, WRITTEN);
  const lastOfRows = rows.length < LOOKED_AT ? undefined : rows.at(-1)?.id;
  const last = ids.length < perhaps.length ? ids.at(-1) : lastOfRows;
  const changed = await changedAmong(step, ids);
  if (!step.isDryRun) await writeChanged(step, changed);
  return { next: last === undefined ? undefined : `${last}`, found: changed.length };
}

/** The database compares the folded text, so that few entries are read as a whole. */
async function lookAt({ db, kind, forgetter }: ForgettingStep, after: number): Promise<readonly LookedAt[]> {
  const folded = [...new Set(forgetter.words.map((word) => fold(JSON.stringify(word).slice(1, -1))))];
  const position = sql.raw(kind === 'postgres' ? 'strpos' : 'instr');
  const contained = folded.map((word) => sql`${position}(t.folded, ${word}) > 0`);
  const { rows } = await sql<LookedAt>`
    select e.id, e.subject, e.reason, e.created_by, e.field_manager, e.created_by_user_id,
      case when ${sql.join(contained, sql` or `)} then 1 else 0 end as named
    from entries as e left join texts as t on t.id = e.id
    where e.id > ${after} order by e.id limit ${LOOKED_AT}`.execute(db);
  return rows;
}

function isNamedAside(row: LookedAt, { names, isId }: Forgetter): boolean {
  return (
    isId(row.created_by_user_id) || [row.subject, row.reason ?? '', row.created_by, row.field_manager ?? ''].some(names)
  );
}

async function changedAmong({ db, forgetter }: ForgettingStep, ids: readonly number[]): Promise<readonly Entry[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('entries').selectAll().where('id', 'in', ids).orderBy('id').execute();
  const after = Iterator.from(rows).map((row) => forgetInEntry(fromRow(row), forgetter));
  return (await collectInTurns(after, nextTurn)).flatMap((entry) => entry ?? []);
}

/** Undefined: the entry does not name the person. */
export function forgetInEntry(entry: Entry, forgetter: Forgetter): Entry | undefined {
  const { text, json } = forgetter;
  const after: Entry = {
    ...entry,
    ...authorOf(entry, forgetter),
    data: json(entry.data),
    preData: json(entry.preData),
    tags: entry.tags.map(({ type, value }) => ({ type, value: text(value) })),
    // Other subjects are names of things.
    subject: entry.type.startsWith('project-user-') ? text(entry.subject) : entry.subject,
    fieldManager: entry.fieldManager && text(entry.fieldManager),
    reason: entry.reason && text(entry.reason),
    // The object of a user is named after the person. Names of other objects are names of things.
    object: entry.resource === flagUser.plural ? text(entry.object) : entry.object,
  };
  return isDeepStrictEqual(after, entry) ? undefined : after;
}

type EntryAuthor = Pick<Entry, 'createdBy' | 'createdByUserId' | 'ip'>;

function authorOf(
  { createdBy, createdByUserId, ip }: EntryAuthor,
  { pseudonym, names, isId, text }: Forgetter,
): EntryAuthor {
  const own = { createdByUserId: userIds.unknownActor, ip: null };
  if (names(createdBy)) return { createdBy: text(createdBy), ...own };
  return isId(createdByUserId) ? { createdBy: pseudonym, ...own } : { createdBy, createdByUserId, ip };
}

async function writeChanged(step: ForgettingStep, entries: readonly Entry[]): Promise<void> {
  const rows = entries.map((entry) => ({ ...toRow(entry, 0), id: entry.id }));
  const texts = entries.map((entry) => ({ id: entry.id, folded: searchTextOf(entry) }));
  const masked = entries.flatMap((entry) => {
    const folded = maskedTextOf(entry);
    return folded === undefined ? [] : [{ id: entry.id, folded }];
  });
  const authors = new Map(entries.map(({ createdBy }) => [createdBy, toAuthorRow(createdBy)]));
  const authored = entries.map(({ id, createdBy }) => ({ id, author: authors.get(createdBy)?.key ?? '' }));
  const script = [
    ...[stepOf(updateEntries, rows), stepOf(updateFacets, rows), stepOf(updateTexts, texts)],
    ...[stepOf(deleteMasked, rows), stepOf(insertMasked, masked)],
    ...(step.kind === 'sqlite' ? [stepOf(deleteGrams, rows), stepOf(insertGrams, texts)] : []),
    ...[stepOf(insertAuthors, [...authors.values()]), stepOf(updateAuthored, authored)],
  ];
  for (const one of script) await writeRows(step, one);
  if (entries.length > 0) await amendForgotten(step, { entries: entries.map(({ id }) => id) });
}
