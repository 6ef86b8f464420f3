/** The status and the wire name of each error code (docs/unleash-compatibility.md#errors). */
import { randomUUID } from 'node:crypto';
import { type ErrorCode, type ErrorDetail, isKnownError, type KnownError } from '../../../errors.ts';
import { detailMessage, detailPath } from '../../../model/invalid-input.ts';
import { truncate } from '../../../model/text.ts';
import type { ErrorBody, ErrorMessages } from './error-body.ts';

export interface WireError {
  readonly status: number;
  /** A body that lists messages does not contain the name: there it only names the shape in the API document. */
  readonly name: string;
  /** The situation in which the server answers it, for the API document. */
  readonly means: string;
  /** The body is a list of messages instead of the one error body (docs/unleash-compatibility.md#errors). */
  readonly listsMessages?: true;
}

const unavailable: WireError = {
  status: 503,
  name: 'UnavailableError',
  means:
    'The cluster or the audit archive cannot be reached, the operator lacks a permission in the cluster (the message names it), the request takes too long, or the operator is starting or stopping. The same request may succeed later.',
};

export const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  invalid: {
    status: 400,
    name: 'ValidationError',
    means: 'The request breaks a rule. The message names the property and the value.',
  },
  'pattern-mismatch': {
    status: 400,
    name: 'PatternError',
    means: 'The name does not match the naming pattern of the project.',
  },
  unauthenticated: {
    status: 401,
    name: 'AuthenticationRequired',
    means: 'The Authorization header is missing or its token is not valid.',
  },
  forbidden: { status: 403, name: 'PermissionError', means: 'The caller may not do this.' },
  'operation-denied': {
    status: 403,
    name: 'OperationDeniedError',
    means: 'The operation is not supported. The message names the alternative.',
  },
  'not-found': { status: 404, name: 'NotFoundError', means: 'The object in the path does not exist.' },
  archived: { status: 400, name: 'ArchivedFeatureError', means: 'The flag is archived.' },
  'cannot-enable': {
    status: 409,
    name: 'CannotEnableError',
    means: 'The flag would stay off. The message says why.',
  },
  'minimum-one-environment': {
    status: 400,
    name: 'MinimumOneEnvironmentError',
    means: 'It is the last environment of the project.',
  },
  'already-member': {
    status: 400,
    name: 'AlreadyMemberError',
    means: 'The user is in the project already, with this role or another.',
    listsMessages: true,
  },
  'last-owner': {
    status: 400,
    name: 'ProjectWithoutOwnerError',
    means: 'The user is the only owner of the project.',
    listsMessages: true,
  },
  'name-taken': {
    status: 409,
    name: 'NameExistsError',
    means: 'An object with this name exists. An archived flag keeps its name.',
  },
  'has-tag': { status: 409, name: 'FeatureHasTagError', means: 'The flag has this tag already.' },
  'invalid-operation': {
    status: 403,
    name: 'InvalidOperationError',
    means: 'The present state of the object does not allow the operation. The message says why.',
  },
  immutable: {
    status: 409,
    name: 'ImmutableFieldError',
    means: 'A field that the request changes never changes. The message says what to do instead.',
  },
  'in-use': {
    status: 409,
    name: 'InUseError',
    means: 'The object is still in use. The message names the users.',
  },
  'field-managed': {
    status: 409,
    name: 'FieldManagedError',
    means:
      'A GitOps tool owns a field that the request changes. The message names the field, the tool and how to resolve the conflict, for example `?force=true`. Nothing was written.',
  },
  conflict: {
    status: 409,
    name: 'ConcurrentUpdateError',
    means: 'Other writers kept changing the same object. Nothing was written.',
  },
  'precondition-failed': {
    status: 412,
    name: 'PreconditionFailedError',
    means: 'The object has changed since the version in If-Match. Nothing was written.',
  },
  timeout: { status: 408, name: 'RequestTimeoutError', means: 'The request took too long to arrive.' },
  'too-large': {
    status: 413,
    name: 'PayloadTooLargeError',
    means: 'The body, the resulting object or the number of values exceeds its limit.',
  },
  'unsupported-media-type': {
    status: 415,
    name: 'ContentTypeError',
    means: 'The content type, charset or content encoding is not supported.',
  },
  'rate-limited': {
    status: 429,
    name: 'RateLimitError',
    means: 'The caller has sent more requests within a minute than `VEXIL_RATE_LIMIT` allows. Nothing was done.',
  },
  retired: {
    status: 410,
    name: 'GoneError',
    means: 'Unleash removed this endpoint. The message names its replacement.',
  },
  'still-asked-for': {
    status: 409,
    name: 'FlagInUseError',
    means:
      'SDKs asked for the flag in production in the last 24 hours, and the project says `usedFlags: Refuse`. The details name the applications. `?force=true` removes the flag anyway. Nothing was written.',
  },
  frozen: {
    status: 409,
    name: 'EnvironmentFrozenError',
    means:
      'The request changes an environment whose freeze is in force. The message and `freezes` name the freeze, its end and its reason. Switching a flag off is always possible. Nothing was written.',
  },
  'approval-required': {
    status: 409,
    name: 'ApprovalRequiredError',
    means:
      'The request changes an environment where changes need approval. `approvals` names the environments. For one flag, segment, project or environment, the same request with `?changeRequest=true` makes a change request instead. Switching a flag off is always possible. Nothing was written.',
  },
  'uncertain-time': {
    status: 409,
    name: 'UncertainTimeError',
    means:
      'What was in force at the time in `at` is uncertain: an object changed between two times, and the history does not know when. The details name the times. `inGap=before` and `inGap=after` answer the two states.',
  },
  'too-many-streams': {
    status: 429,
    name: 'TooManyStreamsError',
    means:
      'The replica has as many open streams as it allows: `VEXIL_SDK_STREAM_LIMIT` for SDKs, `VEXIL_SDK_STREAMS_PER_TOKEN` for a token, `VEXIL_SDK_STREAMS_PER_ADDRESS` for an address, `VEXIL_CHANGE_STREAM_LIMIT` for the admin API, or the limit for a caller of the admin API. SDKs poll then.',
  },
  gone: unavailable,
  'doubtful-token': unavailable,
  'missing-permission': unavailable,
  busy: unavailable,
  unavailable,
  internal: {
    status: 500,
    name: 'InternalError',
    means: 'A bug of Vexil. The log has the cause with the `id` of the answer as `errorId`.',
  },
};

/** Names and values in a message come from the caller, and can have any length. */
const MAX_TEXT_LENGTH = 4000;

interface PresentedError {
  readonly status: number;
  /** The id of this one answer. */
  readonly id: string;
  readonly retryAfterSeconds?: number;
  readonly body: ErrorBody | ErrorMessages;
}

/** More members of the body. The error is undefined if it is a bug. */
export type ErrorMembers = (error: KnownError | undefined, message: string) => object;

/** The form in which an error leaves the server: an unknown one discloses only its id. */
export function presentError(error: unknown, ...membersOf: readonly ErrorMembers[]): PresentedError {
  const known = isKnownError(error) && error.code !== 'internal' ? error : undefined;
  const { status, name, listsMessages } = wireErrors[known?.code ?? 'internal'];
  const id = randomUUID();
  const message = known?.message ?? 'Something went wrong inside Vexil. The id of this answer is in its log.';
  const shown = truncate(message, MAX_TEXT_LENGTH);
  const details = known && known.details.length > 0 ? known.details : [{ message }];
  const retryAfterSeconds = known?.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  return {
    status,
    id,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds: Math.ceil(retryAfterSeconds) }),
    body: listsMessages
      ? details.map(presentMessage)
      : {
          ...{ id, name, message: shown, details: details.map(presentDetail) },
          ...Object.assign({}, ...membersOf.map((members) => members(known, shown))),
        },
  };
}

function presentMessage(detail: ErrorDetail) {
  return { msg: truncate(detailMessage(detail), MAX_TEXT_LENGTH) };
}

function presentDetail(detail: ErrorDetail) {
  const message = truncate(detailMessage(detail), MAX_TEXT_LENGTH);
  const path = detailPath(detail);
  return { message, description: message, ...(path !== undefined && { path: truncate(path, MAX_TEXT_LENGTH) }) };
}
