/** Rows as columns of text. */

const GAP = '   ';

/** Formats rows as kubectl prints lists; the first row is the header. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
