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

  constructor(status: number, reason: string, message: string, causes?: readonly Cause[]) {
    super(message);
    this.answer = { status, body: statusOf({ status, reason, message, causes }) };
  }
}

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

interface Said {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly causes?: readonly Cause[] | undefined;
}

export function statusOf({ status, reason, message, causes }: Said): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(causes && { details: { causes } }),
    code: status,
  };
}

export const notFound = (resource: string, name: string) =>
  new StatusError(404, 'NotFound', `${resource} "${name}" not found`);

export const alreadyExists = (resource: string, name: string) =>
  new StatusError(409, 'AlreadyExists', `${resource} "${name}" already exists`);

export const conflict = (resource: string, name: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  );

/** Versions that the server has dropped. */
export function expired(version: number, oldest: number): StatusError {
  return new StatusError(410, 'Expired', `too old resource version: ${version} (${oldest})`);
}

/** Versions that the server has not reached. */
export function tooLarge(version: number, present: number): StatusError {
  const message = `Too large resource version: ${version}, current: ${present}`;
  return new StatusError(504, 'Timeout', message, [
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ]);
}

export function deleted({ metadata: { name, uid } }: KubeObject, kind: string): Answer {
  return ok({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name, uid, kind } });
}
