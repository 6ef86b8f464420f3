/** A table with a row for each object; on a narrow screen, each row is a block. */
import type { ReactNode } from 'react';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  /** Whether the cells are numbers, which are aligned to the right. */
  readonly isNumber?: true;
}

interface TableProps<T> {
  /** The cell of the first column names the row. */
  readonly columns: readonly [Column<T>, ...Column<T>[]];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly label: string;
  /** The text for a table without rows. */
  readonly empty: string;
}

export function Table<T>({ columns, rows, keyOf, label, empty }: TableProps<T>) {
  const [first, ...others] = columns;
  if (rows.length === 0) return <p className="empty">{empty}</p>;
  const alignment = ({ isNumber }: Column<T>) => (isNumber ? 'number' : undefined);
  return (
    <table className="flags" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" className={alignment(column)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first.cell(row)}</th>
            {others.map((column) => (
              <td key={column.name} className={alignment(column)}>
                <span className="narrow-label">{column.name}</span>
                <span className="cell">{column.cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
