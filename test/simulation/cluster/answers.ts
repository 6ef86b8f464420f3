/** The answers of the API server: objects, and Status for errors. */
import type { KubeObject } from './etcd.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });

/** An error of the API server. */
export class StatusError extends Error {
  readonly answer: Answer;

  constructor(said: Said) {
    super(said.message);
    this.answer = { status: said.status, body: statusOf(said) };
  }
}

interface Cause {
  readonly reason: string;
  readonly message: string;
}

interface Said {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: { readonly causes?: readonly Cause[]; readonly retryAfterSeconds?: number } | undefined;
}

export function statusOf({ status, reason, message, details }: Said): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code: status,
  };
}

export const notFound = (resource: string, name: string) =>
  new StatusError({ status: 404, reason: 'NotFound', message: `${resource} "${name}" not found` });

export const alreadyExists = (resource: string, name: string) =>
  new StatusError({ status: 409, reason: 'AlreadyExists', message: `${resource} "${name}" already exists` });

export function conflict(resource: string, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  const message = `Operation cannot be fulfilled on ${resource} "${name}": ${why}`;
  return new StatusError({ status: 409, reason: 'Conflict', message });
}

/** A patch that does not apply. */
export function inapplicable(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ status: 422, reason: 'Invalid', message });
}

/** Versions that the server has dropped. */
export function expired(version: number, oldest: number): StatusError {
  const message = `too old resource version: ${version} (${oldest})`;
  return new StatusError({ status: 410, reason: 'Expired', message });
}

/** Versions that the server has not reached. */
export function tooLarge(version: number, present: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return new StatusError({
    ...{ status: 504, reason: 'Timeout', details: { causes, retryAfterSeconds: 1 } },
    message: `Too large resource version: ${version}, current: ${present}`,
  });
}

export function deleted({ metadata: { name, uid } }: KubeObject, kind: string): Answer {
  return ok({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name, uid, kind } });
}
