/** Describes errors for log lines. */
import { type ErrorDetail, isKnownError } from '../errors.ts';
import { detailMessage, detailPath } from '../model/invalid-input.ts';

export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly details?: readonly unknown[];
  readonly cause?: ErrorDescription | string;
  readonly errors?: readonly (ErrorDescription | string)[];
}

const MAX_CAUSE_DEPTH = 5;
const MAX_ERRORS = 10;

/**
 * Selects harmless properties only, because libraries attach requests, headers with tokens and bodies to their errors.
 */
export function describeError(error: Error): ErrorDescription {
  return describe(error, 0);
}

function describe(error: Error, depth: number): ErrorDescription {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(isKnownError(error) && { details: error.details.map(describeDetail) }),
    ...(error.cause !== undefined && { cause: describeCause(error.cause, depth + 1) }),
    ...(Array.isArray(errors) && { errors: errors.slice(0, MAX_ERRORS).map((one) => describeCause(one, depth + 1)) }),
  };
}

function describeDetail(detail: ErrorDetail): unknown {
  return { path: detailPath(detail), message: detailMessage(detail) };
}

function describeCause(cause: unknown, depth: number): ErrorDescription | string {
  if (depth > MAX_CAUSE_DEPTH) return 'more causes left out';
  if (cause instanceof Error) return describe(cause, depth);
  return typeof cause === 'string' ? cause : describeRefusal(cause);
}

/** A rejection by the API server has a status and a reason; other properties of unknown objects are left out. */
function describeRefusal(cause: unknown): string {
  const { status, reason } = (cause ?? {}) as { status?: unknown; reason?: unknown };
  if (typeof status !== 'number') return `a thrown ${typeof cause}`;
  return typeof reason === 'string' ? `status ${status} ${reason}` : `status ${status}`;
}
