/** What a reconcile says about when to look again. A throw says: the world hindered me, try again with back-off. */

export interface Outcome {
  readonly again?: { readonly afterMs: number };
}

/** Nothing to do until something changes. */
export const done: Outcome = {};

/** Look again after this time even if nothing changes before. */
export function again(afterMs: number): Outcome {
  return { again: { afterMs } };
}
