/** State shared by the searches of past versions of all kinds. */
import pLimit from 'p-limit';
import { isAtMost } from '../../model/version.ts';
import { isRevision, revisionOf } from './revision.ts';

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

export interface SharedSearch {
  /** Limits the small reads at the same time, so that a restarted API server is not flooded. */
  readonly read: Limit;
  /** Lets one kind count at a time, so that the next one can skip what was found. */
  readonly count: Limit;
  /** Remembers cluster versions as writes in this scope. The oldest are forgotten when there are too many. */
  remember(scope: string, versions: readonly bigint[]): void;
  /** Remembers one resourceVersion; opaque ones are ignored. */
  rememberVersion(scope: string, version: string): void;
  /** Like `rememberVersion`; the change can confirm the past. */
  rememberChange(scope: string, change: DeliveredChange): void;
  /** The remembered writes outside of this scope, after `base` and up to `end`. */
  writesOutside(scope: string, range: Range): readonly bigint[];
  /**
   * The cluster may have been restored from a backup. If the newest change is still in its past, forgets only the
   * writes after that change, otherwise everything. Rejects if the signal aborts.
   */
  forgetUnconfirmed(signal: AbortSignal): Promise<void>;
  /** Forgets everything, because other writes may have these versions now. */
  forget(): void;
}

/** A change that a watch has delivered. */
export interface DeliveredChange {
  readonly version: string;
  /** Whether the past of the cluster contains the change; false if it cannot be read. */
  isInPast(signal: AbortSignal): Promise<boolean>;
}

interface Range {
  readonly base: bigint;
  readonly end: bigint;
}

const READ_CONCURRENCY = 8;

/** Each takes 10 bytes. */
const MAX_REMEMBERED = 65_536;

/** The scope of Events, which may be in an etcd of their own. */
export const EVENTS = 'events';

export function createSharedSearch(): SharedSearch {
  const writes = new BigUint64Array(MAX_REMEMBERED);
  const scopeIndexes = new Uint16Array(MAX_REMEMBERED);
  const scopes: string[] = [EVENTS];
  let added = 0;
  let newestChange: DeliveredChange | undefined;

  const remember = (scope: string, versions: readonly bigint[]) => {
    if (!scopes.includes(scope)) scopes.push(scope);
    const scopeIndex = scopes.indexOf(scope);
    for (const version of versions) {
      writes[added % MAX_REMEMBERED] = version;
      scopeIndexes[added % MAX_REMEMBERED] = scopeIndex;
      added += 1;
    }
  };

  const remembered = () => writes.subarray(0, Math.min(added, MAX_REMEMBERED));

  /** The remembered writes of a range by scope. */
  const writesIn = ({ base, end }: Range) => {
    const found = scopes.map((): bigint[] => []);
    for (const [index, version] of remembered().entries()) {
      if (version > base && version <= end) found[scopeIndexes[index] ?? 0]?.push(version);
    }
    return found;
  };

  const rememberVersion = (scope: string, version: string) => {
    if (isRevision(version)) remember(scope, [BigInt(version)]);
  };

  const forget = () => {
    added = 0;
    newestChange = undefined;
  };

  const forgetAfter = (end: bigint) => {
    // 0 marks a forgotten write: no range contains it.
    for (const [index, version] of remembered().entries()) if (version > end) writes[index] = 0n;
  };

  return {
    read: pLimit(READ_CONCURRENCY),
    count: pLimit(1),
    remember,
    rememberVersion,
    rememberChange(scope, change) {
      if (!isRevision(change.version)) return;
      rememberVersion(scope, change.version);
      if (!isAtMost(change.version, newestChange?.version)) newestChange = change;
    },
    writesOutside(scope, range) {
      const [events = [], ...others] = writesIn(range);
      const own = scopes.indexOf(scope) - 1;
      const outside = others.filter((_, index) => index !== own).flat();
      return areApart(events, others.flat()) ? outside : [...events, ...outside];
    },
    async forgetUnconfirmed(signal) {
      const change = newestChange;
      if (change && (await change.isInPast(signal))) forgetAfter(revisionOf(change.version));
      else forget();
    },
    forget,
  };
}

/**
 * Whether Events are in an etcd of their own, with versions of its own, as in many large clusters. In one etcd no two
 * writes have the same version.
 */
function areApart(events: readonly bigint[], others: readonly bigint[]): boolean {
  const versions = new Set(others);
  return events.some((version) => versions.has(version));
}
