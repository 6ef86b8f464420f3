/** The audit archive as endpoints read it. */
import type { Archive } from '../../audit/archive/archive.ts';
import type { Entry } from '../../domain/history/entry.ts';
import { maskJsonText } from '../../domain/history/masked-addresses.ts';
import { isRefusal, Refusal } from '../../errors.ts';

export type SearchableArchive = Pick<Archive, 'search' | 'stream'>;

const RETRY_SECONDS = 5;

/** Explains an unavailable archive to callers, and masks e-mail addresses if the filter demands it. */
export function readableHistory(archive: SearchableArchive): SearchableArchive {
  return {
    async search(filter, page, signal) {
      const { entries, ...count } = await archive.search(filter, page, signal).catch(explain);
      return { entries: filter.masked ? entries.map(masked) : entries, ...count };
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

/** Masks every text that looks like an e-mail address, as in Events. */
function masked(entry: Entry): Entry {
  return JSON.parse(maskJsonText(JSON.stringify(entry)));
}

function explain(cause: unknown): never {
  if (!isRefusal(cause, 'unavailable')) throw cause;
  const message =
    'The audit archive is unavailable at the moment. Everything else works, and changes are recorded later. Try again.';
  throw new Refusal('unavailable', message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? RETRY_SECONDS });
}
