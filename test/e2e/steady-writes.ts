/** A steady stream of writes through the admin API, by callers that retry as callers should. */
import { waitUntil } from '../support/control-plane/wait-until.ts';

export interface SteadyWritesParts {
  /** The URL of the admin API. */
  readonly url: string;
  readonly token: string;
  readonly project: string;
  /** The prefix of the name of every created flag. */
  readonly prefix: string;
}

export interface Ledger {
  /** Flags whose creation and description were acknowledged. */
  readonly done: readonly string[];
  /** The number of retries by their reason. */
  readonly retries: Readonly<Record<string, number>>;
  /** The longest duration of a single write with all its retries. */
  readonly maxMs: number;
}

export interface SteadyWrites {
  /** The result so far. */
  ledger(): Ledger;
  /** Throws if an answer could not be cured by a retry, or a write did not succeed in time. */
  stop(): Promise<Ledger>;
}

const WRITERS = 3;
/** The time between two flags of one writer. */
const EVERY_MS = 150;
const ANSWER_WITHIN_MS = 5_000;
const CURED_WITHIN_MS = 30_000;
const RETRY_AFTER_MS = 100;
/**
 * Statuses that are not the fault of a caller. 404 is the answer of a replica whose cache does not have a new object
 * yet.
 */
const CURABLE = [404, 429, 502, 503, 504];

export function describedAs(flag: string): string {
  return `recorded for ${flag}`;
}

/** Creates each flag, then sets its description, so that a late write never undoes a later one. */
export function writeSteadily(parts: SteadyWritesParts): SteadyWrites {
  const done: string[] = [];
  const retries: Record<string, number> = {};
  let maxMs = 0;
  let stopping = false;

  async function write(step: Step): Promise<void> {
    const startedAt = performance.now();
    const whys: string[] = [];
    const limits = { timeoutMs: CURED_WITHIN_MS, everyMs: RETRY_AFTER_MS };
    const tried = waitUntil({ what: `${step.what} succeeds`, ...limits }, async () => {
      const { why, isOver } = await attempt(parts, step, whys.length > 0);
      if (isOver) return true;
      whys.push(why);
      retries[why] = (retries[why] ?? 0) + 1;
      return false;
    });
    await tried.catch((error: Error) => {
      throw new Error(`${error.message}; tried in vain: ${whys.join(', ')}`, { cause: error });
    });
    maxMs = Math.max(maxMs, performance.now() - startedAt);
  }

  async function work(writer: number): Promise<void> {
    for (let count = 0; !stopping; count += 1) {
      const flag = `${parts.prefix}-${writer}-${count}`;
      const next = performance.now() + EVERY_MS;
      await write(creationOf(flag));
      await write(descriptionOf(flag));
      done.push(flag);
      await waitUntil({ what: 'it is time for the next', everyMs: 10 }, () => performance.now() >= next);
    }
  }

  const ledger = () => ({ done: [...done], retries: { ...retries }, maxMs });
  const working = Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
  // The caller of `stop` gets the error.
  working.catch(() => undefined);
  return {
    ledger,
    async stop() {
      stopping = true;
      await working;
      return ledger();
    },
  };
}

interface Step {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly status: number;
  /** The status that also counts as success after an earlier attempt that may have succeeded without an answer. */
  readonly statusAgain: number;
}

const creationOf = (flag: string): Step => ({
  what: `the creation of ${flag}`,
  ...{ method: 'POST', path: '', body: { name: flag }, status: 201, statusAgain: 409 },
});

const descriptionOf = (flag: string): Step => ({
  what: `the description of ${flag}`,
  ...{ method: 'PATCH', path: `/${flag}`, status: 200, statusAgain: 200 },
  body: [{ op: 'add', path: '/description', value: describedAs(flag) }],
});

async function attempt(
  { url, token, project }: SteadyWritesParts,
  { what, method, path, body, status, statusAgain }: Step,
  isAgain: boolean,
): Promise<{ readonly isOver: boolean; readonly why: string }> {
  const answer = await fetch(`${url}/api/admin/projects/${project}/features${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: token },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    // The connection failed or broke, or no answer came in time.
    .catch((error: Error & { cause?: { code?: string } }) => ({ status: 0, text: error.cause?.code ?? error.name }));
  if (answer.status === status || (isAgain && answer.status === statusAgain)) return { isOver: true, why: '' };
  if (answer.status === 0) return { isOver: false, why: answer.text };
  if (CURABLE.includes(answer.status)) return { isOver: false, why: `${answer.status}` };
  throw new Error(`${what} is answered with ${answer.status}, which no retry would cure: ${answer.text}`);
}
