/** Receives the audit log of the API server as a webhook (audit.k8s.io/v1), on a port of its own. */
import { readFile } from 'node:fs/promises';
import { TLSSocket } from 'node:tls';
import express, { type Request, type Response } from 'express';
import { matchesToken, tokenIn } from '../access/authentication/authenticate.ts';
import { createFailedSignIns } from '../access/authentication/failed-sign-ins.ts';
import type { AuditLogReceiverSettings } from '../config/audit-log-settings.ts';
import { Refusal } from '../errors.ts';
import { isRecord } from '../model/json.ts';
import { createLimiter } from '../runtime/limiter.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type AnsweredRequest, createBaseApp } from './server/base-app.ts';
import { readWith } from './server/body/body.ts';
import { maxValuesFor, refuseManyInJson } from './server/body/count-values.ts';
import { goneSignal } from './server/gone-signal.ts';
import { presentedBy } from './server/guard/presented-by.ts';
import { contextOf } from './server/request-context.ts';
import { createListener, type Listener } from './server/socket/listen.ts';
import type { TlsNotice } from './server/socket/tls.ts';

export interface AuditLogReceiverParts {
  readonly settings: AuditLogReceiverSettings;
  /** undefined: all addresses. */
  readonly host: string | undefined;
  /** Stores the events of a batch. */
  readonly take: (events: readonly unknown[]) => Promise<void>;
  readonly observe: (answered: AnsweredRequest) => void;
  readonly logger: Logger;
}

/** The API server cuts batches at 10 MiB with `--audit-webhook-truncate-enabled`. */
const LIMIT_BYTES = 16 * 1024 * 1024;
/** The API server sends up to 400 by default. */
const MAX_EVENTS = 5_000;
const MIN_TOKEN_LENGTH = 32;
/** A batch takes memory while it is read. The API server sends a refused one again. */
const LIMITS = {
  concurrency: 1,
  maxWaiting: 4,
  maxWaitMs: 10_000,
  refusal: { message: 'Other batches of the audit log are being stored. Send this one again.', retryAfterSeconds: 2 },
};

export function createAuditLogReceiver(parts: AuditLogReceiverParts): Listener {
  const { settings, host, take, observe, logger } = parts;
  const limiter = createLimiter(LIMITS);
  const readBody = batchReader();
  const countFailure = createFailedSignIns({ logger, now: () => performance.now() });
  const receive = async (request: Request, response: Response): Promise<void> => {
    Object.assign(contextOf(request), { route: 'audit log', isRoutine: true });
    await authenticate(settings, request, countFailure);
    await limiter.run(goneSignal(response), async () => take(eventsIn(await readBody(request, response))));
    response.json({});
  };
  const answer = createBaseApp({
    ...{ localOnly: false, trustedProxies: 0, logger, observe, errorFor: (thrown) => thrown },
    mount: (app) => void app.post('/', receive),
  });
  const files = { ...settings, settings: 'VEXIL_AUDIT_LOG' };
  return createListener({ host, port: settings.port, answer, tls: { files, observe: tlsReporter(logger) } });
}

/** Throws unless the sender has a certificate of the authority, or the token. Neither is read before. */
async function authenticate(
  { tokenFile }: AuditLogReceiverSettings,
  request: Request,
  countFailure: (from: string | undefined) => void,
): Promise<void> {
  if (request.socket instanceof TLSSocket && request.socket.authorized) return;
  const { authorization } = request.headers;
  if (tokenFile !== undefined && authorization !== undefined) {
    const token = (await readFile(tokenFile, 'utf8').catch(noToken(tokenFile))).trim();
    if (token.length < MIN_TOKEN_LENGTH) throw shortToken(tokenFile);
    if (matchesToken(token)(tokenIn(authorization))) return;
  }
  countFailure(presentedBy(request).from);
  const message = 'This port takes the audit log of the API server, which proves itself with a token or a certificate.';
  throw new Refusal('unauthenticated', message);
}

function noToken(file: string) {
  return ({ code }: NodeJS.ErrnoException): never => {
    throw new Refusal('unavailable', `The file ${file} of VEXIL_AUDIT_LOG_TOKEN_FILE cannot be read (${code})`);
  };
}

function shortToken(file: string): Refusal {
  const why = `has fewer than ${MIN_TOKEN_LENGTH} characters`;
  return new Refusal(
    'unavailable',
    `The token in the file ${file} of VEXIL_AUDIT_LOG_TOKEN_FILE ${why}: make it longer`,
  );
}

/** Specs may be deep, so only the number of values is limited. */
function batchReader() {
  const most = maxValuesFor(LIMIT_BYTES);
  const verify = (_request: unknown, _response: unknown, bytes: Buffer) => refuseManyInJson(bytes, most);
  const read = express.json({ limit: LIMIT_BYTES, type: () => true, verify });
  return (request: Request, response: Response) => readWith(request, response, { read, limitBytes: LIMIT_BYTES });
}

function eventsIn(body: unknown): readonly unknown[] {
  const { kind, apiVersion, items } = isRecord(body) ? body : {};
  if (kind !== 'EventList' || apiVersion !== 'audit.k8s.io/v1' || !Array.isArray(items)) {
    const message = 'The body must be an EventList of audit.k8s.io/v1: set --audit-webhook-version=audit.k8s.io/v1.';
    throw new Refusal('invalid', message);
  }
  if (items.length <= MAX_EVENTS) return items;
  const message = `The body has ${items.length} events, and the limit is ${MAX_EVENTS}: lower --audit-webhook-batch-max-size.`;
  throw new Refusal('too-large', message);
}

function tlsReporter(logger: Logger) {
  return (notice: TlsNotice): void => {
    if (notice.type === 'refused')
      logger.error({ error: notice.error }, 'audit log: new certificate rejected, the previous one is still served');
    else logger.info({ expires: new Date(notice.expiresAt).toISOString() }, 'audit log: certificate loaded');
  };
}
