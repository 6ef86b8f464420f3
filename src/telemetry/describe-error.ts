/** What a log line says about an error. */

export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly details?: readonly unknown[];
  readonly cause?: ErrorDescription | string;
  readonly errors?: readonly (ErrorDescription | string)[];
}

const deepestCause = 5;
const mostErrors = 10;

/** Only what is known to be harmless: libraries hang requests, headers with tokens and bodies onto their errors. */
export function describeError(error: Error): ErrorDescription {
  return describe(error, 0);
}

function describe(error: Error, depth: number): ErrorDescription {
  const { code, details, errors } = error as { code?: unknown; details?: unknown; errors?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(Array.isArray(details) && { details: details.map(describeDetail) }),
    ...(error.cause !== undefined && { cause: describeCause(error.cause, depth + 1) }),
    ...(Array.isArray(errors) && { errors: errors.slice(0, mostErrors).map((one) => describeCause(one, depth + 1)) }),
  };
}

function describeDetail(detail: unknown): unknown {
  const { path, message } = (detail ?? {}) as { path?: unknown; message?: unknown };
  return { path, message };
}

function describeCause(cause: unknown, depth: number): ErrorDescription | string {
  if (depth > deepestCause) return 'more causes left out';
  if (cause instanceof Error) return describe(cause, depth);
  return typeof cause === 'string' ? cause : describeRefusal(cause);
}

/** What an API server refused with has a status and a reason; nothing else of an unknown object is shown. */
function describeRefusal(cause: unknown): string {
  const { status, reason } = (cause ?? {}) as { status?: unknown; reason?: unknown };
  if (typeof status !== 'number') return `a thrown ${typeof cause}`;
  return typeof reason === 'string' ? `status ${status} ${reason}` : `status ${status}`;
}
