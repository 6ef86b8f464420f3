/** Requests that end: with an answer, or with a sentence that says why there is none. */

/** Most answers take less than a second. */
export const MAX_WAIT_MS = 15_000;

const UNKNOWN = 'It is not known whether the change was made: look again when Vexil answers.';

/** For every call of the API: throws an error with a sentence for people if there is no answer. */
export function fetchInTime(request: Request): Promise<Response> {
  return answerInTime(request, request.method === 'GET' ? '' : UNKNOWN);
}

/**
 * Waits for the beginning of the answer only, because a long one may take its time. `advice` is a sentence for requests
 * without an answer.
 */
export async function answerInTime(request: Request, advice: string): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_WAIT_MS);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new Error(silenceText(late.signal.aborted, advice), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

export function silenceText(isLate: boolean, advice: string): string {
  const what = isLate ? `Vexil has not answered within ${MAX_WAIT_MS / 1000} seconds.` : 'Vexil cannot be reached.';
  return `${what} ${advice}`.trimEnd();
}
