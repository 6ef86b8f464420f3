/** One bounded step of a forgetting: what it works on, and what came of it. */
import { CompiledQuery } from 'kysely';
import type { Forgetter } from '../../../domain/history/forgetter.ts';
import { type Amending, amend } from '../chain/amend.ts';
import { rowsAsJson, type ScriptStep } from '../statement.ts';
import type { DatabaseKind, Db } from '../tables.ts';

/** Runs in one transaction, while no batch is being stored. */
export interface ForgettingStep {
  readonly db: Db;
  readonly kind: DatabaseKind;
  readonly forgetter: Forgetter;
  /** Nothing is written. */
  readonly isDryRun: boolean;
  /** Ms since 1970. */
  readonly at: number;
}

export interface StepResult {
  /** Where the next step of the same part begins; undefined: the part is done. */
  readonly next: string | undefined;
  /** How many rows name the person. */
  readonly found: number;
}

/** The chain commits to what these rows say now. Without the name of the person. */
export function amendForgotten(
  { db, kind, at }: ForgettingStep,
  rows: Partial<Pick<Amending, 'entries' | 'versions'>>,
): Promise<void> {
  return amend(db, kind, { entries: [], versions: [], ...rows, reason: 'a person was forgotten', at });
}

/** Writes within the transaction of the step. */
export async function writeRows({ db, kind }: Pick<ForgettingStep, 'db' | 'kind'>, step: ScriptStep): Promise<void> {
  if (step.rows.length === 0) return;
  if (kind === 'postgres') {
    await db.executeQuery(CompiledQuery.raw(step.sql.postgres, [rowsAsJson(step)]));
    return;
  }
  for (const row of step.rows) await db.executeQuery(CompiledQuery.raw(step.sql.sqlite, [...row]));
}
