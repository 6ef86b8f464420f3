/** GET of a server that may be busy: again after failures that pass, with growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';
import { reasonOfFetch, serverUrl, textOfAnswer } from './answer.ts';

export interface PatientGet {
  readonly token: string;
  /** What the token must be, for a refusal. */
  readonly wantedToken: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts when the person stops the command. */
  readonly ending: AbortSignal;
  /** Called with the length of each body. What it throws ends the call. */
  readonly count?: (characters: number) => void;
  /** Called before a pause of more than a second, with its reason. */
  readonly onPause: (sentence: string) => void;
}

const TIMEOUT_MS = 60_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/** Returns the address without its last slash or the path of an API. Throws a Failure if it is none. */
export function serverAddress(given: string): string {
  const url = serverUrl(given);
  if (!url) {
    const what = URL.parse(given)?.username
      ? 'the address has a user or a token in it'
      : `"${given}" is no address of a server`;
    throw new Failure(`${what}: write it as https://unleash.example.com`, EXIT.usage);
  }
  return `${url.origin}${url.pathname.replace(/\/(api(\/admin)?)?\/*$/, '')}`;
}

/** Resolves with the parsed body; undefined for 404. Throws a Failure. */
export async function getPatiently(url: string, options: PatientGet): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await getOnce(url, options);
    if (!('again' in answer)) return answer.body;
    if (attempt === ATTEMPTS) throw new Failure(`${url}: ${answer.again} (${ATTEMPTS} attempts)`, EXIT.unavailable);
    const pause = Math.min(answer.afterMs ?? FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()), MAX_PAUSE_MS);
    if (pause > 1000) options.onPause(`${answer.again}: the next attempt is in ${Math.ceil(pause / 1000)} s`);
    await sleep(pause, undefined, { signal: options.ending });
  }
}

/** `again`: a failure that may pass, in words. */
type GetAttempt = { readonly body: unknown } | { readonly again: string; readonly afterMs?: number | undefined };

async function getOnce(url: string, { token, headers, wantedToken, ending, count }: PatientGet): Promise<GetAttempt> {
  let response: Response;
  try {
    response = await fetch(url, {
      headers: { ...headers, Accept: 'application/json', Authorization: token, 'User-Agent': 'vexil' },
      // No other address must receive the token.
      redirect: 'manual',
      signal: AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return await answerOf(response, { url, wantedToken, count });
  } catch (error) {
    ending.throwIfAborted();
    if (error instanceof Failure) throw error;
    return { again: reasonOfFetch(error) };
  }
}

interface AnsweredGet {
  readonly url: string;
  readonly wantedToken: string;
  readonly count: PatientGet['count'];
}

async function answerOf(response: Response, { url, wantedToken, count }: AnsweredGet): Promise<GetAttempt> {
  const { status } = response;
  if (status === 404) return { body: await response.body?.cancel() };
  if (status === 429 || status >= 500) {
    await response.body?.cancel();
    return { again: `it answers ${status}`, afterMs: afterMs(response.headers.get('retry-after')) };
  }
  if (!response.ok) throw refused(status, { url, wantedToken });
  const tooLong = (max: number) => new Failure(`${url} answers more than ${max} bytes`, EXIT.unavailable);
  const text = await textOfAnswer(response, tooLong);
  count?.(text.length);
  try {
    return { body: JSON.parse(text) };
  } catch {
    const seen = text.trimStart().startsWith('<') ? 'a web page' : 'no JSON';
    throw new Failure(`${url} answers ${seen}: is it the address of Unleash?`, EXIT.unavailable);
  }
}

function refused(status: number, { url, wantedToken }: Pick<AnsweredGet, 'url' | 'wantedToken'>): Failure {
  if (status === 401 || status === 403)
    return new Failure(`${url} does not accept the token (${status}): it must be ${wantedToken}`, EXIT.noPermission);
  if (status >= 300 && status < 400)
    return new Failure(`${url} leads to another address (${status}): give that one, if it is right`, EXIT.unavailable);
  return new Failure(`${url} answers ${status}: is it the address of Unleash?`, EXIT.unavailable);
}

/** Reads seconds or a time. */
function afterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}
