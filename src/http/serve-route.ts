/** Serves one endpoint: reads the input, runs the handler, sends the answer. */
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { isAppError } from '../errors.ts';
import { discardBody, type ReadBody } from './body.ts';
import { announceDeprecation } from './deprecation.ts';
import type { Known } from './identity/asks.ts';
import type { Caller } from './identity/caller.ts';
import { requirePermissions } from './identity/require-permissions.ts';
import { Representation, represent } from './representation.ts';
import type { Input, Route, Services } from './route.ts';
import { sendJson } from './send-json.ts';
import { Pieces, sendPieces } from './send-pieces.ts';
import { createTaking, type Taking } from './taking.ts';
import { inBrackets, parse } from './validation.ts';
import { writeQuery } from './wire/query.ts';

const nothing = z.unknown();
const reading = { dryRun: false, force: false };

export interface ServeParts {
  /** What permissions go by. */
  readonly known: Known;
  readonly servicesFor: (caller: Caller, taking: Taking) => Services;
  readonly readBody: ReadBody;
  /** The same of endpoints that take uploads. */
  readonly readUpload: ReadBody;
  /** Of a body that is not read, too. */
  readonly bodyLimitBytes: number;
}

export function serveRoute(route: Route, parts: ServeParts): RequestHandler {
  const { known, servicesFor, bodyLimitBytes } = parts;
  const readBody = route.uploads ? parts.readUpload : parts.readBody;
  const { alsoAsks = () => [] } = route;
  return async (request, response) => {
    response.locals['route'] = route.path;
    if (route.deprecated) announceDeprecation(response);
    const caller: Caller = response.locals['caller'];
    const params = parse(route.params ?? nothing, request.params, 'params');
    await requirePermissions(caller, [route.asks.of(known, params)]);
    const { force, ...rest } = await readInput(route, request, {
      read: () => readBody(request, response, route.anyContentType ?? false),
      discard: () => discardBody(request, route.ignoresBody ? bodyLimitBytes : undefined),
    });
    await requirePermissions(caller, alsoAsks(known, { params, body: rest.body }));
    const taking = createTaking(force);
    const signal = goneSignal(response);
    const handled = route.handle(servicesFor(caller, taking), { ...rest, params, signal });
    const result = await unlessGone(signal, handled);
    if (signal.aborted) return;
    const warning = taking.warning();
    if (warning !== undefined) response.setHeader('Warning', warning);
    await send(result, request, response.status(route.answer));
  };
}

/** Aborts when the connection of the caller is closed before the answer. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

/** What fails because nobody waits for it any more is no failure. */
async function unlessGone(gone: AbortSignal, handled: unknown): Promise<unknown> {
  try {
    return await handled;
  } catch (error) {
    if (gone.aborted && error === gone.reason) return undefined;
    throw error;
  }
}

async function send(result: unknown, request: Request, response: Response): Promise<void> {
  if (result instanceof Pieces) return sendPieces(request, response, result);
  if (result === undefined) {
    response.end();
    return;
  }
  const answer = result instanceof Representation ? result : represent(result);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  sendJson(response, answer, isRead ? request : undefined);
}

interface ArrivingBody {
  readonly read: () => Promise<unknown>;
  readonly discard: () => Promise<void>;
}

async function readInput(
  route: Route,
  request: Request,
  arriving: ArrivingBody,
): Promise<Omit<Input<unknown, unknown, unknown>, 'params' | 'signal'> & { readonly force: boolean }> {
  const query = parse(route.query ?? nothing, request.query, 'query');
  const how = route.method === 'get' ? reading : parse(writeQuery, request.query, 'query');
  const body = route.body && parseBody(route, route.body, await arriving.read());
  if (!route.body && route.method !== 'get') await arriving.discard();
  return { query, body, ...how, ifMatch: request.headers['if-match'] };
}

/** Of an upload people look for the place in their file. */
function parseBody({ uploads }: Route, schema: NonNullable<Route['body']>, input: unknown): unknown {
  try {
    return parse(schema, input, 'body');
  } catch (error) {
    throw uploads && isAppError(error, 'invalid') ? inBrackets(error) : error;
  }
}
