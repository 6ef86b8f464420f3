/** Replaces a person in the contents of versions. */
import { sql } from 'kysely';
import type { Json } from '../../../model/json.ts';
import { nextTurn } from '../../../runtime/turns.ts';
import { stepOf } from '../statement.ts';
import { type PackedContent, packContent, unpackContent } from '../versions/content.ts';
import { insertContents } from '../versions/store-versions.ts';
import { amendForgotten, type ForgettingStep, type StepResult, writeRows } from './forgetting-step.ts';

/** Contents may be as large as objects, and each is unpacked. */
const CONTENTS_PER_STEP = 10;

/** The versions that the present objects of the cluster are at: what the cluster says is no history. */
const PRESENT = sql`v.id = (select max(w.id) from versions as w where w.tracked = v.tracked)
  and exists (select 1 from tracked as t join states as s on s.uid = t.uid where t.id = v.tracked)`;

export async function forgetInVersions(step: ForgettingStep, from: string): Promise<StepResult> {
  const rows = await step.db
    .selectFrom('contents')
    .selectAll()
    .where('id', '>', Number(from))
    .orderBy('id')
    .limit(CONTENTS_PER_STEP)
    .execute();
  let found = 0;
  for (const { id, body } of rows) {
    await nextTurn();
    const content = unpackContent(body);
    const spec = step.forgetter.json(content.spec as Json);
    if (spec !== content.spec) found += await replaceContent(step, id, packContent({ ...content, spec }));
  }
  const last = rows.length < CONTENTS_PER_STEP ? undefined : rows.at(-1);
  return { next: last && `${last.id}`, found };
}

/** Returns how many versions got the content. There may be one of the same text already. */
async function replaceContent(step: ForgettingStep, id: number, packed: PackedContent): Promise<number> {
  const past = sql`v.content = ${id} and not (${PRESENT})`;
  const { rows } = await sql<{ id: number }>`select v.id from versions as v where ${past}`.execute(step.db);
  if (step.isDryRun || rows.length === 0) return rows.length;
  await writeRows(step, stepOf(insertContents, [{ ...packed }]));
  await sql`update versions set content = (select c.id from contents as c where c.digest = ${packed.digest})
    where id in (select v.id from versions as v where ${past})`.execute(step.db);
  await sql`delete from contents where id = ${id}
    and not exists (select 1 from versions as v where v.content = contents.id)`.execute(step.db);
  await amendForgotten(step, { versions: rows.map((row) => row.id) });
  return rows.length;
}
