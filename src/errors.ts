/** Two error classes, each with its closed set of codes: refusals of Vexil, and failures of the API server. */

/** The codes of refusals by a rule of Vexil, a limit, or the state of this replica. */
export type RefusalCode =
  /** The input violates a rule; `details` contain the place, the value, and what to do. */
  | 'invalid'
  /** The wire name does not match the naming pattern of its project. */
  | 'pattern-mismatch'
  /** The request has no credentials, or they are not valid. */
  | 'unauthenticated'
  /** The caller is known but not allowed to do this. */
  | 'forbidden'
  /** This API never allows the operation. */
  | 'operation-denied'
  | 'not-found'
  /** The operation is not possible on an archived flag. */
  | 'archived'
  /** The flag would stay off: the message contains the reason. */
  | 'cannot-enable'
  /** A project would be left without environments. */
  | 'minimum-one-environment'
  /** The user is a member of the project already, with any role. */
  | 'already-member'
  /** A project would be left without an owner. */
  | 'last-owner'
  /** Another object already has this name. */
  | 'name-taken'
  /** The flag already has this tag. */
  | 'has-tag'
  /** The request changes a field that never changes. */
  | 'immutable'
  /** Other objects still need the object to be deleted. */
  | 'in-use'
  /** The operation is not possible on this object. */
  | 'invalid-operation'
  /** Another field manager owns the field and would revert the change. */
  | 'field-managed'
  /** The object changed meanwhile. */
  | 'conflict'
  /** `If-Match` names a version other than the present one. */
  | 'precondition-failed'
  /** The request did not arrive in time. */
  | 'timeout'
  | 'too-large'
  | 'unsupported-media-type'
  /** The caller sends more requests than the rate limit allows. */
  | 'rate-limited'
  /** The endpoint belongs to earlier versions of Unleash. */
  | 'retired'
  /** Applications still request the flag, and its project refuses the removal. */
  | 'still-asked-for'
  /** A freeze of an environment is in force. */
  | 'frozen'
  /** The change needs the approval of other people. */
  | 'approval-required'
  /** What was in force at the time is not known: a change happened between two times. */
  | 'uncertain-time'
  /** The maximum number of open streams of this replica is reached. */
  | 'too-many-streams'
  /** This replica or the archive cannot serve the request at the moment. */
  | 'unavailable'
  /** The token is not known, and this replica may lack it: it counts as a wrong one. */
  | 'doubtful-token'
  /** The work takes too long, or too much of it is under way. */
  | 'busy'
  | 'internal';

/** The codes of failed calls to the API server, answered or not. */
export type ClusterCode =
  /** 400 and 422. */
  | 'invalid'
  /** 403 of an admission policy, webhook or plugin. */
  | 'forbidden'
  /** 403 of the authorizer: the ServiceAccount of the operator lacks a permission, which the message names. */
  | 'missing-permission'
  /** 404. */
  | 'not-found'
  /** 409 with the reason AlreadyExists. */
  | 'name-taken'
  /** 409. */
  | 'conflict'
  /** 410: etcd no longer has this resourceVersion. */
  | 'gone'
  /** 413, and objects that etcd does not store. */
  | 'too-large'
  /** The API server cannot be reached, or cannot answer at the moment. */
  | 'unavailable'
  /** Any other failure. */
  | 'internal';

export type ErrorCode = RefusalCode | ClusterCode;

/** A part of the request; `document` is a body that is a file, whose lists messages index as `features[0].name`. */
export type RequestPart = 'params' | 'query' | 'body' | 'document';

interface RequestPlace {
  readonly part: RequestPart;
  /** The keys from the part down to the value. */
  readonly keys: readonly string[];
}

/** A defect of one property of the request. */
export interface PropertyDetail extends RequestPlace {
  /** Completes "The `keys` property …", with its full stop. */
  readonly complaint: string;
  /** What the property belongs to, if its keys are only numbers to people: `flag checkout in production`. */
  readonly of?: string;
  /** The value that was sent, as JSON shortened by `shown`. */
  readonly value?: string;
}

/** One finding: a property with its complaint, or a sentence with or without a place. */
export type ErrorDetail =
  | PropertyDetail
  | (RequestPlace & { readonly message: string })
  | {
      /** A field of an object (`spec.environments.production`) or the name of a setting. */
      readonly path?: string;
      readonly message: string;
    };

/** What the source of an object has to apply, so that a refused change comes from there. */
export interface SourceChange {
  /** Why the caller wants the change, in the words of the caller; absent: the caller does not say. */
  readonly reason?: string | undefined;
  /** The field manager of the source. */
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The object as the source has to apply it: the fields that the source owns, with the change. */
  readonly manifest: object;
  /** The object as the source applies it now. */
  readonly present: object;
  /** The object of the tool that it is applied from, such as "Flux Kustomization flux-system/flags". */
  readonly appliedFrom: string | undefined;
  /** The change alone, as JSON Merge Patch. */
  readonly mergePatch: Readonly<Record<string, unknown>>;
}

/** A freeze that is in force in an environment. */
export interface FrozenEnvironment {
  readonly environment: string;
  /** The name of the freeze. */
  readonly name: string;
  /** In ms since 1970. */
  readonly until: number;
  readonly reason: string | undefined;
}

/** A change of one object that needs approval, as a change request asks for it. */
export interface ChangeToApprove {
  readonly namespace: string;
  readonly target: {
    readonly kind: 'FeatureFlag' | 'Segment' | 'Project' | 'Environment';
    /** `metadata.name`. */
    readonly name: string;
    /** Absent: the flag does not exist yet, so nothing can be asked for. */
    readonly uid?: string;
    readonly generation?: number;
  };
  /** The fields of the request with the values that the change leads to. */
  readonly wanted: object;
  /** The environments that need approvals, with their number. */
  readonly required: Readonly<Record<string, number>>;
}

/** A flag of several that is not changed because protected managers own its fields. */
export interface OwnedFlag {
  readonly name: string;
  readonly managers: readonly string[];
}

export interface ErrorFacts {
  readonly details?: readonly ErrorDetail[];
  readonly cause?: unknown;
  /** Seconds after which the same call may succeed. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The times around changes at unknown times, in ms since 1970. */
export interface UncertainSpan {
  readonly from: number;
  readonly until: number;
}

interface RefusalFacts extends ErrorFacts {
  readonly uncertain?: UncertainSpan;
  readonly sources?: readonly SourceChange[];
  readonly frozen?: readonly FrozenEnvironment[];
  readonly ownedFlags?: readonly OwnedFlag[];
  readonly toApprove?: ChangeToApprove;
}

export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
  /** Only for `field-managed`. */
  readonly sources: readonly SourceChange[];
  /** Only for `frozen`. */
  readonly frozen: readonly FrozenEnvironment[];
  /** Only for operations on several flags. */
  readonly ownedFlags: readonly OwnedFlag[];
  /** Only for `approval-required`. */
  readonly toApprove: ChangeToApprove | undefined;
  /** Only for `uncertain-time`. */
  readonly uncertain: UncertainSpan | undefined;

  constructor(code: RefusalCode, message: string, facts: RefusalFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'Refusal';
    this.code = code;
    this.details = facts.details ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.sources = facts.sources ?? [];
    this.frozen = facts.frozen ?? [];
    this.ownedFlags = facts.ownedFlags ?? [];
    this.toApprove = facts.toApprove;
    this.uncertain = facts.uncertain;
  }
}

/** The Status object of a failed call, as far as the code needs it beyond its meaning. */
export interface StatusAnswer {
  readonly status: number;
  readonly reason: string | undefined;
  readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[];
  /** The permission that the authorizer requires; absent for other answers. */
  readonly missing?: MissingPermission;
}

/** A permission that a user of the cluster lacks. */
export interface MissingPermission {
  readonly user: string;
  readonly verb: string;
  /** The resource with its subresource and group: `featureflags/status.vexil.dev`. */
  readonly resource: string;
  /** Undefined: the permission is missing in the whole cluster. */
  readonly namespace: string | undefined;
}

export interface ClusterErrorFacts extends ErrorFacts {
  readonly answer?: StatusAnswer | undefined;
}

export class ClusterError extends Error {
  readonly code: ClusterCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
  /** Undefined if the API server did not refuse this call. */
  readonly answer: StatusAnswer | undefined;

  constructor(code: ClusterCode, message: string, facts: ClusterErrorFacts = {}) {
    const cause = facts.cause ?? facts.answer;
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClusterError';
    this.code = code;
    this.details = facts.details ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.answer = facts.answer;
  }
}

export type KnownError = Refusal | ClusterError;

/** If codes are given, the error must have one of them. */
export function isRefusal(error: unknown, ...codes: readonly RefusalCode[]): error is Refusal {
  return error instanceof Refusal && (codes.length === 0 || codes.includes(error.code));
}

/** If codes are given, the error must have one of them. */
export function isClusterError(error: unknown, ...codes: readonly ClusterCode[]): error is ClusterError {
  return error instanceof ClusterError && (codes.length === 0 || codes.includes(error.code));
}

export function isKnownError(error: unknown): error is KnownError {
  return error instanceof Refusal || error instanceof ClusterError;
}

/** The same error with another message and other details. */
export function reworded(error: KnownError, message: string, details: readonly ErrorDetail[]): KnownError {
  const { retryAfterSeconds } = error;
  const facts = { details, retryAfterSeconds, cause: error };
  if (error instanceof Refusal) return new Refusal(error.code, message, facts);
  return new ClusterError(error.code, message, { ...facts, answer: error.answer });
}
