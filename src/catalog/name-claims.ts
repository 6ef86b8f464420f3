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
import type { NameClaims } from './cached.ts';

type ClaimListener = (wireName: string, change: ClaimChange) => void;

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

export function createNameClaims(): NameClaimStore {
  const shards: Claims[] = Array.from({ length: CLAIM_SHARDS }, () => new Map());
  const listeners: Readonly<Record<ClaimedKind, Set<ClaimListener>>> = {
    featureflags: new Set(),
    projects: new Set(),
    segments: new Set(),
  };
  const shardListeners = new Set<(index: number) => void>();
  const shard = (index: number): Claims => shards[index] ?? new Map();

  const notify = (key: string, change: ClaimChange): void => {
    if (isSameClaim(change.before, change.after)) return;
    const { kind, wireName } = partsOfClaimKey(key);
    for (const listener of listeners[kind]) listener(wireName, change);
  };
  return {
    of: (kind) => ({
      claimOf: (wireName) => shards[shardOf(wireName)]?.get(claimKey(kind, wireName)),
      onClaim(listener) {
        listeners[kind].add(listener);
        return () => void listeners[kind].delete(listener);
      },
    }),
    shard,
    take(index, data) {
      const before = shard(index);
      const after = data === undefined ? before : claimsOf(data, index);
      shards[index] = after;
      for (const key of new Set([...before.keys(), ...after.keys()])) {
        notify(key, { before: before.get(key), after: after.get(key) });
      }
      for (const listener of shardListeners) listener(index);
    },
    onShard(listener) {
      shardListeners.add(listener);
      return () => void shardListeners.delete(listener);
    },
    get size() {
      return shards.reduce((sum, { size }) => sum + size, 0);
    },
  };
}
