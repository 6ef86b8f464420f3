/** The status and the wire name of each error code (docs/unleash-compatibility.md#errors). */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  type ErrorCode,
  type ErrorDetail,
  isKnownError,
  isRefusal,
  type KnownError,
  type SourceChange,
} from '../../errors.ts';
import { detailMessage, detailPath } from '../../model/error-detail.ts';
import { truncate } from '../../model/text.ts';
import { presentFrozen, wireFreeze } from '../../wire/admin/freeze.ts';
import { manifestText } from '../../wire/admin/manifest.ts';

export interface WireError {
  readonly status: number;
  /** Not in a body that lists messages: there it names the shape in the API document alone. */
  readonly name: string;
  /** When it is answered, for the API document. */
  readonly means: string;
  /** The body is a list of messages instead of the one error body (docs/unleash-compatibility.md#errors). */
  readonly listsMessages?: true;
}

const unavailable: WireError = {
  status: 503,
  name: 'UnavailableError',
  means:
    'The cluster or the archive of the history cannot be reached, Vexil lacks a permission in the cluster (the message names it), what was asked for takes long, or Vexil is starting or stopping. The same request may succeed later.',
};

export const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  invalid: {
    status: 400,
    name: 'ValidationError',
    means: 'The request breaks a rule: the message names the property and the value.',
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
    means: 'This can never be done here: the message says where.',
  },
  'not-found': { status: 404, name: 'NotFoundError', means: 'What the path names is not there.' },
  archived: { status: 400, name: 'ArchivedFeatureError', means: 'The flag is archived.' },
  'cannot-enable': {
    status: 409,
    name: 'CannotEnableError',
    means: 'The flag would stay off: the message says why.',
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
    means: 'What has this name is there already; a flag may be in the archive.',
  },
  'has-tag': { status: 409, name: 'FeatureHasTagError', means: 'The flag has this tag already.' },
  'invalid-operation': {
    status: 403,
    name: 'InvalidOperationError',
    means: 'This cannot be done to what the path names, as it is now: the message says why.',
  },
  'in-use': {
    status: 409,
    name: 'InUseError',
    means: 'What is to be deleted is still used: the message says by what.',
  },
  'field-managed': {
    status: 409,
    name: 'FieldManagedError',
    means:
      'A field that would be changed is held by a GitOps tool: the message names both, and the ways out, one of which is `?force=true`. Nothing was written.',
  },
  conflict: {
    status: 409,
    name: 'ConcurrentUpdateError',
    means: 'Others kept changing the same object. Nothing was written.',
  },
  'precondition-failed': {
    status: 412,
    name: 'PreconditionFailedError',
    means: 'The object is not in the version that If-Match names any more. Nothing was written.',
  },
  timeout: { status: 408, name: 'RequestTimeoutError', means: 'The request took too long to arrive.' },
  'too-large': {
    status: 413,
    name: 'PayloadTooLargeError',
    means: 'The body, or the object that it makes, is larger than what is allowed, or the body has more values in it.',
  },
  'unsupported-media-type': {
    status: 415,
    name: 'ContentTypeError',
    means: 'The body is of a content type, character set or packing that is not read here.',
  },
  'rate-limited': {
    status: 429,
    name: 'RateLimitError',
    means: 'The caller has sent more requests within a minute than `VEXIL_RATE_LIMIT` allows. Nothing was done.',
  },
  retired: {
    status: 410,
    name: 'GoneError',
    means: 'This endpoint of earlier servers is not here: the message names another.',
  },
  'still-asked-for': {
    status: 409,
    name: 'FlagInUseError',
    means:
      'SDKs asked for the flag in production in the last 24 hours, and the project says `usedFlags: Refuse`: the details name the applications. `?force=true` removes it. Nothing was written.',
  },
  frozen: {
    status: 409,
    name: 'EnvironmentFrozenError',
    means:
      'A freeze of an environment that would be changed is in force: the message and `freezes` name it, its end and its reason. Switching off is always possible. Nothing was written.',
  },
  'too-many-streams': {
    status: 429,
    name: 'TooManyStreamsError',
    means:
      'As many streams are open on this replica as `VEXIL_SDK_STREAM_LIMIT` allows for SDKs, or `VEXIL_SDK_STREAMS_PER_ADDRESS` for an address, which poll then; or as `VEXIL_CHANGE_STREAM_LIMIT` allows, or a caller of the admin API may have.',
  },
  gone: unavailable,
  'missing-permission': unavailable,
  busy: unavailable,
  unavailable,
  internal: {
    status: 500,
    name: 'InternalError',
    means: 'A bug of Vexil. The log says more under the id of the answer.',
  },
};

const NO_PROJECT = 'There is no project with the id "shop".';

/** The body of every error answer but those that list messages. */
export const errorBody = z
  .object({
    id: z.uuid().meta({ description: 'Of this one answer.' }),
    name: z.string().meta({ description: 'The kind of the error.' }),
    message: z
      .string()
      .meta({ description: 'What is wrong, with which value, and what to do.', examples: [NO_PROJECT] }),
    details: z
      .array(
        z.object({
          message: z.string().meta({ examples: [NO_PROJECT] }),
          description: z.string().meta({ description: 'The same as message.', examples: [NO_PROJECT] }),
          path: z
            .string()
            .optional()
            .meta({ description: 'Where in the request or in the object, such as /body/name.' }),
        }),
      )
      .min(1)
      .meta({ description: 'Each finding.' }),
    sources: z
      .array(
        z.object({
          manager: z.string().meta({ description: 'The field manager.', examples: ['kustomize-controller'] }),
          operation: z.enum(['Apply', 'Update']),
          yaml: z.string().optional().meta({
            description:
              'What the manager has to apply: the fields that it owns, with the change. Absent: it is too long.',
          }),
          mergePatch: z.looseObject({}).optional().meta({
            description: 'The change alone, as JSON Merge Patch of the custom resource. Absent: it is too long.',
          }),
        }),
      )
      .optional()
      .meta({ description: 'Of FieldManagedError: the change for each manager of the fields, at most three.' }),
    freezes: z
      .array(
        z.object({
          environment: z.string().meta({ examples: ['production'] }),
          ...wireFreeze.shape,
        }),
      )
      .optional()
      .meta({ description: 'Of EnvironmentFrozenError: the freezes that are in force.' }),
  })
  .meta({ id: 'Error', description: 'The body of every refusal.' });
type ErrorBody = z.infer<typeof errorBody>;

export const errorMessages = z
  .array(
    z.object({
      msg: z.string().meta({ description: 'What is wrong.', examples: ['A project must have at least one owner.'] }),
    }),
  )
  .min(1)
  .meta({ id: 'ErrorMessages', description: 'What two refusals about members of projects answer in place of Error.' });
type ErrorMessages = z.infer<typeof errorMessages>;

/** Names and values in a message are the caller's, as long as the caller likes. */
const MAX_TEXT_LENGTH = 4000;

interface PresentedError {
  readonly status: number;
  /** Of this one answer. */
  readonly id: string;
  readonly retryAfterSeconds?: number;
  readonly body: ErrorBody | ErrorMessages;
}

/** Undefined: the error is a bug. */
export type ErrorMembers = (error: KnownError | undefined, message: string) => object;

/** An error as it leaves the server: an unknown one discloses only its id. */
export function presentError(error: unknown, membersOf?: ErrorMembers): PresentedError {
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
          ...presentSources(known),
          ...presentFreezes(known),
          ...membersOf?.(known, shown),
        },
  };
}

/** A spec may have a megabyte. */
const MAX_SOURCE_LENGTH = 32_768;

function presentSources(error: KnownError | undefined) {
  return isRefusal(error) && error.sources.length > 0 ? { sources: error.sources.map(presentSource) } : {};
}

function presentFreezes(error: KnownError | undefined) {
  if (!isRefusal(error) || error.frozen.length === 0) return {};
  return { freezes: error.frozen.map(presentFrozen) };
}

function presentSource({ manager, operation, manifest, mergePatch }: SourceChange) {
  const yaml = manifestText([manifest]);
  const isPatchShort = JSON.stringify(mergePatch).length <= MAX_SOURCE_LENGTH;
  return {
    ...{ manager, operation },
    ...(yaml.length <= MAX_SOURCE_LENGTH && { yaml }),
    ...(isPatchShort && { mergePatch }),
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
