/** The outcome of a reconcile: done, or again after a time. A reconcile that throws is retried with backoff. */

export interface Outcome {
  readonly again?: { readonly afterMs: number };
}

/** Nothing to do until something changes. */
export const done: Outcome = {};

/** The object is reconciled again after this time even if nothing changes before. */
export function again(afterMs: number): Outcome {
  return { again: { afterMs } };
}
