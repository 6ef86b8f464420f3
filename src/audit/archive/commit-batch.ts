/** The script that stores a batch: its entries, the states and versions of its objects, the cursor. */
import type { Batch } from './archive.ts';
import { publications } from './entry-rows.ts';
import { defineStatement, type Script, type ScriptStep, stepOf } from './statement.ts';
import { storeEntries } from './store-entries.ts';
import type { DatabaseKind } from './tables.ts';
import { type PackedVersion, storeVersions } from './versions/store-versions.ts';

const insertCursor = defineStatement(
  { scope: 'text', version: 'text', era: 'bigint', moved_at: 'bigint' },
  (source) => `insert into cursors (scope, version, revision, era, moved_at)
    select r.scope, r.version, 1, r.era, r.moved_at from ${source} where true on conflict (scope) do nothing`,
);

const moveCursor = defineStatement(
  { scope: 'text', known: 'bigint', version: 'text', era: 'bigint', moved_at: 'bigint' },
  (source) => `update cursors set version = r.version, revision = r.known + 1, era = r.era, moved_at = r.moved_at
    from ${source} where cursors.scope = r.scope and cursors.revision = r.known`,
);

const deleteStates = defineStatement(
  { uid: 'text' },
  (source) => `delete from states where uid in (select r.uid from ${source})`,
);

const upsertStates = defineStatement(
  {
    ...({ uid: 'text', key: 'text', scope: 'text', version: 'text' } as const),
    ...({ fingerprint: 'text', changed_at: 'bigint', object: 'text' } as const),
  },
  (source) => `insert into states (uid, key, scope, version, mark, changed_at, object)
    select r.uid, r.key, r.scope, r.version, r.fingerprint, r.changed_at, r.object from ${source} where true
    on conflict (uid) do update set scope = excluded.scope, version = excluded.version, mark = excluded.mark,
      changed_at = excluded.changed_at, object = excluded.object`,
);

/**
 * `versions`: those of the batch. Moves the cursor first: of two concurrent writers the second one waits for the first
 * and then finds it moved.
 */
export function commitBatch(kind: DatabaseKind, batch: Batch, versions: readonly PackedVersion[]): Script {
  const gone = batch.gone.map((uid) => ({ uid }));
  return [
    cursorStep(batch),
    stepOf(deleteStates, gone),
    stepOf(upsertStates, lastOfEach(batch)),
    ...storeEntries({ kind, publication: publications.waiting }, batch.entries),
    ...storeVersions(batch, versions),
  ];
}

/** Compare-and-set. */
function cursorStep({ scope, after, version, era, at }: Batch): ScriptStep {
  const conflict = `The cursor of ${scope} has moved since this batch began: another replica is recording`;
  const cursor = { scope, version, era, moved_at: at };
  if (after === undefined) return stepOf(insertCursor, [cursor], conflict);
  return stepOf(moveCursor, [{ ...cursor, known: after }], conflict);
}

/** One statement can write a row only once. */
function lastOfEach({ states }: Batch) {
  const last = new Map(states.map((state) => [state.uid, state]));
  return [...last.values()].map(({ changedAt, ...state }) => ({ ...state, changed_at: changedAt }));
}
