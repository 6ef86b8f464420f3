/** A client as users write one: it asks the next replica where one does not answer, or answers to try another. */
import type { Answer, Call, CallOptions } from './admin-client.ts';

export interface Attempt {
  readonly at: string;
  /** A status, or why no answer came. */
  readonly outcome: string;
}

export interface FailoverClient {
  readonly call: Call;
  /** Every attempt that was not the last one of its call. */
  readonly retried: readonly Attempt[];
}

export interface Endpoint {
  readonly url: string;
  readonly call: Call;
}

/** While replicas come and go; longer than a new one takes to be ready. */
const PATIENCE_MS = 30_000;

/** `endpoints` gives those that there are at the moment; each call begins with the next one of them. */
export function failoverClient(endpoints: () => readonly Endpoint[]): FailoverClient {
  const retried: Attempt[] = [];
  let turn = 0;
  async function attempt(request: string, options: CallOptions): Promise<Answer | undefined> {
    turn += 1;
    const all = endpoints();
    const endpoint = all[turn % all.length];
    if (!endpoint) throw new Error('there is no replica to ask');
    try {
      const answer = await endpoint.call(request, options);
      if (answer.status !== 503) return answer;
      retried.push({ at: endpoint.url, outcome: '503' });
    } catch (error) {
      // So does fetch say that a connection was refused or broke.
      if (!(error instanceof TypeError)) throw error;
      retried.push({ at: endpoint.url, outcome: String((error.cause as Error | undefined)?.message ?? error) });
    }
    return undefined;
  }
  return {
    retried,
    async call(request, options = {}) {
      const until = performance.now() + PATIENCE_MS;
      while (performance.now() < until) {
        const answer = await attempt(request, options);
        if (answer) return answer;
      }
      throw new Error(`nobody has answered ${request} for ${PATIENCE_MS} ms`);
    },
  };
}
