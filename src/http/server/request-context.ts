/** What the server knows of a request while it serves it. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../access/caller.ts';
import type { RequestDeadline } from '../../access/request-deadline.ts';
import type { ErrorMembers } from './errors.ts';

interface RequestContext {
  readonly requestId: string;
  /** Undefined: the request writes nothing. */
  deadline?: RequestDeadline;
  /** Undefined: not authenticated yet. */
  caller?: Caller;
  /** The caller by the same credentials, later. */
  reauthenticate?: () => Promise<Caller>;
  /** The template of the path; undefined: no endpoint serves the request. */
  route?: string;
  /** SDKs send it every minute: it is logged at the level debug. */
  isRoutine?: boolean;
  /** When an answer began that ends with its connection, by `performance.now`. */
  beganAt?: number;
  /** What the protocol of the endpoint has in the body of an error, beside what every error has. */
  errorMembers?: ErrorMembers;
  /** The key that the rate limiter counts the request under. */
  rateLimitKey?: string;
  /** The methods of all endpoints at the path of an OPTIONS request. */
  allowedMethods?: readonly string[];
}

/** A member of the request: a WeakMap with a key for each request makes garbage collection slower. */
const CONTEXT = Symbol('context');

declare module 'node:http' {
  interface IncomingMessage {
    [CONTEXT]?: RequestContext;
  }
}

export function openContext(request: IncomingMessage, context: RequestContext): void {
  request[CONTEXT] = context;
}

/** The context of a request that was opened before. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = request[CONTEXT];
  if (!context) throw new Error('the request has no context');
  return context;
}

/** The caller of a request that is past authentication. */
export function callerOf(request: IncomingMessage): Caller {
  const { caller } = contextOf(request);
  if (!caller) throw new Error('the request has no caller');
  return caller;
}

/** The deadline of a request to the admin API. */
export function deadlineOf(request: IncomingMessage): RequestDeadline {
  const { deadline } = contextOf(request);
  if (!deadline) throw new Error('the request has no deadline');
  return deadline;
}
