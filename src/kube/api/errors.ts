/** Failures of calls to the API server as ClusterErrors. */
import {
  type ClusterCode,
  ClusterError,
  isClusterError,
  isKnownError,
  type KnownError,
  type MissingPermission,
  type StatusAnswer,
} from '../../errors.ts';
import { recordOf, recordsIn } from '../../model/json.ts';
import { truncate } from '../../model/text.ts';

export interface FailedCall {
  /** What was tried, for the message: `PATCH /apis/…`. */
  readonly action: string;
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: string | undefined;
}

const CODES: Readonly<Record<number, ClusterCode>> = {
  400: 'invalid',
  // The operator's own credentials are rejected. No caller can fix that; a rotated token usually does, so retry.
  401: 'unavailable',
  403: 'forbidden',
  404: 'not-found',
  408: 'unavailable',
  409: 'conflict',
  410: 'gone',
  413: 'too-large',
  422: 'invalid',
  429: 'unavailable',
};

/** Error codes of an established connection that broke. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** The API server answers 500 for an object above etcd's limit (1.5 MiB by default); a retry cannot succeed. */
const TOO_LARGE_FOR_ETCD = 'etcdserver: request is too large';

/** The API server answers 500 for a server-side apply of an object that does not fit the schema of its kind. */
const DOES_NOT_FIT = 'failed to create typed patch object';

const MAX_MESSAGE_LENGTH = 2000;
const MAX_DETAILS = 100;

/** Makes an answer other than 2xx a ClusterError. */
export function refusedCall(call: FailedCall): ClusterError {
  const status = recordOf(call.body);
  const details = recordOf(status['details']);
  const reason = text(status['reason']);
  const causes = readCauses(details['causes']);
  const said = text(status['message']) ?? `status ${call.status}`;
  const answer: StatusAnswer = { status: call.status, reason, causes };
  const retryAfterSeconds = readSeconds(call.retryAfter) ?? readSeconds(details['retryAfterSeconds']);
  const missing = call.status === 403 ? readMissingPermission(said) : undefined;
  if (missing)
    return new ClusterError('missing-permission', missingPermissionMessage(missing), {
      answer: { ...answer, missing },
    });
  const lead = call.status === 401 ? "The API server does not accept the operator's credentials" : 'Kubernetes API';
  const code = meaningOf(said) ?? codeOf(call.status, reason);
  return new ClusterError(code, `${lead}: ${truncate(said, MAX_MESSAGE_LENGTH)} (${call.action})`, {
    details: fieldErrors(causes).map(({ field, message }) => (field === '' ? { message } : { path: field, message })),
    answer,
    retryAfterSeconds,
  });
}

/** What an answer means that has the status of a failure of the server; undefined: the status is right. */
function meaningOf(said: string): ClusterCode | undefined {
  if (said.includes(TOO_LARGE_FOR_ETCD)) return 'too-large';
  return said.startsWith(DOES_NOT_FIT) ? 'invalid' : undefined;
}

/** Makes the Status object of a watch's ERROR frame a ClusterError. */
export function refusedWatch(action: string, body: unknown): ClusterError {
  const code = recordOf(body)['code'];
  return refusedCall({ action, status: typeof code === 'number' ? code : 500, body });
}

/**
 * Makes a failure below HTTP (refused, reset, timed out, bad certificate) a ClusterError; a known error stays as it is.
 */
export function failedConnection(action: string, error: unknown): KnownError {
  if (isKnownError(error)) return error;
  const code = text(recordOf(error)['code']);
  if (code === undefined) return new ClusterError('internal', `The call failed: ${action}`, { cause: error });
  // The write may have succeeded, so the message must not claim that the request never arrived.
  const what = BROKEN.has(code)
    ? 'The connection to the API server broke before it answered'
    : 'The API server cannot be reached';
  return new ClusterError('unavailable', `${what}: ${code} (${action})`, { cause: error });
}

/** For `catch` of a deletion: the object is gone already. */
export function ignoreNotFound(error: unknown): void {
  if (!isClusterError(error, 'not-found')) throw error;
}

/** What the API server says of one field of an object. */
export interface FieldError {
  /** In the form `spec.strategies[0].name`; empty for the object as a whole. */
  readonly field: string;
  /** The parts of the field; keys of maps with dots in them are split too. */
  readonly keys: readonly string[];
  readonly message: string;
  /** The message without the kind of error that rules of CRDs put before theirs. */
  readonly why: string;
}

export function fieldErrorsOf({ answer }: ClusterError): readonly FieldError[] {
  return fieldErrors(answer?.causes ?? []);
}

function fieldErrors(causes: StatusAnswer['causes']): readonly FieldError[] {
  return causes
    .filter(({ field }) => field !== '<nil>')
    .map(({ field, message }) => ({
      field,
      keys: field.replace(/\[([^[\]]*)\]/g, '.$1').split('.'),
      message,
      why: message.replace(/^Invalid value: /, ''),
    }));
}

/** Keeps only the status: texts may quote what must not be shown. */
export function withoutTexts(answer: StatusAnswer | undefined): StatusAnswer | undefined {
  return answer && { status: answer.status, reason: undefined, causes: [] };
}

/** True if the requested version is one that the API server has not reached, for example after a restored backup. */
export function isVersionTooLarge(error: unknown): boolean {
  return (
    isClusterError(error) && (error.answer?.causes ?? []).some(({ reason }) => reason === 'ResourceVersionTooLarge')
  );
}

function codeOf(status: number, reason: string | undefined): ClusterCode {
  if (reason === 'AlreadyExists') return 'name-taken';
  if (reason === 'Expired' || reason === 'Gone') return 'gone';
  // 3xx comes from a proxy, 5xx from an overloaded server: both are temporary.
  return CODES[status] ?? (status >= 500 || status < 400 ? 'unavailable' : 'internal');
}

function readCauses(value: unknown): StatusAnswer['causes'] {
  return recordsIn(value)
    .slice(0, MAX_DETAILS)
    .map(({ reason, field, message }) => ({
      reason: text(reason) ?? '',
      field: text(field) ?? '',
      message: text(message) ?? '',
    }));
}

function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The authorizer answers before any admission plugin runs, always in these words (`forbiddenMessage` in
 * k8s.io/apiserver). Admission plugins put their own name first, so their texts never match.
 */
const DENIED =
  /^\S+(?: "[^"]*")? is forbidden: User "(?<user>[^"]*)" cannot (?<verb>\S+) resource "(?<resource>[^"]*)" in API group "(?<group>[^"]*)" (?:in the namespace "(?<namespace>[^"]*)"|at the cluster scope)/;

/** Reads the message of a 403; undefined: an admission plugin or a policy refused the call. */
function readMissingPermission(message: string): MissingPermission | undefined {
  const { user = '', verb = '', resource = '', group = '', namespace } = DENIED.exec(message)?.groups ?? {};
  if (verb === '') return undefined;
  return { user, verb, resource: group === '' ? resource : `${resource}.${group}`, namespace };
}

/** The message with the missing permission and what to do. */
function missingPermissionMessage({ user, verb, resource, namespace }: MissingPermission): string {
  const place = namespace === undefined ? 'in the whole cluster' : `in the namespace "${namespace}"`;
  return `Vexil lacks a permission in the cluster: ${verb} ${resource} ${place}. Grant it to "${user}".`;
}
