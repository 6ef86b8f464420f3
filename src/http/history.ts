/** The history as endpoints read it. */
import type { Archive } from '../audit/archive.ts';
import type { Entry } from '../audit/entry.ts';
import { maskJsonText } from '../audit/masked-addresses.ts';
import { AppError, isAppError } from '../errors.ts';

export type History = Pick<Archive, 'search' | 'stream'>;

const RETRY_SECONDS = 5;

/** Says what a missing archive means to a caller, and masks e-mail addresses where the filter says so. */
export function readableHistory(archive: History): History {
  return {
    async search(filter, page, signal) {
      const { entries, total } = await archive.search(filter, page, signal).catch(explain);
      return { entries: filter.masked ? entries.map(masked) : entries, total };
    },
    async *stream(filter, signal) {
      try {
        for await (const entry of archive.stream(filter, signal)) yield filter.masked ? masked(entry) : entry;
      } catch (error) {
        explain(error);
      }
    },
  };
}

/** As in Events: whatever looks like an address, wherever it stands. */
function masked(entry: Entry): Entry {
  return JSON.parse(maskJsonText(JSON.stringify(entry)));
}

function explain(cause: unknown): never {
  if (!isAppError(cause, 'unavailable')) throw cause;
  const message =
    'The archive of the history cannot be read at the moment. Everything else works, changes too: they are told later. Try again.';
  throw new AppError('unavailable', message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? RETRY_SECONDS });
}
