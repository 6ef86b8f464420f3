/** Serves one endpoint for SDKs: authenticates, reads the input, runs the handler, sends the answer. */
import type { Request, RequestHandler, Response } from 'express';
import type { AuthenticateSdk, SdkCaller } from '../../access/sdk-callers.ts';
import { isRefusal } from '../../errors.ts';
import { knowsSegments } from '../../wire/client/client-spec.ts';
import { parse } from '../../wire/parse-input.ts';
import { discardBody, type ReadBody } from '../server/body.ts';
import { REVALIDATE } from '../server/caching.ts';
import type { Encode } from '../server/encodings.ts';
import { EventStream, sendEventStream } from '../server/event-stream.ts';
import { presentedBy } from '../server/presented-by.ts';
import { keyOfToken, type RateLimit } from '../server/rate-limit.ts';
import { Representation, represent } from '../server/representation.ts';
import { contextOf } from '../server/request-context.ts';
import { isChangingAnswer, sendChanging } from '../server/send-changing.ts';
import { sendJson } from '../server/send-json.ts';
import type { ClientRoute, ClientServices } from './client-route.ts';
import { queryReader } from './query-reader.ts';

export interface ClientServeParts {
  readonly services: ClientServices;
  readonly authenticate: AuthenticateSdk;
  readonly rateLimit: RateLimit;
  readonly readBody: ReadBody;
  readonly encode: Encode;
}

/** The header in which SDKs state their version of the client specification. */
const CLIENT_SPEC = 'Unleash-Client-Spec';
const VARY = `Authorization, Accept-Encoding, ${CLIENT_SPEC}`;
/** What anyone may read. */
const NO_FLAGS: SdkCaller = { environment: '', projects: [], isStillAllowed: () => true };

export function serveClientRoute(route: ClientRoute, parts: ClientServeParts): RequestHandler {
  const readQuery = queryReader(route.query);
  return async (request, response) => {
    const context = contextOf(request);
    context.route = route.path;
    context.isRoutine = true;
    const query = readQuery(request);
    response.setHeader('Cache-Control', REVALIDATE).setHeader('Vary', VARY);
    const inlinesSegments = !knowsSegments(request.get(CLIENT_SPEC));
    const scope = await admit(route, parts, { request, response, asked: query.environment });
    const params = route.params && parse(route.params, request.params, 'params');
    const asked = query.parsed();
    const read = await readBody(route, parts, { request, response });
    response.status(route.answer);
    if (!read.isReadable) {
      response.end();
      return;
    }
    const known = knownBy(request);
    const input = { scope, params, query: asked, known, inlinesSegments, body: read.body };
    const result = await route.handle(parts.services, input);
    if (route.leadsToStreams && wantsStreams(request) && parts.services.streams.isBelowLimit())
      leadToStreams(result, response);
    else await send(result, { request, response }, parts.encode);
  };
}

/** `Last-Event-ID` of a stream, else the tag of a poll. */
function knownBy({ headers }: Request): string | undefined {
  return headers['last-event-id']?.toString() ?? headers['if-none-match']?.replaceAll(/^\s*(W\/)?"|"\s*$/g, '');
}

const FETCH_MODE = 'Fetch-Mode';
const STREAMING = 'streaming';

/** An SDK that was sent back to polling when its replica stopped stays there unless an answer says this. */
function wantsStreams({ headers }: Request): boolean {
  return headers[FETCH_MODE.toLowerCase()] === STREAMING;
}

/** Under a tag that matches no answer: the SDK does not use this one, and would take the next one for unchanged. */
function leadToStreams(result: unknown, response: Response): void {
  response.setHeader(FETCH_MODE, STREAMING);
  response.setHeader('ETag', `"${STREAMING}"`);
  sendJson(response, isChangingAnswer(result) ? result.current() : represent(result), undefined);
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

interface Entry extends Exchange {
  /** The environment of the query. */
  readonly asked: string | undefined;
}

async function admit(
  { caller, isLimited }: ClientRoute,
  { authenticate, rateLimit }: ClientServeParts,
  { asked, ...exchange }: Entry,
): Promise<SdkCaller> {
  const presented = presentedBy(exchange.request);
  try {
    const isSdk = caller === 'sdk';
    const scope = isSdk ? await authenticate(presented, asked) : NO_FLAGS;
    // A header that is not verified must not be a way around the limit.
    const counted = isSdk ? presented : { ...presented, authorization: undefined };
    if (isLimited) await rateLimit.countAdmitted(exchange, () => keyOfToken(counted));
    return scope;
  } catch (error) {
    if (isLimited && isRefusal(error, 'unauthenticated', 'forbidden'))
      await rateLimit.countRefused(exchange, presented);
    throw error;
  }
}

type Read = { readonly isReadable: true; readonly body: unknown } | { readonly isReadable: false };

async function readBody(
  { path, body: schema, isReport }: ClientRoute,
  { services, readBody: read }: ClientServeParts,
  { request, response }: Exchange,
): Promise<Read> {
  if (!schema) return { isReadable: true, body: undefined };
  try {
    return { isReadable: true, body: parse(schema, await read(request, response, true), 'body') };
  } catch (error) {
    if (!isReport || !isRefusal(error)) throw error;
    services.observe.unreadable(path);
    if (!request.readableEnded) await discardBody(request, undefined);
    return { isReadable: false };
  }
}

async function send(result: unknown, { request, response }: Exchange, encode: Encode): Promise<void> {
  if (result === undefined) response.end();
  else if (result instanceof EventStream) sendEventStream(request, response, result);
  else if (isChangingAnswer(result)) await sendChanging({ request, response }, result, encode);
  else sendJson(response, result instanceof Representation ? result : represent(result), request);
}
