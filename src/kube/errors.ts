/** Failures of the API server as errors of the project. */
import { AppError, type ErrorCode, type ErrorDetail } from '../errors.ts';

/** What of a refusal the code needs beyond its meaning; it is the `cause` of the AppError. */
export interface Refusal {
  readonly status: number;
  readonly reason: string | undefined;
  readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[];
}

export interface FailedCall {
  /** What was tried, for the message: `PATCH /apis/…`. */
  readonly action: string;
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: string | undefined;
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid',
  // Our own credentials are not accepted. No caller of ours can mend that, and a rotated token usually does: wait.
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

/** Of a connection that was there. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** The API server answers 500, as if it would pass: the object is larger than etcd stores, 1.5 MiB unless raised. */
const TOO_LARGE_FOR_ETCD = 'etcdserver: request is too large';

const LONGEST_MESSAGE = 2000;
const MOST_DETAILS = 100;

/** Makes an answer other than 2xx an AppError. */
export function refusedCall(call: FailedCall): AppError {
  const status = members(call.body);
  const details = members(status['details']);
  const reason = text(status['reason']);
  const causes = readCauses(details['causes']);
  const said = text(status['message']) ?? `status ${call.status}`;
  const refusal: Refusal = { status: call.status, reason, causes };
  const retryAfterSeconds = readSeconds(call.retryAfter) ?? readSeconds(details['retryAfterSeconds']);
  const lead = call.status === 401 ? "The API server does not accept the operator's credentials" : 'Kubernetes API';
  const code = said.includes(TOO_LARGE_FOR_ETCD) ? 'too-large' : codeOf(call.status, reason);
  return new AppError(code, `${lead}: ${shorten(said)} (${call.action})`, {
    details: detailsOf(causes),
    cause: refusal,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Makes the Status object of a watch's ERROR frame an AppError. */
export function refusedWatch(action: string, body: unknown): AppError {
  const code = members(body)['code'];
  return refusedCall({ action, status: typeof code === 'number' ? code : 500, body });
}

/** Makes a failure below HTTP (refused, reset, timed out, bad certificate) an AppError. */
export function failedConnection(action: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = text(members(error)['code']);
  if (code === undefined) return new AppError('internal', `The call failed: ${action}`, { cause: error });
  // A write may have been carried out all the same, so this must not sound as if it had never arrived.
  const what = BROKEN.has(code)
    ? 'The connection to the API server broke before it answered'
    : 'The API server cannot be reached';
  return new AppError('unavailable', `${what}: ${code} (${action})`, { cause: error });
}

/** Gives back what the API server said, when this error is one of its refusals. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof AppError)) return undefined;
  const cause = members(error.cause);
  return typeof cause['status'] === 'number' && Array.isArray(cause['causes']) ? (error.cause as Refusal) : undefined;
}

/** True when a version was asked for that the API server has not reached, which outlives a restored backup. */
export function isVersionTooLarge(error: unknown): boolean {
  return refusalOf(error)?.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge') ?? false;
}

function codeOf(status: number, reason: string | undefined): ErrorCode {
  if (reason === 'AlreadyExists') return 'name-taken';
  if (reason === 'Expired' || reason === 'Gone') return 'gone';
  // 3xx comes from something in between, 5xx from a server in trouble: both pass.
  return CODES[status] ?? (status >= 500 || status < 400 ? 'unavailable' : 'internal');
}

function readCauses(value: unknown): Refusal['causes'] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_DETAILS).map((cause) => {
    const { reason, field, message } = members(cause);
    return { reason: text(reason) ?? '', field: text(field) ?? '', message: text(message) ?? '' };
  });
}

function detailsOf(causes: Refusal['causes']): ErrorDetail[] {
  return causes
    .filter((cause) => cause.field !== '<nil>')
    .map(({ field, message }) => (field === '' ? { message } : { path: field, message }));
}

function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function shorten(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
