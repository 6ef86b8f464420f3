/** What each error code is over HTTP: the one place with its status and its name on the wire (facts §5.2). */
import { randomUUID } from 'node:crypto';
import { AppError, type ErrorCode, type ErrorDetail } from '../errors.ts';

interface WireError {
  readonly status: number;
  readonly name: string;
}

const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  invalid: { status: 400, name: 'ValidationError' },
  'pattern-mismatch': { status: 400, name: 'PatternError' },
  unauthenticated: { status: 401, name: 'AuthenticationRequired' },
  forbidden: { status: 403, name: 'PermissionError' },
  'operation-denied': { status: 403, name: 'OperationDeniedError' },
  'not-found': { status: 404, name: 'NotFoundError' },
  archived: { status: 400, name: 'ArchivedFeatureError' },
  'cannot-enable': { status: 409, name: 'CannotEnableError' },
  'name-taken': { status: 409, name: 'NameExistsError' },
  conflict: { status: 409, name: 'ConcurrentUpdateError' },
  'precondition-failed': { status: 412, name: 'PreconditionFailedError' },
  'too-large': { status: 413, name: 'PayloadTooLargeError' },
  'unsupported-media-type': { status: 415, name: 'ContentTypeError' },
  gone: { status: 503, name: 'UnavailableError' },
  unavailable: { status: 503, name: 'UnavailableError' },
  internal: { status: 500, name: 'InternalError' },
};

/** The body of every error answer. `id` is that of this one answer. */
export interface ErrorBody {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly details: readonly { readonly message: string; readonly description: string; readonly path?: string }[];
}

/** An error as it leaves the server: what is unknown tells nobody more than its id. */
export function presentError(error: unknown): { status: number; retryAfterSeconds?: number; body: ErrorBody } {
  const known = error instanceof AppError && error.code !== 'internal' ? error : undefined;
  const { status, name } = wireErrors[known?.code ?? 'internal'];
  const message = known?.message ?? 'Something went wrong inside Vexil. The id of this answer is in its log.';
  const details = known && known.details.length > 0 ? known.details : [{ message }];
  const retryAfterSeconds = known?.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  return {
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds: Math.ceil(retryAfterSeconds) }),
    body: { id: randomUUID(), name, message, details: details.map(presentDetail) },
  };
}

function presentDetail({ message, path }: ErrorDetail) {
  return { message, description: message, ...(path !== undefined && { path }) };
}
