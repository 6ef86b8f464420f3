/** The annotations that say who wrote an object, set by the API and, for everyone else, by the author policy. */

/** Nobody but Vexil and the API server itself can set these: config/admission/author.yaml names the same. */
export const stampKeys = {
  /** Who created the object: never written again. */
  createdBy: 'vexil.dev/created-by',
  /** The name of the author. */
  by: 'vexil.dev/changed-by',
  /** The generation of the spec that this is about; of any other generation the stamp says nothing. */
  generation: 'vexil.dev/changed-generation',
  /** The door: see `Via`. Absent: the API server, by kubectl or another client. */
  via: 'vexil.dev/changed-via',
  /** The address from which the API was called. */
  from: 'vexil.dev/changed-from',
} as const;

/** Written right before the API deletes an object: a deletion itself can bear no stamp. */
export const deletionKeys = {
  by: 'vexil.dev/deleted-by',
  /** When, RFC 3339 in UTC: a deletion much later is somebody else's. */
  at: 'vexil.dev/deleted-at',
  via: 'vexil.dev/deleted-via',
  from: 'vexil.dev/deleted-from',
} as const;

/** The field manager of every spec that goes through the API: it never writes one without a stamp. */
export const SPEC_MANAGER = 'vexil-api';

/** The field manager of every status. */
export const STATUS_MANAGER = 'vexil';

/** How an author proved who they are, or that nobody asked; `environment-clone`: the leader, on the author's request. */
export type Via =
  | 'anonymous'
  | 'bootstrap-token'
  | 'api-token'
  | 'personal-token'
  | 'kubernetes-token'
  | 'environment-clone';
