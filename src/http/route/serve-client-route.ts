/** Serves one endpoint for SDKs: authenticates, reads the input, runs the handler, sends the answer. */
import type { Request, RequestHandler, Response } from 'express';
import type { Presented } from '../../access/authentication/authenticate.ts';
import type { AuthenticateSdk, SdkCaller } from '../../access/authentication/sdk-callers.ts';
import { isRefusal } from '../../errors.ts';
import { knowsSegments } from '../../wire/client/client-spec.ts';
import { EDGE_HEADER } from '../../wire/client/for-edges.ts';
import type { SdkHeaders } from '../../wire/client/reported-usage.ts';
import { ofrepMembersFor } from '../../wire/ofrep/error.ts';
import { parse } from '../../wire/parse-input.ts';
import { REVALIDATE } from '../server/answer/caching.ts';
import type { Encode } from '../server/answer/encodings.ts';
import { EventStream, sendEventStream } from '../server/answer/event-stream.ts';
import { JsonText, Representation, represent } from '../server/answer/representation.ts';
import { isChangingAnswer, sendChanging } from '../server/answer/send-encoded.ts';
import { sendJson } from '../server/answer/send-json.ts';
import { discardBody, type ReadBody } from '../server/body/body.ts';
import { turnsUntilGone } from '../server/gone-signal.ts';
import type { CrossOrigin } from '../server/guard/cross-origin.ts';
import { presentedBy } from '../server/guard/presented-by.ts';
import { addressKey, keyOfSdk, type RateLimit } from '../server/guard/rate-limit.ts';
import { contextOf, type HttpExchange } from '../server/request-context.ts';
import {
  type ClientRoute,
  type ClientServices,
  type EndpointKind,
  endpointKindOf,
  isPublic,
  tokenTypesFor,
} from './client-route.ts';
import { queryReader, type ReadQuery } from './query-reader.ts';

export interface ClientServeParts {
  readonly services: ClientServices;
  readonly authenticate: AuthenticateSdk;
  readonly rateLimit: RateLimit;
  readonly readBody: ReadBody;
  readonly readContext: ReadBody;
  readonly crossOrigin: CrossOrigin;
  readonly encode: Encode;
}

/** The header in which SDKs state their version of the client specification. */
const CLIENT_SPEC = 'Unleash-Client-Spec';
/** The scope of anyone without a token. */
const NO_FLAGS: SdkCaller = {
  type: 'client',
  environment: '',
  projects: [],
  sha256: undefined,
  streamKey: () => '',
  isStillAllowed: () => true,
};

export function serveClientRoute(route: ClientRoute, parts: ClientServeParts): RequestHandler {
  const readQuery = queryReader(route.query);
  const kind = endpointKindOf(route);
  return async (request, response) => {
    const context = contextOf(request);
    context.route = route.path;
    context.isRoutine = true;
    const query = readQuery(request);
    response.setHeader('Cache-Control', REVALIDATE).setHeader('Vary', VARY[route.caller]);
    if (isPublic(route)) parts.crossOrigin.allow(request, response);
    if (route.caller === 'provider') context.errorMembers = ofrepMembersFor(keyIn(request));
    const presented = credentialsOf(route, request);
    const scope = await admit(route, parts, { response, presented, query });
    countAsked(parts.services, scope, kind);
    const params = route.params && parse(route.params, request.params, 'params');
    const asked = query.parsed();
    const read = await readBody(route, parts, { request, response });
    response.status(route.answer);
    if (!read) {
      response.end();
      return;
    }
    const inlinesSegments = !knowsSegments(request.get(CLIENT_SPEC));
    const requester = {
      scope,
      from: () => presented.from,
      headers: sdkHeadersOf(request),
      countRefused: (tokens: number) => parts.rateLimit.countRefused(response, presented, tokens),
      turn: turnsUntilGone(response),
      known: knownBy(request),
      inlinesSegments,
      isForEdge: request.get(EDGE_HEADER) !== undefined,
    };
    const result = await route.handle(parts.services, { ...requester, params, query: asked, body: read.body });
    const { streams } = parts.services;
    if (isLedToStreams(route, request, () => streams.isBelowLimit('changes', scope.sha256)))
      leadToStreams(result, response);
    else await send(result, { request, response }, parts.encode);
  };
}

function countAsked({ observe }: ClientServices, { environment }: SdkCaller, kind: EndpointKind | undefined): void {
  if (kind !== undefined) observe.asked(environment, kind);
}

/** Browsers send these headers with a prefix. */
function sdkHeadersOf(request: Request): SdkHeaders {
  const header = (name: string) => request.get(`Unleash-${name}`) ?? request.get(`X-Unleash-${name}`);
  return {
    ...{ appName: header('AppName'), instanceId: header('InstanceId') },
    ...{ sdkVersion: header('Sdk'), connectionId: header('Connection-Id') },
  };
}

/** The `Last-Event-ID` of a stream, otherwise the tag of a poll. */
function knownBy({ headers }: Request): string | undefined {
  return headers['last-event-id']?.toString() ?? headers['if-none-match']?.replaceAll(/^\s*(W\/)?"|"\s*$/g, '');
}

const FETCH_MODE = 'Fetch-Mode';
const STREAMING = 'streaming';

/**
 * An SDK that was sent back to polling when its replica stopped keeps polling unless an answer contains this header.
 */
function isLedToStreams({ leadsToStreams }: ClientRoute, { headers }: Request, isBelowLimit: () => boolean): boolean {
  return leadsToStreams === true && headers[FETCH_MODE.toLowerCase()] === STREAMING && isBelowLimit();
}

/** Uses a tag that matches no answer: the SDK does not use this answer, and would take the next one for unchanged. */
function leadToStreams(result: unknown, response: Response): void {
  response.setHeader(FETCH_MODE, STREAMING);
  response.setHeader('ETag', `"${STREAMING}"`);
  sendJson(response, isChangingAnswer(result) ? result.current() : represent(result), undefined);
}

const VARY: Readonly<Record<ClientRoute['caller'], string>> = {
  sdk: `Authorization, Accept-Encoding, ${CLIENT_SPEC}, ${EDGE_HEADER}`,
  anyone: 'Authorization, Accept-Encoding',
  browser: 'Authorization',
  provider: 'Authorization, X-API-Key',
  address: 'Last-Event-ID',
};

/** The name of the flag in the path. */
function keyIn({ params }: Request): string | undefined {
  return typeof params['key'] === 'string' ? params['key'] : undefined;
}

/** OFREP lets a provider send its token in a separate header. */
function credentialsOf({ caller }: ClientRoute, request: Request): Presented {
  const presented = presentedBy(request);
  const { 'x-api-key': apiKey } = request.headers;
  const isKey = caller === 'provider' && presented.authorization === undefined && apiKey !== undefined;
  return isKey ? { ...presented, authorization: `${apiKey}` } : presented;
}

interface ClientAdmission extends Pick<HttpExchange, 'response'> {
  readonly presented: Presented;
  readonly query: ReadQuery;
}

async function admit(
  { caller, isLimited }: ClientRoute,
  { authenticate, rateLimit }: ClientServeParts,
  { response, presented, query }: ClientAdmission,
): Promise<SdkCaller> {
  try {
    if (caller === 'anyone') {
      // A header that is not verified must not allow a caller to bypass the limit.
      if (isLimited) rateLimit.countAdmitted(response, () => addressKey(presented.from));
      return NO_FLAGS;
    }
    const types = tokenTypesFor[caller];
    const scope =
      caller === 'address'
        ? await authenticate.byStreamKey(query.key ?? '')
        : await authenticate.byToken(presented, { types, environment: query.environment });
    if (isLimited) rateLimit.countAdmitted(response, () => keyOfSdk(presented, scope));
    return scope;
  } catch (error) {
    if (isRefusal(error, 'unauthenticated', 'forbidden', 'doubtful-token')) rateLimit.countRefused(response, presented);
    throw error;
  }
}

/** Undefined: a report that cannot be read. */
async function readBody(
  { path, body: schema, isReport, isContext }: ClientRoute,
  { services, readBody, readContext }: ClientServeParts,
  { request, response }: HttpExchange,
): Promise<{ readonly body: unknown } | undefined> {
  if (!schema) return { body: undefined };
  const read = isContext ? readContext : readBody;
  try {
    return { body: parse(schema, await read(request, response, true), 'body') };
  } catch (error) {
    if (!isReport || !isRefusal(error)) throw error;
    services.observe.unreadable(path);
    if (!request.readableEnded) await discardBody(request, undefined);
    return undefined;
  }
}

async function send(result: unknown, { request, response }: HttpExchange, encode: Encode): Promise<void> {
  if (result === undefined) response.end();
  else if (result instanceof EventStream) await sendEventStream(request, response, result);
  else if (isChangingAnswer(result)) await sendChanging({ request, response }, result, encode);
  else {
    const isMade = result instanceof Representation || result instanceof JsonText;
    sendJson(response, isMade ? result : represent(result), request);
  }
}
