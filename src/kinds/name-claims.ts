/** Reconciles the claims to names with the objects that have the names. */
import { isDeepStrictEqual } from 'node:util';
import type { CacheChange, Cached } from '../catalog/cached.ts';
import type { NameClaimStore } from '../catalog/name-claim-store.ts';
import { type Named, wireNameOf } from '../domain/identity/names.ts';
import {
  type Claims,
  claimKey,
  type IsContested,
  partsOfClaimKey,
  type ShardLines,
  shardLinesOf,
  shardOf,
  withinLimit,
} from '../domain/name-claims/claim-shards.ts';
import {
  type ClaimedKind,
  type ClaimTimes,
  claimedKinds,
  claimFor,
  isForeign,
  type NameClaim,
  releasesName,
} from '../domain/name-claims/name-claims.ts';
import { keyOf } from '../model/object.ts';
import { again, done, type Outcome } from '../runtime/outcome.ts';
import type { Enqueueable } from './enqueue.ts';
import { versions } from './subscriptions.ts';

/** One shard of the claims, as it is stored. */
export interface ClaimShard {
  readonly claims: Claims;
  /** Undefined if nothing is stored. */
  readonly data: ShardLines | undefined;
  write(data: ShardLines): Promise<void>;
}

type NamedCaches = Readonly<Record<ClaimedKind, Pick<Cached<Named, 'wireName' | 'claimShard'>, 'by' | 'subscribe'>>>;

export interface NameClaimParts {
  readonly caches: NamedCaches;
  readonly shards: readonly ClaimShard[];
  readonly tenureMs: number;
  /**
   * A new claim is written when its name has been in use for this long. Of two objects that the admin API creates in
   * two namespaces at once, one or both are deleted by then: neither must leave a claim behind.
   */
  readonly claimDelayMs: number;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Called with the number of claims that do not fit into a shard. */
  readonly onFull: (names: number) => void;
}

/** The keys are the indexes of the shards. */
export function nameClaimsReconciler({ caches, shards, tenureMs, claimDelayMs, now, onFull }: NameClaimParts) {
  /** When a name without a claim was first found in use, by shard, then by claim key. */
  const foundAt = new Map<string, ReadonlyMap<string, number>>();
  /** Claims of names in use that did not fit, by shard: they count when the name is contested or no longer in use. */
  const leftOut = new Map<string, Claims>();
  const isContested: IsContested = (claimed, claim) => {
    const { kind, wireName } = partsOfClaimKey(claimed);
    return isForeign(claim, caches[kind].by('wireName', wireName));
  };

  return async function reconcile(key: string): Promise<Outcome> {
    const shard = shards[Number(key)];
    if (!shard) return done;
    const times = { now: now(), tenureMs, claimDelayMs };
    // The stored claims are the oldest, and count if both have one.
    const claims = new Map([...shard.claims, ...(leftOut.get(key) ?? []), ...shard.claims]);
    const { wanted, waiting } = judgeClaims({ claims, caches, key, foundAt: foundAt.get(key) }, times);
    foundAt.set(key, waiting);
    const fitting = withinLimit(wanted, { isContested });
    const others = [...wanted].filter(([claimed]) => !fitting.has(claimed));
    leftOut.set(key, new Map(others.filter(([, { until }]) => until === undefined)));
    if (others.length > 0) onFull(others.length);
    const data = shardLinesOf(fitting);
    if (!isDeepStrictEqual(data, shard.data ?? {})) await shard.write(data);
    const nextAt = Math.min(firstEnd(fitting), earliest(waiting.values()) + claimDelayMs);
    return Number.isFinite(nextAt) ? again(Math.max(nextAt - times.now, 0)) : done;
  };
}

interface ShardInUse {
  readonly claims: Claims;
  readonly caches: NamedCaches;
  readonly key: string;
  readonly foundAt: ReadonlyMap<string, number> | undefined;
}

/** The claims that a shard must have, and the names in use that wait for their first claim. */
function judgeClaims(
  { claims, caches, key, foundAt }: ShardInUse,
  times: ClaimTimes & Pick<NameClaimParts, 'claimDelayMs'>,
) {
  const wanted = new Map<string, NameClaim>();
  const waiting = new Map<string, number>();
  for (const claimed of keysIn(claims, caches, key)) {
    const { kind, wireName } = partsOfClaimKey(claimed);
    const before = claims.get(claimed);
    const claim = claimFor({ claim: before, objects: caches[kind].by('wireName', wireName) }, times);
    const since = before ? Number.NEGATIVE_INFINITY : (foundAt?.get(claimed) ?? times.now);
    if (claim && times.now - since >= times.claimDelayMs) wanted.set(claimed, claim);
    else if (claim) waiting.set(claimed, since);
  }
  return { wanted, waiting };
}

/** Existing claims come first: a new name never replaces a claimed one. */
function keysIn(claims: Claims, caches: NamedCaches, index: string): ReadonlySet<string> {
  const keys = new Set(claims.keys());
  for (const kind of claimedKinds) {
    for (const object of caches[kind].by('claimShard', index)) keys.add(claimKey(kind, wireNameOf(object)));
  }
  return keys;
}

function firstEnd(claims: Claims): number {
  return earliest(
    claims.values().map(({ until }) => (until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until))),
  );
}

function earliest(times: Iterable<number>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const time of times) first = Math.min(first, time);
  return first;
}

/** How long a change waits for others that share its write, if a shard has few names. */
const SETTLE_MS = 1000;
/** A large shard is written less often: all shards together at most 400 kB per second. */
const BYTES_PER_MS = 50;

interface ClaimTriggerParts extends Pick<NameClaimParts, 'caches' | 'shards'>, Pick<NameClaimStore, 'onShard'> {}

/** Enqueues every shard now, and later the shard that a change concerns. Returns a function that stops that. */
export function enqueueNameClaims({ caches, shards, onShard }: ClaimTriggerParts, queue: Enqueueable): () => void {
  const wake = (index: number, reason: string): void => {
    const bytes = Object.values(shards[index]?.data ?? {}).reduce((sum, { length }) => sum + length, 0);
    queue.addAfter(`${index}`, Math.max(SETTLE_MS, bytes / BYTES_PER_MS), { reason });
  };
  const subscriptions = claimedKinds.map((kind) =>
    caches[kind].subscribe((change) => {
      if (!changesHolder(change)) return;
      for (const object of versions(change)) wake(shardOf(wireNameOf(object)), `${kind} ${keyOf(object.metadata)}`);
    }),
  );
  subscriptions.push(onShard((index) => wake(index, 'ConfigMap')));
  for (const index of shards.keys()) queue.add(`${index}`, { reason: 'start of the leader' });
  return (): void => {
    for (const stop of subscriptions) stop();
  };
}

/** Whether the object was created or deleted, or its name or the release of its name changed. */
function changesHolder({ before, after }: CacheChange<Named>): boolean {
  if (!before || !after) return true;
  return wireNameOf(before) !== wireNameOf(after) || releasesName(before) !== releasesName(after);
}
