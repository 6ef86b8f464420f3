/** Replaces a person in what the audit log of the API server has said. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { userIds } from '../../../domain/history/entry.ts';
import type { Forgetter } from '../../../domain/history/forgetter.ts';
import type { Json } from '../../../model/json.ts';
import { collectInTurns, nextTurn } from '../../../runtime/turns.ts';
import { authorKeyOf, insertAuthors, toAuthorRow } from '../authors.ts';
import { defineStatement, stepOf } from '../statement.ts';
import { type ForgettingStep, type StepResult, writeRows } from './forgetting-step.ts';

const ROWS_PER_STEP = 500;
/** Writes have their objects, and wait for their entries for some minutes only. */
const WRITES_PER_STEP = 5;
/** Where the writes begin that wait for their entries. */
const WRITES = 'writes/';

/** What both tables say of a person, under the names of the witnesses. */
interface Saying {
  readonly created_by: string;
  readonly created_by_user_id: number | null;
  readonly impersonated_by: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly field_manager: string | null;
}

const sayings = { created_by: 'text', impersonated_by: 'text', ip: 'text' } as const;
const programs = { user_agent: 'text', field_manager: 'text' } as const;
const updateWitnesses = defineStatement(
  { id: 'bigint', ...sayings, ...programs, created_by_user_id: 'bigint' },
  (source) => `update witnesses set created_by = r.created_by, impersonated_by = r.impersonated_by, ip = r.ip,
      user_agent = r.user_agent, field_manager = r.field_manager, created_by_user_id = r.created_by_user_id
    from ${source} where witnesses.id = r.id`,
);
const updateWrites = defineStatement(
  { id: 'text', ...sayings, ...programs, object: 'text' },
  (source) => `update logged_writes set username = r.created_by, impersonated_by = r.impersonated_by, ip = r.ip,
      user_agent = r.user_agent, field_manager = r.field_manager, object = r.object
    from ${source} where logged_writes.id = r.id`,
);
/** Only where the author in the log counts as that of the entry. */
const updateAuthored = defineStatement(
  { id: 'bigint', before: 'text', author: 'text' },
  (source) => `update authored set author = (select a.id from authors as a where a.key = r.author)
    from ${source} where authored.id = r.id and authored.author = (select b.id from authors as b where b.key = r.before)`,
);
const updateFacets = defineStatement(
  { id: 'bigint', before: 'bigint', created_by_user_id: 'bigint' },
  (source) => `update facets set created_by = r.created_by_user_id
    from ${source} where facets.id = r.id and facets.created_by = r.before`,
);

export function forgetInWitnesses(step: ForgettingStep, from: string): Promise<StepResult> {
  return from.startsWith(WRITES) ? forgetInWrites(step, from.slice(WRITES.length)) : forgetInStored(step, Number(from));
}

async function forgetInStored(step: ForgettingStep, after: number): Promise<StepResult> {
  const rows = await step.db
    .selectFrom('witnesses')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(ROWS_PER_STEP)
    .execute();
  const changed = rows.flatMap((row) => {
    const said = forgetSaying(row, step);
    return said ? [{ ...row, ...said, before: row }] : [];
  });
  if (!step.isDryRun) {
    const authors = new Map(changed.map(({ created_by }) => [created_by, toAuthorRow(created_by)]));
    const authored = changed.map(({ id, before, created_by }) => {
      return { id, before: authorKeyOf(before.created_by), author: authorKeyOf(created_by) };
    });
    const facets = changed.map((row) => ({ ...row, before: row.before.created_by_user_id }));
    await writeRows(
      step,
      stepOf(
        updateWitnesses,
        changed.map(({ before: _, ...row }) => row),
      ),
    );
    await writeRows(step, stepOf(insertAuthors, [...authors.values()]));
    await writeRows(step, stepOf(updateAuthored, authored));
    await writeRows(step, stepOf(updateFacets, facets));
  }
  const last = rows.length < ROWS_PER_STEP ? undefined : rows.at(-1);
  return { next: last ? `${last.id}` : WRITES, found: 0 };
}

type LoggedRow = Saying & { readonly id: string; readonly object: string | null };

/** Not in a row of its own: the entry counts. */
async function forgetInWrites(step: ForgettingStep, after: string): Promise<StepResult> {
  const changeOf = ({ id, object, ...saying }: LoggedRow) => {
    const said = forgetSaying(saying, step);
    const after = object === null ? null : forgetObject(object, step);
    return said || after !== object ? [{ ...saying, ...said, id, object: after }] : [];
  };
  const { rows } = await sql<LoggedRow>`
    select id, username as created_by, null as created_by_user_id, impersonated_by, ip, user_agent, field_manager, object
    from logged_writes where id > ${after} order by id limit ${WRITES_PER_STEP}`.execute(step.db);
  const changed = (await collectInTurns(Iterator.from(rows).map(changeOf), nextTurn)).flat();
  if (!step.isDryRun) await writeRows(step, stepOf(updateWrites, changed));
  const last = rows.length < WRITES_PER_STEP ? undefined : rows.at(-1);
  return { next: last && `${WRITES}${last.id}`, found: 0 };
}

/** Undefined: it does not name the person. The address is that of the caller, who may act as another user. */
function forgetSaying(row: Saying, { forgetter }: ForgettingStep): Saying | undefined {
  const textOrNull = (value: string | null) => value && forgetter.text(value);
  const after = {
    ...row,
    ...authorOf(row, forgetter),
    impersonated_by: textOrNull(row.impersonated_by),
    user_agent: textOrNull(row.user_agent),
    field_manager: textOrNull(row.field_manager),
  };
  if (after.impersonated_by !== row.impersonated_by) after.ip = null;
  return isDeepStrictEqual(after, row) ? undefined : after;
}

function authorOf({ created_by, created_by_user_id, ip }: Saying, { isId, names, pseudonym, text }: Forgetter) {
  const own = { created_by_user_id: userIds.unknownActor, ip: null };
  if (names(created_by)) return { created_by: text(created_by), ...own };
  return isId(created_by_user_id) ? { created_by: pseudonym, ...own } : { created_by, created_by_user_id, ip };
}

function forgetObject(object: string, { forgetter }: ForgettingStep): string {
  const before = JSON.parse(object) as Json;
  const after = forgetter.json(before);
  return after === before ? object : JSON.stringify(after);
}
