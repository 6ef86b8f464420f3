/** The audit archive as endpoints read it. */
import type { Archive } from '../../audit/archive/archive.ts';
import { type Entry, type EntryFilter, judgedNow, type Namespaces } from '../../domain/history/entry.ts';
import { maskJsonText } from '../../domain/history/masked-addresses.ts';
import { isRefusal, Refusal } from '../../errors.ts';

export type SearchableArchive = Pick<Archive, 'search' | 'stream' | 'chain'> & {
  readonly heads: Pick<Archive['heads'], 'list'>;
};

const RETRY_SECONDS = 5;

/**
 * Explains an unavailable archive to callers, judges which project an entry belongs to now, and masks e-mail addresses
 * if the filter demands it.
 */
export function readableHistory(archive: SearchableArchive, namespaces: Namespaces): SearchableArchive {
  const placed = (filter: EntryFilter): EntryFilter => ({
    ...filter,
    home: namespaces.home,
    projectsIn: filter.projects?.flatMap((id) => {
      const namespace = namespaces.ofProject(id);
      return namespace === undefined ? [] : [{ namespace, id }];
    }),
  });
  const readableEntry = (entry: Entry, { masked }: EntryFilter) => {
    const judged = judgedNow(entry, namespaces);
    return masked ? maskedEntry(judged) : judged;
  };
  return {
    async search(filter, page, signal) {
      const { entries, ...count } = await archive.search(placed(filter), page, signal).catch(explainArchive);
      return { entries: entries.map((entry) => readableEntry(entry, filter)), ...count };
    },
    async *stream(filter, signal) {
      for await (const entry of explained(() => archive.stream(placed(filter), signal)))
        yield readableEntry(entry, filter);
    },
    heads: { list: (page, signal) => archive.heads.list(page, signal).catch(explainArchive) },
    chain: (signal) => explained(() => archive.chain(signal)),
  };
}

async function* explained<T>(read: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* read();
  } catch (error) {
    explainArchive(error);
  }
}

/** Masks every text that looks like an e-mail address, as in Events. */
function maskedEntry(entry: Entry): Entry {
  return JSON.parse(maskJsonText(JSON.stringify(entry)));
}

/** For callers: an archive that is away delays nothing else. */
export function explainArchive(cause: unknown): never {
  if (!isRefusal(cause, 'unavailable')) throw cause;
  const message =
    'The audit archive is unavailable at the moment. Everything else works, and changes are recorded later. Try again.';
  throw new Refusal('unavailable', message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? RETRY_SECONDS });
}
