/** The result of a judgement. */

export interface Verdict<Status> {
  readonly status: Status;
  /** Ms until the verdict may change without any object changing. */
  readonly recheckInMs?: number;
  /** Why the object shall be removed, for the history. Absent: it stays. */
  readonly removal?: string;
}

/** The grants of an object for its status. */
export interface Granted<G> {
  readonly grants: G[];
  /** When time alone changes them, in ms since 1970; undefined: never. */
  readonly nextAt: number | undefined;
}
