/** The Levenshtein distance of two texts: the number of letters that differ, are added, or are missing. */

export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Undefined if no names are known. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [first] = known.toSorted((one, other) => editDistance(name, one) - editDistance(name, other));
  return first;
}
