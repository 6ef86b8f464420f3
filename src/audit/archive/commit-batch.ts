/** Makes a batch true at once: its entries, the versions they were judged by, and how far the watch was told. */
import { AppError } from '../../errors.ts';
import type { Batch } from '../archive.ts';
import { inChunks } from './chunks.ts';
import { publications } from './entry-rows.ts';
import { storeEntries } from './store-entries.ts';
import type { Db, Kind } from './tables.ts';

const ROWS_AT_ONCE = 500;

export async function commitBatch(db: Db, kind: Kind, batch: Batch): Promise<void> {
  if (!(await moveCursor(db, batch))) {
    throw new AppError('conflict', `The cursor of ${batch.scope} is not where this batch begins: another one tells`);
  }
  for (const some of inChunks(batch.gone, ROWS_AT_ONCE)) {
    await db.deleteFrom('states').where('uid', 'in', some).execute();
  }
  for (const some of inChunks(lastOfEach(batch), ROWS_AT_ONCE)) await storeStates(db, some);
  await storeEntries({ db, kind, publication: publications.waiting }, batch.entries);
}

/** Whoever comes second finds the cursor moved, or waits until the first has ended to find that. */
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

/** One statement can write an object once only. */
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
