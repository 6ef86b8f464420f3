/** Refusals of the writes of an import, reported together with the paths of the document. */
import { type ErrorDetail, isClusterError, isKnownError, type KnownError, reworded } from '../errors.ts';
import { detailMessage, detailPath } from '../model/invalid-input.ts';
import type { StateWrite } from './import-state-writes.ts';

export interface RefusedWrite {
  /** Undefined: the error names the part of the document itself. */
  readonly write: Pick<StateWrite, 'what' | 'at'> | undefined;
  readonly error: KnownError;
}

const MAX_DETAILS_SHOWN = 20;

/** Whether an error is transient, rather than a refusal by a rule or by the API server. */
export function isTransient(error: unknown): boolean {
  return (
    !isKnownError(error) || ['unavailable', 'missing-permission', 'internal', 'timeout', 'gone'].includes(error.code)
  );
}

/** Throws one error for all of them, with the code of the first; nothing was written. */
export function throwTogether(refusals: readonly RefusedWrite[]): void {
  const [first] = refusals;
  if (!first) return;
  const details = refusals.flatMap(detailsOf);
  const shown = details.slice(0, MAX_DETAILS_SHOWN);
  const more = details.length > MAX_DETAILS_SHOWN ? ` And ${details.length - MAX_DETAILS_SHOWN} more.` : '';
  const messages = shown.map(detailMessage).join(' ');
  throw reworded(first.error, `Nothing was imported. ${messages}${more}`, shown);
}

export function detailsOf({ write, error }: RefusedWrite): readonly ErrorDetail[] {
  if (!write) return error.details.length > 0 ? error.details : [{ message: error.message }];
  const { what, at } = write;
  const about = (message: string): ErrorDetail => (at ? { part: 'document', keys: at, message } : { message });
  if (!isClusterError(error) || error.details.length === 0) return [about(`${what}: ${error.message}`)];
  return error.details.map((detail) =>
    about(`${what} would not be valid: ${detailPath(detail) ?? 'spec'}: ${detailMessage(detail)}.`),
  );
}
