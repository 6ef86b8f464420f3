/** Serves one endpoint: reads the input, runs the handler, sends the answer. */
import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import { createForceContext } from '../../access/authorization/force-context.ts';
import { requirePermissions } from '../../access/authorization/require-permissions.ts';
import { type Known, toSearchUsers } from '../../access/authorization/requirements.ts';
import { createAnswerNotes } from '../../actions/answer-notes.ts';
import type { Calling } from '../../actions/services.ts';
import type { Limiter } from '../../runtime/limiter.ts';
import { inTurn, type Turn } from '../../runtime/turns.ts';
import { askingQuery, writeQuery } from '../../wire/admin/query.ts';
import { parse } from '../../wire/parse-input.ts';
import { varyBy } from '../server/answer/caching.ts';
import { CSV_TYPE } from '../server/answer/csv.ts';
import { type Encode, isShared } from '../server/answer/encodings.ts';
import { EventStream, sendEventStream } from '../server/answer/event-stream.ts';
import { answerInTurns } from '../server/answer/json-pieces.ts';
import { MANIFEST_TYPE, Representation } from '../server/answer/representation.ts';
import { sendShared } from '../server/answer/send-encoded.ts';
import { sendJson } from '../server/answer/send-json.ts';
import { LINES_TYPE, StreamedBody, sendStreamedBody } from '../server/answer/send-pieces.ts';
import { TextInTurns } from '../server/answer/text-in-turns.ts';
import { discardBody, type ReadBody } from '../server/body/body.ts';
import { goneSignal, turnsUntilGone } from '../server/gone-signal.ts';
import { callerOf, contextOf, deadlineOf, type HttpExchange } from '../server/request-context.ts';
import { isRead } from '../server/request-deadline.ts';
import { orAskForChange } from './or-ask-for-change.ts';
import { servicesAt } from './past-services.ts';
import {
  askedStatus,
  asksForChange,
  type Input,
  previewStatus,
  previewsObject,
  type Route,
  type RouteServices,
  showsMembers,
} from './route.ts';
import { warningOf } from './warning.ts';
import { asksPreview, createWrittenObjects, MANIFEST_ETAG, NOTHING_WRITTEN } from './written-objects.ts';

/** Offered beside JSON; a query decides on other types. */
const NEGOTIATED: readonly string[] = [MANIFEST_TYPE, CSV_TYPE, LINES_TYPE];
const reading = { dryRun: false, force: false, changeRequest: false };

export interface ServeParts {
  /** The instance state that permissions depend on. */
  readonly known: Known;
  readonly servicesFor: (calling: Calling) => RouteServices;
  readonly readBody: ReadBody;
  /** Reads the body of endpoints that take uploads. */
  readonly readUpload: ReadBody;
  /** Limits endpoints that take uploads, from reading the body on. */
  readonly importLimiter: Limiter;
  /** Limits requests for a past time, until their answers are sent. */
  readonly pastLimiter: Limiter;
  /** The limit also applies to a body that is ignored. */
  readonly bodyLimitBytes: number;
  readonly encode: Encode;
}

export function serveRoute(route: Route, parts: ServeParts): RequestHandler {
  const { known, importLimiter } = parts;
  return async (request, response) => {
    const context = contextOf(request);
    context.route = route.path;
    announce(route, response);
    const deadline = deadlineOf(request);
    const caller = callerOf(request);
    const params = route.params ? parse(route.params, request.params, 'params') : request.params;
    await requirePermissions(caller, [route.requires.of(known, params)]);
    if (route.acceptsUpload) deadline.allowForUpload();
    const turn = turnsUntilGone(response);
    const handling = { request, response, caller, deadline, params, turn };
    const answer = async () => {
      const handled = await handle(route, parts, handling);
      try {
        if (!response.destroyed) await sendHandled(handled);
      } finally {
        if (handled.result instanceof StreamedBody) await handled.result.ended;
      }
    };
    const sendHandled = async ({ result, headers, status }: Handled) => {
      for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
      await send(result, { request, response: response.status(status), turn }, parts.encode);
    };
    await (route.acceptsUpload ? importLimiter.run(goneSignal(response), answer) : answer());
  };
}

function announce(route: Route, response: Response): void {
  if (route.deprecated) announceDeprecation(response);
  if (route.texts?.some((type) => NEGOTIATED.includes(type)) || previewsObject(route)) varyBy(response, 'Accept');
}

interface Handling extends HttpExchange, Pick<Calling, 'caller' | 'deadline'> {
  readonly params: unknown;
  /** The request keeps its place among all others until its answer is sent. */
  readonly turn: Turn;
}

interface Handled {
  readonly result: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly status: number;
}

/** Reads the body, checks the required access, and runs the handler. */
async function handle(
  route: Route,
  { known, servicesFor, readBody, readUpload, bodyLimitBytes, pastLimiter }: ServeParts,
  { request, response, caller, deadline, params, turn }: Handling,
): Promise<Handled> {
  const { acceptsUpload, anyContentType = false, ignoresBody, alsoRequires = [], requiresFromBody } = route;
  const read = acceptsUpload ? readUpload : readBody;
  const {
    force,
    reason: said,
    changeRequest,
    ...rest
  } = await readInput(route, request, {
    read: () => read(request, response, anyContentType),
    discard: () => discardBody(request, ignoresBody ? bodyLimitBytes : undefined),
  });
  await requirePermissions(caller, [
    ...alsoRequires.map((one) => one.of(known, params)),
    ...(requiresFromBody?.(known, { params, body: rest.body }) ?? []),
    ...(asksPreview(route, rest) && showsMembers(route) ? [toSearchUsers.of(known, params)] : []),
  ]);
  const reason = route.reason?.({ ...rest, params }, said) ?? said;
  const forcing = createForceContext(force);
  const notes = createAnswerNotes();
  const written = route.method === 'get' ? NOTHING_WRITTEN : createWrittenObjects(route, rest);
  const services = servicesFor({ caller, force: forcing, reason, notes, deadline, noteWritten: written.note });
  const reauthenticate = contextOf(request).reauthenticate ?? (async () => caller);
  const input = {
    ...rest,
    params,
    reauthenticate,
    turn,
    enter: () => untilClosed(pastLimiter, response),
    // Made only when a handler waits for something: most do not.
    get signal() {
      return goneSignal(response);
    },
  };
  const asking = { isAsked: changeRequest, reason, dryRun: rest.dryRun };
  const then = await servicesAt(route, services, input);
  // Many callers at once, whose answers take some ms each, do not delay others.
  const run = () => inTurn(turn, async () => route.handle(then, input));
  const handled = await orAskForChange(services, asking, run);
  if ('asked' in handled) return { result: handled.asked, headers: {}, status: askedStatus(route) };
  const preview = written.preview();
  return {
    result: preview ?? handled.result,
    headers: { Warning: warningOf(forcing, notes), [MANIFEST_ETAG]: written.manifestTag() },
    status: preview ? previewStatus(route) : route.answer,
  };
}

/** A caller that reads its answer slowly keeps the state, and the place of others. */
const MAX_PAST_MS = 60_000;

/** Resolves when there is a place, which is free again once the answer is sent or the caller has disconnected. */
function untilClosed(limiter: Limiter, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const hold = async () => {
      resolve();
      const late = setTimeout(() => response.destroy(), MAX_PAST_MS);
      if (!response.closed) await once(response, 'close');
      clearTimeout(late);
    };
    limiter.run(goneSignal(response), hold).catch(reject);
  });
}

async function send(
  result: unknown,
  { request, response, turn }: Pick<Handling, 'request' | 'response' | 'turn'>,
  encode: Encode,
): Promise<void> {
  if (result instanceof EventStream) return sendEventStream(request, response, result);
  if (result === undefined) {
    response.end();
    return;
  }
  const answer = await answerOf(result, turn);
  if (answer instanceof StreamedBody) return sendStreamedBody(request, response, answer);
  const isReading = isRead(request);
  if (isReading && isShared(answer)) return sendShared({ request, response }, answer, encode);
  sendJson(response, answer, isReading ? request : undefined);
}

async function answerOf(result: unknown, turn: Turn): Promise<Representation | StreamedBody> {
  if (result instanceof Representation || result instanceof StreamedBody) return result;
  return result instanceof TextInTurns ? result.represent(turn) : answerInTurns(result, turn);
}

interface ArrivingBody {
  readonly read: () => Promise<unknown>;
  readonly discard: () => Promise<void>;
}

async function readInput(
  route: Route,
  request: Request,
  arriving: ArrivingBody,
): Promise<
  Omit<Input<unknown, unknown, unknown>, 'params' | 'signal' | 'turn' | 'reauthenticate'> & {
    readonly force: boolean;
    readonly changeRequest: boolean;
    readonly reason?: string | undefined;
  }
> {
  const isOfferedAndPreferred = (type: typeof CSV_TYPE | typeof LINES_TYPE) =>
    route.texts?.includes(type) === true && prefers(request, type);
  const query = route.query && parse(route.query, request.query, 'query');
  const how = route.method === 'get' ? reading : parse(writeQuery, request.query, 'query');
  const { changeRequest } = asksForChange(route) ? parse(askingQuery, request.query, 'query') : reading;
  const body = route.body && (await readBodyOf(route, route.body, arriving));
  if (!route.body && route.method !== 'get') await arriving.discard();
  const { 'if-match': ifMatch, 'last-event-id': lastEventId } = request.headers;
  return {
    ...how,
    ...{ query, body, changeRequest, ifMatch },
    wantsManifest: prefers(request, MANIFEST_TYPE),
    prefersCsv: isOfferedAndPreferred(CSV_TYPE),
    prefersLines: isOfferedAndPreferred(LINES_TYPE),
    lastEventId: lastEventId?.toString(),
  };
}

/** An upload is parsed already: a thread has done so if it is large. */
async function readBodyOf({ acceptsUpload }: Route, schema: NonNullable<Route['body']>, { read }: ArrivingBody) {
  const input = await read();
  return acceptsUpload ? input : parse(schema, input, 'body');
}

/** The state API was deprecated before Vexil had it, so its endpoints are deprecated from their first day. */
const SINCE = Date.UTC(2026, 10, 21) / 1000;

/** Relative, so that the link works behind a path prefix. */
const DOCS = '../../../docs';

function announceDeprecation(response: Response): void {
  response.setHeader('Deprecation', `@${SINCE}`);
  response.setHeader('Link', `<${DOCS}>; rel="deprecation"; type="text/html"`);
}

const JSON_TYPE = 'application/json';
/** The Accept headers of most clients. None of them prefers another type. */
const WITHOUT_PREFERENCE = [undefined, JSON_TYPE, '*/*', 'application/json, text/plain, */*'];

/** Whether the caller prefers another type of content to JSON (RFC 9110 §12.5.1). */
function prefers(request: Request, type: string): boolean {
  return !WITHOUT_PREFERENCE.includes(request.headers.accept) && request.accepts([JSON_TYPE, type]) === type;
}
