/** Stores a batch in one transaction: its entries, the states of its objects and the cursor. */
import { Refusal } from '../../errors.ts';
import type { Batch } from './archive.ts';
import { inChunks } from './chunks.ts';
import { publications } from './entry-rows.ts';
import { storeEntries } from './store-entries.ts';
import type { DatabaseKind, Db } from './tables.ts';

const ROWS_PER_STATEMENT = 500;

export async function commitBatch(db: Db, kind: DatabaseKind, batch: Batch): Promise<void> {
  if (!(await moveCursor(db, batch))) {
    throw new Refusal(
      'conflict',
      `The cursor of ${batch.scope} has moved since this batch began: another replica is recording`,
    );
  }
  for (const some of inChunks(batch.gone, ROWS_PER_STATEMENT)) {
    await db.deleteFrom('states').where('uid', 'in', some).execute();
  }
  for (const some of inChunks(lastOfEach(batch), ROWS_PER_STATEMENT)) await storeStates(db, some);
  await storeEntries({ db, kind, publication: publications.waiting }, batch.entries);
}

/** Compare-and-set: of two concurrent writers the second one waits for the first and then finds the cursor moved. */
async function moveCursor(db: Db, { scope, after, version, era, at }: Batch): Promise<boolean> {
  if (after === undefined) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('cursors')
      .values({ scope, version, revision: 1, era, moved_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await db
    .updateTable('cursors')
    .set({ version, revision: after + 1, era, moved_at: at })
    .where('scope', '=', scope)
    .where('revision', '=', after)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

type States = Batch['states'];

/** One statement can write a row only once. */
function lastOfEach({ states }: Batch): States {
  return [...new Map(states.map((state) => [state.uid, state])).values()];
}

async function storeStates(db: Db, states: States): Promise<void> {
  const values = states.map(({ uid, key, scope, version, mark, changedAt, object }) => ({
    uid,
    key,
    scope,
    version,
    mark,
    changed_at: changedAt,
    object,
  }));
  await db
    .insertInto('states')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('uid').doUpdateSet((row) => ({
        scope: row.ref('excluded.scope'),
        version: row.ref('excluded.version'),
        mark: row.ref('excluded.mark'),
        changed_at: row.ref('excluded.changed_at'),
        object: row.ref('excluded.object'),
      })),
    )
    .execute();
}
