/** Pairs each item with one of the others that it may belong to. */

/** Returns the keys without a partner when as many as possible are paired (Kuhn's augmenting paths). */
export function unpaired<L, R>(choices: ReadonlyMap<L, Iterable<R>>): L[] {
  const takenBy = new Map<R, L>();

  function pair(one: L, tried: Set<R>): boolean {
    for (const choice of choices.get(one) ?? []) {
      if (tried.has(choice)) continue;
      tried.add(choice);
      const holder = takenBy.get(choice);
      if (holder === undefined || pair(holder, tried)) {
        takenBy.set(choice, one);
        return true;
      }
    }
    return false;
  }

  return [...choices.keys()].filter((one) => !pair(one, new Set()));
}
