/** Counts the requests of each operation and their answers. */

export interface Tally {
  count(operation: string, status: number): void;
  readonly total: number;
  /** The number of answers of the operation whose status begins with the digit. */
  of(operation: string, hundreds: number): number;
  /** A table with a line for each operation. */
  table(): string;
}

export function createTally(): Tally {
  const counts = new Map<string, Map<number, number>>();
  let total = 0;
  const statusesOf = (operation: string) =>
    [...(counts.get(operation) ?? [])].toSorted(([one], [other]) => one - other);
  return {
    count(operation, status) {
      total += 1;
      const known = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, known.set(status, (known.get(status) ?? 0) + 1));
    },
    get total() {
      return total;
    },
    of: (operation, hundreds) =>
      statusesOf(operation)
        .filter(([status]) => Math.floor(status / 100) === hundreds)
        .reduce((sum, [, count]) => sum + count, 0),
    table: () =>
      [...counts.keys()]
        .toSorted()
        .map((operation) => {
          const statuses = statusesOf(operation);
          const sum = statuses.reduce((all, [, count]) => all + count, 0);
          const each = statuses.map(([status, count]) => `${status}×${count}`).join(' ');
          return `  ${operation.padEnd(56)}${String(sum).padStart(7)}  ${each}`;
        })
        .join('\n'),
  };
}
