/** Statements whose SQL never changes, so that a database prepares them once. */
import type { DatabaseKind } from './tables.ts';

export type Value = string | number | null;

type Row = Readonly<Record<string, Value>>;

export interface Statement {
  readonly columns: readonly string[];
  readonly sql: Readonly<Record<DatabaseKind, string>>;
}

/** A statement with its rows. SQLite runs it once for each row, PostgreSQL once with all rows as one JSON parameter. */
export interface ScriptStep extends Statement {
  /** The values of each row, in the order of the columns. */
  readonly rows: readonly (readonly Value[])[];
  /** If the step writes no row, the whole script is undone and rejects with Refusal `conflict` and this message. */
  readonly conflict?: string;
}

/** Steps of one transaction. */
export type Script = readonly ScriptStep[];

/**
 * The SQL gets the source of its rows, named `r`. `where` must follow it before any `on conflict`: SQLite requires
 * that.
 */
export function defineStatement(
  types: Readonly<Record<string, 'text' | 'bigint'>>,
  sql: (source: string) => string,
): Statement {
  const columns = Object.keys(types);
  const values = columns.map((column) => `? as ${column}`);
  const typed = columns.map((column) => `${column} ${types[column]}`);
  return {
    columns,
    sql: { sqlite: sql(`(select ${values}) as r`), postgres: sql(`json_to_recordset($1::json) as r(${typed})`) },
  };
}

/**
 * As `defineStatement`, for an update of rows that other transactions update too. PostgreSQL locks the rows in the
 * order of their ids first, so two such updates wait for each other and do not end in a deadlock.
 */
export function defineUpdate(
  table: string,
  types: Readonly<Record<'id', 'bigint'> & Record<string, 'text' | 'bigint'>>,
  sql: (source: string) => string,
): Statement {
  const statement = defineStatement(types, sql);
  const typed = Object.keys(types).map((column) => `${column} ${types[column]}`);
  const ordered = `(select g.* from json_to_recordset($1::json) as g(${typed}) join ${table} as t on t.id = g.id
    order by t.id for update of t) as r`;
  return { ...statement, sql: { ...statement.sql, postgres: sql(ordered) } };
}

export function stepOf({ columns, sql }: Statement, rows: readonly Row[], conflict?: string): ScriptStep {
  const values = rows.map((row) => columns.map((column) => row[column] ?? null));
  return { columns, sql, rows: values, ...(conflict !== undefined && { conflict }) };
}

/** All rows of a step as one parameter. */
export function rowsAsJson({ columns, rows }: ScriptStep): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]]))));
}
