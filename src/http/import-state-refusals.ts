/** What the writes of an import were refused for, told together and in the words of the document. */
import { AppError, type ErrorDetail, isAppError } from '../errors.ts';
import { refusalOf } from '../kube/errors.ts';
import type { StateWrite } from './import-state-writes.ts';

export interface Refusal {
  /** Undefined: the error itself tells of what. */
  readonly write: Pick<StateWrite, 'what' | 'path'> | undefined;
  readonly error: AppError;
}

const MOST_TOLD = 20;

/** Not of what the API server or a rule says, but of how the world is at the moment. */
export function isPassing(error: unknown): boolean {
  return !isAppError(error) || ['unavailable', 'internal', 'timeout', 'gone'].includes(error.code);
}

/** One error for all of them, of the kind of the first; nothing was written. */
export function refusalsTogether(refusals: readonly Refusal[]): AppError {
  const details = refusals.flatMap(detailsOf);
  const shown = details.slice(0, MOST_TOLD);
  const more = details.length > MOST_TOLD ? ` And ${details.length - MOST_TOLD} more.` : '';
  const [first] = refusals;
  const said = shown.map(({ message }) => message).join(' ');
  return new AppError(first?.error.code ?? 'internal', `Nothing was imported. ${said}${more}`, {
    details: shown,
    cause: first?.error.cause,
  });
}

export function detailsOf({ write, error }: Refusal): readonly ErrorDetail[] {
  if (!write) return error.details.length > 0 ? error.details : [{ message: error.message }];
  const { what, path } = write;
  const place = path === undefined ? {} : { path };
  if (!refusalOf(error) || error.details.length === 0) return [{ ...place, message: `${what}: ${error.message}` }];
  return error.details.map(({ path: field = 'spec', message }) => ({
    ...place,
    message: `${what} would not be valid: ${field}: ${message}.`,
  }));
}
