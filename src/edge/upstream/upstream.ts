/** The calls to one upstream: Vexil, another edge, Unleash or Unleash Edge. */
import { z } from 'zod';
import { readJson } from '../../model/json.ts';
import { EDGE_HEADER, GOOD_AT_HEADER, goodAtIn, readGoodAt } from '../../wire/client/for-edges.ts';
import {
  type ClientDocument,
  type ClientEvent,
  type Read,
  readDelta,
  readDocument,
} from '../../wire/client/read-document.ts';
import { UpstreamError } from './errors.ts';
import { discard, type Exchange, readText, shownUrl, type UpstreamAnswer } from './exchange.ts';
import { type ReceivedEvent, readEvents } from './read-events.ts';

/** What a token is for, as the upstream says. */
export interface ValidToken {
  readonly token: string;
  readonly type: 'client' | 'frontend';
  readonly environment: string;
  /** Ids; undefined: all. */
  readonly projects: readonly string[] | undefined;
}

/** `document` is undefined if the tag of the caller is still the present one. */
export interface PolledFlags {
  readonly document: ClientDocument | undefined;
  readonly tag: string | undefined;
  readonly goodAt: GoodAt;
}

/** When the flags of an upstream that is an edge were last good, in ms since 1970; undefined for others: they are. */
export type GoodAt = number | undefined;

export type StreamedChange = StreamedContent & { readonly goodAt: GoodAt };

type StreamedContent =
  /** The stream lives. */
  | { readonly type: 'alive' }
  | { readonly type: 'events'; readonly events: readonly ClientEvent[]; readonly id: string }
  /** The upstream asks to poll. */
  | { readonly type: 'poll' };

export interface Upstream {
  /** For logs and metrics. */
  readonly name: string;
  poll(token: string, tag: string | undefined, signal: AbortSignal): Promise<PolledFlags>;
  /** `lastId` is the id of the last event that the caller has. */
  stream(token: string, lastId: string | undefined, signal: AbortSignal): AsyncIterable<StreamedChange>;
  /** Those of the values that are tokens of SDKs. */
  validate(values: readonly string[], signal: AbortSignal): Promise<readonly ValidToken[]>;
  /** Resolves when the upstream has accepted the report. */
  report(token: string, body: string): Promise<void>;
}

interface UpstreamParts {
  readonly url: URL;
  readonly exchange: Pick<Exchange, 'open'>;
  /** The largest answer. */
  readonly limitBytes: number;
  /** What this program says about itself. */
  readonly identity: Readonly<Record<string, string>>;
}

const BODY_WITHIN_MS = 60_000;
/** Upstreams send a comment at least every 30 s. */
const SILENT_MS = 90_000;
/** Without this header, Unleash puts the constraints of segments into each strategy. */
const WITH_SEGMENTS = { 'Unleash-Client-Spec': '6.1.0' };

const validTokens = z.looseObject({
  tokens: z.array(
    z.looseObject({
      token: z.string(),
      type: z.string(),
      environment: z.string().nullish(),
      projects: z.array(z.string()).nullish(),
    }),
  ),
});

export function createUpstream({ url: base, exchange, limitBytes, identity }: UpstreamParts): Upstream {
  const urlOf = (path: string) => new URL(`${base.pathname.replace(/\/+$/, '')}${path}`, base);
  const headersOf = (token: string) => ({ ...identity, ...WITH_SEGMENTS, [EDGE_HEADER]: '1', Authorization: token });
  const textFrom = (answer: UpstreamAnswer, url: URL) =>
    readText(answer, url, { limitBytes, withinMs: BODY_WITHIN_MS });

  return {
    name: shownUrl(base).replace(/\/$/, ''),

    async poll(token, tag, signal) {
      const url = urlOf('/api/client/features');
      const headers = { ...headersOf(token), ...(tag !== undefined && { 'If-None-Match': tag }) };
      const answer = await exchange.open({ method: 'GET', url, headers, signal });
      if (answer.status === 304) {
        discard(answer);
        return { document: undefined, tag, goodAt: goodAtOf(answer) };
      }
      const document = usable(readDocument(jsonIn(await textFrom(answer, url), url)), url);
      return { document, tag: answer.headers.etag, goodAt: goodAtOf(answer) };
    },

    async *stream(token, lastId, signal) {
      const url = urlOf('/api/client/streaming');
      const headers = { ...headersOf(token), ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
      const answer = await exchange.open({ method: 'GET', url, headers, signal });
      if (!answer.headers['content-type']?.startsWith('text/event-stream')) {
        answer.body.destroy();
        throw new UpstreamError('absent', `${shownUrl(url)} answers without a stream`);
      }
      yield* changesIn(answer, url, limitBytes);
    },

    async validate(values, signal) {
      const url = urlOf('/edge/validate');
      const body = JSON.stringify({ tokens: values });
      const answer = await exchange.open({ method: 'POST', url, headers: identity, body, signal });
      const read = validTokens.safeParse(jsonIn(await textFrom(answer, url), url));
      if (!read.success) throw new UpstreamError('unusable', `the answer of ${shownUrl(url)} names no tokens`);
      return read.data.tokens.flatMap(tokenIn).filter(({ token }) => values.includes(token));
    },

    async report(token, body) {
      const url = urlOf('/api/client/metrics/bulk');
      const answer = await exchange.open({ method: 'POST', url, headers: headersOf(token), body });
      discard(answer);
    },
  };
}

/** Unleash writes the environment into the token, and versions up to 6 do not say it again. */
const ENVIRONMENT = /^[^:]*:([^.]+)\./s;

/** Unleash calls client tokens `backend` since version 7. Tokens of other types read no flags. */
function tokenIn(valid: z.output<typeof validTokens>['tokens'][number]): ValidToken[] {
  const { token, type, projects } = valid;
  const environment = valid.environment ?? ENVIRONMENT.exec(token)?.[1];
  const known = type === 'backend' ? 'client' : type;
  if ((known !== 'client' && known !== 'frontend') || !environment || environment === '*') return [];
  const isForAll = !projects || projects.includes('*');
  return [{ token, type: known, environment, projects: isForAll ? undefined : projects.toSorted() }];
}

async function* changesIn(answer: UpstreamAnswer, url: URL, limitBytes: number): AsyncGenerator<StreamedChange> {
  const { body } = answer;
  let goodAt = goodAtOf(answer);
  const onComment = (text: string): void => {
    goodAt = goodAtIn(text) ?? goodAt;
  };
  const silent = setTimeout(() => body.destroy(new Error(`nothing arrived for ${SILENT_MS / 1000} s`)), SILENT_MS);
  try {
    for await (const event of readEvents(body as AsyncIterable<Buffer>, { limitBytes, onComment })) {
      silent.refresh();
      yield { ...changeIn(event, url), goodAt };
    }
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UpstreamError('away', `the stream of ${shownUrl(url)} has ended: ${why}`, { cause: error });
  } finally {
    clearTimeout(silent);
    body.destroy();
  }
}

function goodAtOf({ headers }: UpstreamAnswer): GoodAt {
  return readGoodAt(headers[GOOD_AT_HEADER.toLowerCase()]?.toString());
}

function changeIn(event: ReceivedEvent | undefined, url: URL): StreamedContent {
  if (!event) return { type: 'alive' };
  if (event.name === 'fetch-mode') return { type: 'poll' };
  return { type: 'events', events: usable(readDelta(jsonIn(event.data, url)), url).events, id: event.id };
}

function jsonIn(text: string, url: URL): unknown {
  const json = readJson(text);
  if (json === undefined) throw new UpstreamError('unusable', `the answer of ${shownUrl(url)} is not JSON`);
  return json;
}

function usable<V>(read: Read<V>, url: URL): V {
  if ('problem' in read)
    throw new UpstreamError('unusable', `the answer of ${shownUrl(url)} is wrong: ${read.problem}`);
  return read.value;
}
