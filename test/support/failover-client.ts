/**
 * A client as users write one: it calls the next replica if one does not answer, or answers that it should try another
 * one.
 */
import type { Answer, Call, CallOptions } from './admin-client.ts';

export interface Attempt {
  readonly at: string;
  /** A status, or the reason why no answer came. */
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

/** The limit of a call while replicas start and end; longer than a new one takes to become ready. */
const PATIENCE_MS = 30_000;

/** `endpoints` returns the present endpoints. Each call begins with the next one of them. */
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
      // fetch throws a TypeError if a connection was refused or broke.
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
