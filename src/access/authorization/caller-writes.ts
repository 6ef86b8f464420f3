/** Counts the writes of callers that are in progress. */

export interface CallerWrites {
  readonly inProgress: number;
  /** Whether more writes are in progress than one bulk operation has at a time. */
  readonly areMany: boolean;
  /** Counts the write until it settles. */
  during<R>(write: () => Promise<R>): Promise<R>;
}

/** The number of writes of one bulk operation. */
const MAX_FEW_WRITES = 8;

export function countCallerWrites(): CallerWrites {
  let inProgress = 0;
  return {
    get inProgress() {
      return inProgress;
    },
    get areMany() {
      return inProgress > MAX_FEW_WRITES;
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
