/** A table as CSV (RFC 4180). */
import { Representation } from './representation.ts';

export const CSV_TYPE = 'text/csv';

/** Spreadsheets treat a cell with one of these at its start as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** `rows` begin with the names of the columns. A cell that could be a formula gets a leading apostrophe. */
export function csvOf(rows: readonly (readonly string[])[]): Representation {
  const text = rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
  return new Representation(Buffer.from(text), undefined, `${CSV_TYPE}; charset=utf-8`);
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
