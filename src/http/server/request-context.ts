/** What the server knows about a request while serving it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { RequestDeadline } from '../../access/authorization/authorized-writes.ts';
import type { Caller } from '../../access/caller.ts';
import { looksLikeToken } from '../../model/redacted-path.ts';
import type { ErrorMembers } from './answer/errors.ts';

/** A request of Express with its response. */
export interface HttpExchange {
  readonly request: Request;
  readonly response: Response;
}

interface RequestContext {
  readonly requestId: string;
  /** Undefined if the request writes nothing. */
  deadline?: RequestDeadline;
  /** Undefined before authentication. */
  caller?: Caller;
  /** Authenticates the caller again by the same credentials. */
  reauthenticate?: () => Promise<Caller>;
  /** The template of the path; undefined if no endpoint serves the request. */
  route?: string;
  /** Whether SDKs send the request every minute: then it is logged at the level debug. */
  isRoutine?: boolean;
  /** When an answer that ends with its connection began, by `performance.now`. */
  beganAt?: number;
  /** The members that the protocol of the endpoint adds to the body of an error. */
  errorMembers?: ErrorMembers;
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

/** The caller of a request after authentication. */
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

const FORM = /^[\w.:-]{1,128}$/;

/** The id that the caller sent, or a new one. A value that looks like a token is replaced, as the id is logged. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && FORM.test(given) && !looksLikeToken(given) ? given : randomUUID();
}
