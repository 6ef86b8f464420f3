/** Keeps the claims to names true to the objects that have the names. */
import { isDeepStrictEqual } from 'node:util';
import type { Cached, Change } from '../catalog/cached.ts';
import type { NameClaimStore } from '../catalog/name-claims.ts';
import {
  type Claims,
  claimKey,
  partsOfClaimKey,
  type ShardData,
  shardDataOf,
  shardOf,
  withinLimit,
} from '../domain/claim-shards.ts';
import { type ClaimedKind, claimedKinds, claimFor, releasesName } from '../domain/name-claims.ts';
import { type Named, wireNameOf } from '../domain/names.ts';
import { again, done, type Outcome } from '../runtime/outcome.ts';
import { versions, type Wakeable } from './waking.ts';

/** One part of the claims, as it is written down. */
export interface ClaimShard {
  readonly claims: Claims;
  /** Undefined: nothing is written down. */
  readonly data: ShardData | undefined;
  write(data: ShardData): Promise<void>;
}

type NamedCaches = Readonly<Record<ClaimedKind, Pick<Cached<Named>, 'by' | 'subscribe'>>>;

export interface NameClaimParts {
  readonly caches: NamedCaches;
  readonly shards: readonly ClaimShard[];
  readonly tenureMs: number;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Called with the number of claims that do not fit into a part. */
  readonly onFull: (names: number) => void;
}

/** The keys are the indexes of the parts. */
export function nameClaimsReconciler({ caches, shards, tenureMs, now, onFull }: NameClaimParts) {
  return async function reconcile(key: string): Promise<Outcome> {
    const shard = shards[Number(key)];
    if (!shard) return done;
    const times = { now: now(), tenureMs };
    const claimOf = (claimed: string) => {
      const { kind, wireName } = partsOfClaimKey(claimed);
      return claimFor({ claim: shard.claims.get(claimed), objects: caches[kind].by('wireName', wireName) }, times);
    };
    const wanted = new Map(
      [...keysIn(shard.claims, caches, key)].flatMap((claimed) => {
        const claim = claimOf(claimed);
        return claim ? [[claimed, claim] as const] : [];
      }),
    );
    const fitting = withinLimit(wanted);
    if (fitting.size < wanted.size) onFull(wanted.size - fitting.size);
    const data = shardDataOf(fitting);
    if (!isDeepStrictEqual(data, shard.data ?? {})) await shard.write(data);
    const endsAt = firstEnd(fitting);
    return endsAt === undefined ? done : again(Math.max(endsAt - times.now, 0));
  };
}

/** Those that are there come first: a new name never takes the place of one that is claimed. */
function keysIn(claims: Claims, caches: NamedCaches, index: string): ReadonlySet<string> {
  const keys = new Set(claims.keys());
  for (const kind of claimedKinds) {
    for (const object of caches[kind].by('claimShard', index)) keys.add(claimKey(kind, wireNameOf(object)));
  }
  return keys;
}

function firstEnd(claims: Claims): number | undefined {
  let first: number | undefined;
  for (const { until } of claims.values()) {
    const endsAt = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
    if (endsAt < (first ?? Number.POSITIVE_INFINITY)) first = endsAt;
  }
  return first;
}

/** How long a new name waits for its claim where few names are: changes within it share one write. */
const SETTLE_MS = 1000;
/** A large part is written less often: all of them together at most 400 kB in a second. */
const BYTES_PER_MS = 50;

interface WakeParts extends Pick<NameClaimParts, 'caches' | 'shards'>, Pick<NameClaimStore, 'onShard'> {}

/** Queues every part now, and later the part that a change concerns. Gives back how to stop that. */
export function wakeNameClaims({ caches, shards, onShard }: WakeParts, queue: Wakeable): () => void {
  const wake = (index: number): void => {
    const bytes = Object.values(shards[index]?.data ?? {}).reduce((sum, { length }) => sum + length, 0);
    queue.addAfter(`${index}`, Math.max(SETTLE_MS, bytes / BYTES_PER_MS));
  };
  const subscriptions = claimedKinds.map((kind) =>
    caches[kind].subscribe((change) => {
      if (changesHolder(change)) for (const object of versions(change)) wake(shardOf(wireNameOf(object)));
    }),
  );
  subscriptions.push(onShard(wake));
  for (const index of shards.keys()) queue.add(`${index}`);
  return (): void => {
    for (const stop of subscriptions) stop();
  };
}

/** It came or went, or gives its name away. */
function changesHolder({ before, after }: Change<Named>): boolean {
  if (!before || !after) return true;
  return wireNameOf(before) !== wireNameOf(after) || releasesName(before) !== releasesName(after);
}
