/** The one error class of the project, with its closed set of codes. */

export type ErrorCode =
  /** The input breaks a rule; `details` say where, which value, and what to do. */
  | 'invalid'
  /** The wire name does not match the naming pattern of its project. */
  | 'pattern-mismatch'
  /** Nobody has shown who they are, or the proof is not valid. */
  | 'unauthenticated'
  /** The caller is known and may not do this. */
  | 'forbidden'
  /** The operation can never be done through this door. */
  | 'operation-denied'
  | 'not-found'
  /** What is wanted cannot be done to an archived flag. */
  | 'archived'
  /** The flag would stay off: the message says why. */
  | 'cannot-enable'
  /** A project would be left without environments. */
  | 'minimum-one-environment'
  /** The user is in the project, with whichever role. */
  | 'already-member'
  /** A project would be left without an owner. */
  | 'last-owner'
  /** Another object already has this name. */
  | 'name-taken'
  /** The flag has this tag. */
  | 'has-tag'
  /** Other objects still need what is to be deleted. */
  | 'in-use'
  /** What it is done to may not be done to. */
  | 'invalid-operation'
  /** Somebody else holds what is to be changed, and would set it back. */
  | 'field-managed'
  /** Someone else wrote meanwhile. */
  | 'conflict'
  /** `If-Match` names another version than the present one. */
  | 'precondition-failed'
  /** The request did not arrive in time. */
  | 'timeout'
  | 'too-large'
  | 'unsupported-media-type'
  /** The caller sends more requests than one may. */
  | 'rate-limited'
  /** A version that the API server no longer keeps was asked for (410). */
  | 'gone'
  /** The API server cannot be reached or asks to be left alone for a while. */
  | 'unavailable'
  /** It takes longer than anything may, or too many others do the same at the moment. */
  | 'busy'
  | 'internal';

/** One finding: `path` is dotted (`spec.environments.production`, `name`), `message` names the value. */
export interface ErrorDetail {
  readonly path?: string;
  readonly message: string;
}

export interface ErrorFacts {
  readonly details?: readonly ErrorDetail[];
  readonly cause?: unknown;
  /** Seconds after which the same call may succeed. */
  readonly retryAfterSeconds?: number;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = facts.details ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}
