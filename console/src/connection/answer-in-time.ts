/** Requests that end: with an answer, or with a sentence that says why there is none. */

/** Most answers take less than a second. */
const MAX_WAIT_MS = 15_000;

/**
 * Waits for the beginning of the answer only, because a long one may take its time. Throws an error with a sentence for
 * people if there is no answer.
 */
export async function fetchInTime(request: Request): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_WAIT_MS);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new Error(sentenceFor(request.method, late.signal.aborted), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function sentenceFor(method: string, isLate: boolean): string {
  const what = isLate ? 'Vexil has not answered within 15 seconds.' : 'Vexil cannot be reached.';
  if (method === 'GET') return what;
  return `${what} It is not known whether the change was made: look again when Vexil answers.`;
}
