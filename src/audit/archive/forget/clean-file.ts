/** Removes what a SQLite file keeps of rows that were replaced. PostgreSQL does so when it vacuums. */
import { sql } from 'kysely';
import type { DatabaseKind, Db } from '../tables.ts';
import type { ForgettingStep, StepResult } from './forgetting-step.ts';

const PAGES_PER_STEP = 500;
const DONE: StepResult = { next: undefined, found: 0 };

/** The trigrams of deleted texts stay in the index until its segments are merged. */
export async function cleanIndex({ db, kind, isDryRun }: ForgettingStep, from: string): Promise<StepResult> {
  if (kind === 'postgres' || isDryRun) return DONE;
  const before = await changesOf(db);
  // A negative number of pages also begins to merge segments that are as they should be.
  const pages = from === '' ? -PAGES_PER_STEP : PAGES_PER_STEP;
  await sql`insert into grams (grams, rank) values ('merge', ${sql.lit(pages)})`.execute(db);
  // The statement itself counts as one.
  const isDone = (await changesOf(db)) - before < 2;
  return isDone ? DONE : { ...DONE, next: 'merge' };
}

async function changesOf(db: Db): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
}

/** The write-ahead log has pages as they were before. False: a search that runs keeps it for a moment. */
export async function cleanFile(db: Db, kind: DatabaseKind): Promise<boolean> {
  if (kind === 'postgres') return true;
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows[0]?.busy !== 1;
}
