/** The history as endpoints read it. */
import type { Archive } from '../audit/archive.ts';
import { AppError, isAppError } from '../errors.ts';

export type History = Pick<Archive, 'search' | 'stream'>;

const RETRY_SECONDS = 5;

/** Says what a missing archive means to a caller. */
export function readableHistory(archive: History): History {
  return {
    search: (filter, page, signal) => archive.search(filter, page, signal).catch(explain),
    async *stream(filter, signal) {
      try {
        yield* archive.stream(filter, signal);
      } catch (error) {
        explain(error);
      }
    },
  };
}

function explain(cause: unknown): never {
  if (!isAppError(cause, 'unavailable')) throw cause;
  const message =
    'The archive of the history cannot be read at the moment. Everything else works, changes too: they are told later. Try again.';
  throw new AppError('unavailable', message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? RETRY_SECONDS });
}
