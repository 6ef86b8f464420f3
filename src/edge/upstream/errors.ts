/** Why an upstream did not give what was asked for. */

export type UpstreamProblem =
  /** No connection, no answer in time, or a 5xx answer. */
  | 'away'
  /** It asks to wait: 429. */
  | 'busy'
  /** 401 or 403: the token may read nothing there. */
  | 'refused'
  /** It has no such endpoint. */
  | 'absent'
  /** The answer cannot be used, such as HTML, half a JSON or a redirect. */
  | 'unusable';

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly problem: UpstreamProblem;
  /** How long the upstream asks to wait; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: UpstreamProblem, message: string, { retryAfterMs, cause }: UpstreamErrorDetails = {}) {
    super(message, { cause });
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

interface UpstreamErrorDetails {
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

export function isUpstreamError(error: unknown, ...problems: readonly UpstreamProblem[]): error is UpstreamError {
  return error instanceof UpstreamError && (problems.length === 0 || problems.includes(error.problem));
}

/** Resolves with the UpstreamError that ends the work, and rejects with any other error. */
export async function failureOf(work: Promise<unknown>): Promise<UpstreamError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
}
