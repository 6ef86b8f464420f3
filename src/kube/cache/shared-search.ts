/** State shared by the searches of past versions of all kinds. */
import pLimit from 'p-limit';

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

export interface SharedSearch {
  /** Limits the reads at the same time, so that a restarted API server is not flooded. */
  readonly read: Limit;
  /** Lets one kind count at a time, so that the next one can skip what was found. */
  readonly count: Limit;
  /** Remembers cluster versions as writes in this scope, a limited number of them. */
  found(scope: string, versions: readonly bigint[]): void;
  /** The remembered cluster versions, without those found in this scope. */
  outside(scope: string): readonly bigint[];
  /** Forgets everything: the cluster was restored from a backup, so its versions have other writes. */
  forget(): void;
}

const READ_CONCURRENCY = 8;

/** The newest are kept. They take 10 bytes each. */
const MAX_KEPT = 65_536;

export function createSharedSearch(): SharedSearch {
  const kept = new BigUint64Array(MAX_KEPT);
  const places = new Uint16Array(MAX_KEPT);
  const scopes: string[] = [];
  let count = 0;
  return {
    read: pLimit(READ_CONCURRENCY),
    count: pLimit(1),
    found(scope, versions) {
      if (!scopes.includes(scope)) scopes.push(scope);
      const place = scopes.indexOf(scope);
      for (const version of versions) {
        kept[count % MAX_KEPT] = version;
        places[count % MAX_KEPT] = place;
        count += 1;
      }
    },
    outside(scope) {
      const place = scopes.indexOf(scope);
      const known = kept.subarray(0, Math.min(count, MAX_KEPT));
      return [...known].filter((_, index) => places[index] !== place);
    },
    forget() {
      count = 0;
    },
  };
}
