/** The result of a judgement. */

export interface Verdict<Status> {
  readonly status: Status;
  /** Ms until the verdict may change without any object changing. */
  readonly recheckInMs?: number;
}
