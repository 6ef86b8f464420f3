/** Counts the writes of callers that are in progress. */

export interface CallerWrites {
  readonly inProgress: number;
  /** Counts the write until it settles. */
  during<R>(write: () => Promise<R>): Promise<R>;
}

export function countCallerWrites(): CallerWrites {
  let inProgress = 0;
  return {
    get inProgress() {
      return inProgress;
    },
    async during(write) {
      inProgress += 1;
      try {
        return await write();
      } finally {
        inProgress -= 1;
      }
    },
  };
}
