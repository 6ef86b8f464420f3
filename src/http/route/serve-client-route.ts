/** Serves one endpoint for SDKs: authenticates, reads the input, runs the handler, sends the answer. */
import type { Request, RequestHandler, Response } from 'express';
import type { Presented } from '../../access/authenticate.ts';
import type { AuthenticateSdk, SdkScope } from '../../access/sdk-callers.ts';
import { isRefusal } from '../../errors.ts';
import { ofrepMembersFor } from '../../wire/ofrep/error.ts';
import { parse } from '../../wire/parse-input.ts';
import { discardBody, type ReadBody } from '../server/body.ts';
import { REVALIDATE } from '../server/caching.ts';
import type { CrossOrigin } from '../server/cross-origin.ts';
import type { Encode } from '../server/encodings.ts';
import { presentedBy } from '../server/presented-by.ts';
import { addressKey, keyOfPublicToken, keyOfToken, type RateLimit } from '../server/rate-limit.ts';
import { Representation, represent } from '../server/representation.ts';
import { contextOf } from '../server/request-context.ts';
import { isChangingAnswer, sendChanging } from '../server/send-changing.ts';
import { sendJson } from '../server/send-json.ts';
import { type ClientRoute, type ClientServices, isPublic, tokenTypesFor } from './client-route.ts';
import { queryReader } from './query-reader.ts';

export interface ClientServeParts {
  readonly services: ClientServices;
  readonly authenticate: AuthenticateSdk;
  readonly rateLimit: RateLimit;
  readonly readBody: ReadBody;
  readonly readContext: ReadBody;
  readonly crossOrigin: CrossOrigin;
  readonly encode: Encode;
}

/** What anyone may read. */
const NO_FLAGS: SdkScope = { environment: '', projects: [] };

export function serveClientRoute(route: ClientRoute, parts: ClientServeParts): RequestHandler {
  const readQuery = queryReader(route.query);
  return async (request, response) => {
    const context = contextOf(request);
    context.route = route.path;
    context.isRoutine = true;
    const query = readQuery(request);
    response.setHeader('Cache-Control', REVALIDATE).setHeader('Vary', VARY[route.caller]);
    if (isPublic(route)) parts.crossOrigin.allow(request, response);
    if (route.caller === 'provider') context.errorMembers = ofrepMembersFor(keyIn(request));
    const presented = credentialsOf(route, request);
    const scope = await admit(route, parts, { request, response, presented, asked: query.environment });
    const params = route.params && parse(route.params, request.params, 'params');
    const asked = query.parsed();
    const read = await readBody(route, parts, { request, response });
    response.status(route.answer);
    if (!read.isReadable) response.end();
    else
      await send(
        await route.handle(parts.services, {
          scope,
          from: () => presented.from,
          params,
          query: asked,
          body: read.body,
        }),
        { request, response },
        parts.encode,
      );
  };
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

const VARY: Readonly<Record<ClientRoute['caller'], string>> = {
  sdk: 'Authorization, Accept-Encoding',
  anyone: 'Authorization, Accept-Encoding',
  browser: 'Authorization',
  provider: 'Authorization, X-API-Key',
};

/** The name of the flag in the path. */
function keyIn({ params }: Request): string | undefined {
  return typeof params['key'] === 'string' ? params['key'] : undefined;
}

/** OFREP lets a provider send its token in a header of its own. */
function credentialsOf({ caller }: ClientRoute, request: Request): Presented {
  const presented = presentedBy(request);
  const { 'x-api-key': apiKey } = request.headers;
  const isKey = caller === 'provider' && presented.authorization === undefined && apiKey !== undefined;
  return isKey ? { ...presented, authorization: `${apiKey}` } : presented;
}

interface Admission extends Exchange {
  readonly presented: Presented;
  /** The environment of the query. */
  readonly asked: string | undefined;
}

async function admit(
  { caller, isLimited }: ClientRoute,
  { authenticate, rateLimit }: ClientServeParts,
  { presented, asked, ...exchange }: Admission,
): Promise<SdkScope> {
  try {
    if (caller === 'anyone') {
      // A header that nobody checks must not be a way around the limit.
      if (isLimited) await rateLimit.countAdmitted(exchange, () => addressKey(presented.from));
      return NO_FLAGS;
    }
    const { type, ...scope } = await authenticate(presented, { types: tokenTypesFor[caller], environment: asked });
    const keyOf = type === 'frontend' ? keyOfPublicToken : keyOfToken;
    if (isLimited) await rateLimit.countAdmitted(exchange, () => keyOf(presented));
    return scope;
  } catch (error) {
    if (isLimited && isRefusal(error, 'unauthenticated', 'forbidden'))
      await rateLimit.countRefused(exchange, presented);
    throw error;
  }
}

type Read = { readonly isReadable: true; readonly body: unknown } | { readonly isReadable: false };

async function readBody(
  { path, body: schema, isReport, isContext }: ClientRoute,
  { services, readBody, readContext }: ClientServeParts,
  { request, response }: Exchange,
): Promise<Read> {
  if (!schema) return { isReadable: true, body: undefined };
  const read = isContext ? readContext : readBody;
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
  else if (isChangingAnswer(result)) await sendChanging({ request, response }, result, encode);
  else sendJson(response, result instanceof Representation ? result : represent(result), request);
}
