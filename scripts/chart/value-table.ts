/** The table of the values of a chart, for its README. */
import type { ValueRow } from './value-rows.ts';

/** Returns the table with its head. */
export function valueTable(rows: readonly ValueRow[]): string {
  return `| Value | Description | Default |
|---|---|---|
${rows.map(valueLine).join('\n')}`;
}

function valueLine({ path, description, byDefault }: ValueRow): string {
  const value = path.join('.');
  if (byDefault === undefined) return tableLine([`**${value}**`, description, '']);
  return tableLine([`\`${value}\``, description, `\`${JSON.stringify(byDefault)}\``]);
}

export function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
