/** State shared by the searches of past versions of all kinds. */
import pLimit from 'p-limit';

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

export interface SharedSearch {
  /** Limits the small reads at the same time, so that a restarted API server is not flooded. */
  readonly read: Limit;
  /** Lets one kind count at a time, so that the next one can skip what was found. */
  readonly count: Limit;
  /** Remembers cluster versions as writes in this scope. The oldest are forgotten when there are too many. */
  remember(scope: string, versions: readonly bigint[]): void;
  /** The remembered writes outside of this scope, after `base` and up to `end`. */
  writesOutside(scope: string, range: { readonly base: bigint; readonly end: bigint }): readonly bigint[];
  /** Forgets all if the cluster is older than a remembered write: it was restored, and its versions are used again. */
  checkPresent(present: bigint): void;
  forget(): void;
}

const READ_CONCURRENCY = 8;

/** Each takes 10 bytes. */
const MAX_REMEMBERED = 65_536;

export function createSharedSearch(): SharedSearch {
  const writes = new BigUint64Array(MAX_REMEMBERED);
  const scopeIndexes = new Uint16Array(MAX_REMEMBERED);
  const scopes: string[] = [];
  let added = 0;
  let newest = 0n;
  const forget = () => {
    added = 0;
    newest = 0n;
  };
  return {
    read: pLimit(READ_CONCURRENCY),
    count: pLimit(1),
    remember(scope, versions) {
      if (!scopes.includes(scope)) scopes.push(scope);
      const scopeIndex = scopes.indexOf(scope);
      for (const version of versions) {
        writes[added % MAX_REMEMBERED] = version;
        scopeIndexes[added % MAX_REMEMBERED] = scopeIndex;
        added += 1;
        if (version > newest) newest = version;
      }
    },
    writesOutside(scope, { base, end }) {
      const scopeIndex = scopes.indexOf(scope);
      const found: bigint[] = [];
      for (const [index, version] of writes.subarray(0, Math.min(added, MAX_REMEMBERED)).entries()) {
        if (version > base && version <= end && scopeIndexes[index] !== scopeIndex) found.push(version);
      }
      return found;
    },
    checkPresent(present) {
      if (present < newest) forget();
    },
    forget,
  };
}
