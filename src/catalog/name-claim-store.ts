/** The claims to names in memory, as their ConfigMaps store them. */
import {
  CLAIM_SHARDS,
  type Claims,
  claimKey,
  claimsOf,
  partsOfClaimKey,
  type ShardLines,
  shardOf,
} from '../domain/name-claims/claim-shards.ts';
import { type ClaimChange, type ClaimedKind, isSameClaim } from '../domain/name-claims/name-claims.ts';
import { createListeners, type Listeners, throwUncaught } from '../model/listeners.ts';
import type { NameClaims } from './cached.ts';

type ClaimListeners = Listeners<[wireName: string, change: ClaimChange]>;

export interface NameClaimStore extends NameClaims {
  shard(index: number): Claims;
  /**
   * Replaces the claims of a shard by its stored lines. If `data` is undefined, nothing is stored and the claims stay.
   */
  take(index: number, data: ShardLines | undefined): void;
  /** Calls the listener whenever a shard was read. Returns a function that stops that. */
  onShard(listener: (index: number) => void): () => void;
  readonly size: number;
}

/** `onFault` receives what a listener throws. */
export function createNameClaims(onFault: (error: unknown) => void = throwUncaught): NameClaimStore {
  const shards: Claims[] = Array.from({ length: CLAIM_SHARDS }, () => new Map());
  const listeners: Readonly<Record<ClaimedKind, ClaimListeners>> = {
    featureflags: createListeners(onFault),
    projects: createListeners(onFault),
    segments: createListeners(onFault),
  };
  const shardListeners = createListeners<[index: number]>(onFault);
  const shard = (index: number): Claims => shards[index] ?? new Map();

  const notify = (key: string, change: ClaimChange): void => {
    if (isSameClaim(change.before, change.after)) return;
    const { kind, wireName } = partsOfClaimKey(key);
    listeners[kind].call(wireName, change);
  };
  return {
    of: (kind) => ({
      claimOf: (wireName) => shards[shardOf(wireName)]?.get(claimKey(kind, wireName)),
      onClaim: listeners[kind].add,
    }),
    shard,
    take(index, data) {
      const before = shard(index);
      const after = data === undefined ? before : claimsOf(data, index);
      shards[index] = after;
      for (const key of new Set([...before.keys(), ...after.keys()])) {
        notify(key, { before: before.get(key), after: after.get(key) });
      }
      shardListeners.call(index);
    },
    onShard: shardListeners.add,
    get size() {
      return shards.reduce((sum, { size }) => sum + size, 0);
    },
  };
}
