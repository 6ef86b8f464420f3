/** Lists of any length in statements, whose number of parameters is limited. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './tables.ts';

export function inChunks<T>(list: readonly T[], size: number): T[][] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size));
}

export function isAmong(kind: DatabaseKind, column: string, texts: readonly string[]): RawBuilder<boolean> {
  const json = JSON.stringify(texts);
  const list =
    kind === 'postgres'
      ? sql`select json_array_elements_text(${json}::json)`
      : sql`select value from json_each(${json})`;
  return sql<boolean>`${sql.ref(column)} in (${list})`;
}
