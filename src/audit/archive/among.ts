/** Compares a column with a list of any length in SQL that never changes, so that it is prepared once. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './tables.ts';

export function isAmong(kind: DatabaseKind, column: string, texts: readonly string[]): RawBuilder<boolean> {
  const json = JSON.stringify(texts);
  const list =
    kind === 'postgres'
      ? sql`select json_array_elements_text(${json}::json)`
      : sql`select value from json_each(${json})`;
  return sql<boolean>`${sql.ref(column)} in (${list})`;
}
