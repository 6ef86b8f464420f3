/** What a judgement says about an object. */

export interface Verdict<Status> {
  readonly status: Status;
  /** Ms until the verdict may change without any object changing. */
  readonly recheckInMs?: number;
}
