/** The waits and lifetimes of the operator that its configuration sets, in milliseconds. */

/** The timings of the Lease by which replicas agree on a leader. */
export interface LeaseTimings {
  /** Another replica may take a Lease that was not renewed for this long. */
  readonly durationMs: number;
  /** The leader stops leading if it could not renew its Lease for this long: before another replica may take it. */
  readonly renewDeadlineMs: number;
  /** How often the leader renews the Lease, and another replica reads it. */
  readonly retryPeriodMs: number;
}

export interface Timings {
  readonly lease: LeaseTimings;
  /**
   * How long a call to the API server may take until its answer begins, and to the end of an answer that is not
   * streamed.
   */
  readonly apiServerTimeoutMs: number;
  /** The timeout of a token review or an access review: a caller waits for it. */
  readonly reviewTimeoutMs: number;
  /** How long the answer to a token review or an access review is reused. */
  readonly accessCacheMs: number;
  /** How long the creation of an API token waits for its value, and that of a segment for its id. */
  readonly tokenWaitMs: number;
  /** How long a request for a clone of an environment waits for its end. */
  readonly cloneWaitMs: number;
  /** How long adding a member waits until the entry of an earlier user of the same name is gone. */
  readonly memberWaitMs: number;
  /** The interval at which an import reports its progress. */
  readonly importProgressMs: number;
  /** How long a name must be in use before its first claim is written. */
  readonly claimDelayMs: number;
  /** How long a status that counts other objects waits after a change of them. */
  readonly countDelayMs: number;
  /** How long a stream of an SDK is silent before it gets a comment. */
  readonly streamKeepAliveMs: number;
  /** How long the recorder collects changes that it writes in one transaction. */
  readonly auditBatchDelayMs: number;
  /** How often the use of all flags is read from the database. */
  readonly usageRefreshMs: number;
  /** How often reports of SDKs are written to the database. */
  readonly usageFlushMs: number;
  /** How long the receiver of a notification sink has for a whole answer. */
  readonly sinkTimeoutMs: number;
  /** The longest wait before an entry is sent again to a sink that fails. */
  readonly sinkRetryMaxMs: number;
  /** How often the status of a sink follows its deliveries. */
  readonly sinkStatusMs: number;
  /** The longest wait between two attempts to connect a watch. */
  readonly watchRetryMaxMs: number;
}
