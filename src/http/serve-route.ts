/** Serves one endpoint: reads the input, runs the handler, sends the answer. */
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { discardBody, type ReadBody } from './body.ts';
import type { Caller } from './identity/caller.ts';
import { requirePermissions } from './identity/require-permissions.ts';
import { Representation, represent } from './representation.ts';
import type { Input, Route, Services } from './route.ts';
import { sendJson } from './send-json.ts';
import { Lines, sendLines } from './send-lines.ts';
import { parse } from './validation.ts';
import { writeQuery } from './wire/query.ts';

const nothing = z.unknown();

export interface ServeParts {
  readonly servicesFor: (caller: Caller) => Services;
  readonly readBody: ReadBody;
  /** Of a body that is not read, too. */
  readonly bodyLimitBytes: number;
}

export function serveRoute(route: Route, { servicesFor, readBody, bodyLimitBytes }: ServeParts): RequestHandler {
  const { alsoAsks = () => [] } = route;
  return async (request, response) => {
    response.locals['route'] = route.path;
    const services = servicesFor(response.locals['caller']);
    const params = parse(route.params ?? nothing, request.params, 'params');
    await requirePermissions(services.caller, [route.asks.of(services, params)]);
    const rest = await readInput(route, request, {
      read: () => readBody(request, response, route.anyContentType ?? false),
      discard: () => discardBody(request, route.ignoresBody ? bodyLimitBytes : undefined),
    });
    await requirePermissions(services.caller, alsoAsks(services, { params, body: rest.body }));
    const result = await route.handle(services, { ...rest, params });
    await send(result, request, response.status(route.answer));
  };
}

async function send(result: unknown, request: Request, response: Response): Promise<void> {
  if (result instanceof Lines) return sendLines(request, response, result);
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
): Promise<Omit<Input<unknown, unknown, unknown>, 'params'>> {
  const query = parse(route.query ?? nothing, request.query, 'query');
  const dryRun = route.method !== 'get' && parse(writeQuery, request.query, 'query').dryRun;
  const body = route.body && parse(route.body, await arriving.read(), 'body');
  if (!route.body && route.method !== 'get') await arriving.discard();
  return { query, body, dryRun, ifMatch: request.headers['if-match'] };
}
