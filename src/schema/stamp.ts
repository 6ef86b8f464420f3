/** The stamp: annotations with the author of an object, set by the API and, for other clients, by the author policy. */

/** Only Vexil and the API server can set these; config/admission/author.yaml must list the same keys. */
export const stampKeys = {
  /** The author of the creation; never changed. */
  createdBy: 'vexil.dev/created-by',
  /** The name of the author. */
  by: 'vexil.dev/changed-by',
  /** The generation of the spec that the stamp describes; it is void for other generations. */
  generation: 'vexil.dev/changed-generation',
  /**
   * The kind of authentication; see `Via`. Absent: the change went to the API server directly, for example by kubectl.
   */
  via: 'vexil.dev/changed-via',
  /** The address of the caller of the API. */
  from: 'vexil.dev/changed-from',
  /** `console`: the caller used the console. Absent: another client of the API. */
  channel: 'vexil.dev/changed-channel',
  /** Why the author made the change, in the words of the author. */
  reason: 'vexil.dev/changed-reason',
  /** The freezes that the change bypassed; see `bypassIn`. */
  bypassing: 'vexil.dev/changed-bypassing',
  /** The `traceparent` of the request of the admin API that made the change, if it is traced. */
  trace: 'vexil.dev/changed-trace',
} as const;

/** Written immediately before the API deletes an object, because a deletion itself cannot carry annotations. */
export const deletionKeys = {
  by: 'vexil.dev/deleted-by',
  /** The time in RFC 3339 (UTC): a much later deletion has another author. */
  at: 'vexil.dev/deleted-at',
  via: 'vexil.dev/deleted-via',
  from: 'vexil.dev/deleted-from',
  channel: 'vexil.dev/deleted-channel',
  reason: 'vexil.dev/deleted-reason',
} as const;

/** The actions of alerts on a flag (ADR 58). Only Vexil can set it, like the stamp; see `alertActionsIn`. */
export const ALERT_ACTIONS_KEY = 'vexil.dev/alert-actions';

/** The field manager of specs that the API writes, always with a stamp. */
export const SPEC_MANAGER = 'vexil-api';

/** The field manager of every status. */
export const STATUS_MANAGER = 'vexil';

/**
 * How the author was authenticated; `environment-clone` and `change-request`: the leader wrote on behalf of the author;
 * `retention`: Vexil itself removed an object whose time is over.
 */
export type Via =
  | 'anonymous'
  | 'bootstrap-token'
  | 'api-token'
  | 'personal-token'
  | 'kubernetes-token'
  | 'oidc'
  | 'environment-clone'
  | 'change-request'
  | 'retention';
