/** Serves one endpoint: reads the input, runs the handler, sends the answer. */
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { createForceContext } from '../../access/force-context.ts';
import { requirePermissions } from '../../access/require-permissions.ts';
import type { Known } from '../../access/requirements.ts';
import type { Calling } from '../../actions/services.ts';
import type { Limiter } from '../../runtime/limiter.ts';
import { writeQuery } from '../../wire/admin/query.ts';
import { parse } from '../../wire/parse-input.ts';
import { discardBody, type ReadBody } from '../server/body.ts';
import { goneSignal } from '../server/gone-signal.ts';
import { Representation, represent } from '../server/representation.ts';
import { callerOf, contextOf, deadlineOf } from '../server/request-context.ts';
import { sendJson } from '../server/send-json.ts';
import { StreamedBody, sendStreamedBody } from '../server/send-pieces.ts';
import { announceDeprecation } from './deprecation.ts';
import type { Input, Route, RouteServices } from './route.ts';
import { warningOf } from './warning.ts';

const nothing = z.unknown();
const reading = { dryRun: false, force: false };

export interface ServeParts {
  /** What permissions depend on. */
  readonly known: Known;
  readonly servicesFor: (calling: Calling) => RouteServices;
  readonly readBody: ReadBody;
  /** The same of endpoints that take uploads. */
  readonly readUpload: ReadBody;
  /** What an endpoint that takes uploads does from reading the body on. */
  readonly importLimiter: Limiter;
  /** Of a body that is not read, too. */
  readonly bodyLimitBytes: number;
}

export function serveRoute(route: Route, parts: ServeParts): RequestHandler {
  const { known, importLimiter } = parts;
  const inTurn: Limiter['run'] = route.acceptsUpload ? importLimiter.run : (_signal, task) => task();
  return async (request, response) => {
    const context = contextOf(request);
    context.route = route.path;
    if (route.deprecated) announceDeprecation(response);
    const deadline = deadlineOf(request);
    const caller = callerOf(request);
    const params = parse(route.params ?? nothing, request.params, 'params');
    await requirePermissions(caller, [route.requires.of(known, params)]);
    if (route.acceptsUpload) deadline.allowForUpload();
    const signal = goneSignal(response);
    const handling = { request, response, caller, deadline, params, signal };
    const handled = await unlessGone(
      signal,
      inTurn(signal, () => handle(route, parts, handling)),
    );
    if (handled === undefined || signal.aborted) return;
    if (handled.warning !== undefined) response.setHeader('Warning', handled.warning);
    await send(handled.result, request, response.status(route.answer));
  };
}

interface Handling extends Pick<Calling, 'caller' | 'deadline'> {
  readonly request: Request;
  readonly response: Response;
  readonly params: unknown;
  readonly signal: AbortSignal;
}

interface Handled {
  readonly result: unknown;
  readonly warning: string | undefined;
}

/** Reads the body, asks for what it needs, and runs the handler. */
async function handle(
  { acceptsUpload, anyContentType = false, ignoresBody, requiresFromBody, ...route }: Route,
  { known, servicesFor, readBody, readUpload, bodyLimitBytes }: ServeParts,
  { request, response, caller, deadline, params, signal }: Handling,
): Promise<Handled> {
  const read = acceptsUpload ? readUpload : readBody;
  const { force, ...rest } = await readInput(route, request, {
    read: () => read(request, response, anyContentType),
    discard: () => discardBody(request, ignoresBody ? bodyLimitBytes : undefined),
  });
  if (requiresFromBody) await requirePermissions(caller, requiresFromBody(known, { params, body: rest.body }));
  const forcing = createForceContext(force);
  const result = await route.handle(servicesFor({ caller, force: forcing, deadline }), { ...rest, params, signal });
  return { result, warning: warningOf(forcing) };
}

/** An error after the caller has disconnected is no failure. */
async function unlessGone<T>(gone: AbortSignal, handled: Promise<T>): Promise<T | undefined> {
  try {
    return await handled;
  } catch (error) {
    if (gone.aborted && error === gone.reason) return undefined;
    throw error;
  }
}

async function send(result: unknown, request: Request, response: Response): Promise<void> {
  if (result instanceof StreamedBody) return sendStreamedBody(request, response, result);
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
  const body = route.body && (await readBodyOf(route, route.body, arriving));
  if (!route.body && route.method !== 'get') await arriving.discard();
  return { query, body, ...how, ifMatch: request.headers['if-match'] };
}

/** An upload comes parsed: where it is large, a thread has done so. */
async function readBodyOf({ acceptsUpload }: Route, schema: NonNullable<Route['body']>, { read }: ArrivingBody) {
  const input = await read();
  return acceptsUpload ? input : parse(schema, input, 'body');
}
