/** The stored form of name claims: a fixed number of shards, each a map from text to text. */

import { compareText } from '../identity/names.ts';
import { type ClaimedKind, claimedKinds, type NameClaim } from './name-claims.ts';

/** Constant, because a name is looked up in one shard only. */
export const CLAIM_SHARDS = 8;

/** Below the limit of 1 MiB for the data of a ConfigMap. */
const MAX_SHARD_BYTES = 900_000;

/** Claims by `claimKey`, which contains kind and name. */
export type Claims = ReadonlyMap<string, NameClaim>;

type Claim = readonly [key: string, claim: NameClaim];

/** By `NAMESPACE.KIND`, a line for each name, followed by the end of the claim if it has one. */
export type ShardLines = Readonly<Record<string, string>>;

export function claimKey(kind: ClaimedKind, wireName: string): string {
  return `${kind}/${wireName}`;
}

/** The inverse of `claimKey`. */
export function partsOfClaimKey(key: string): { readonly kind: ClaimedKind; readonly wireName: string } {
  const slash = key.indexOf('/');
  return { kind: key.slice(0, slash) as ClaimedKind, wireName: key.slice(slash + 1) };
}

/** FNV-1a over the code units of the name. */
export function shardOf(wireName: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < wireName.length; index += 1) {
    hash = Math.imul(hash ^ wireName.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % CLAIM_SHARDS;
}

/** Names are URI-encoded, so that no name can break a line. */
export function shardLinesOf(claims: Claims): ShardLines {
  const byPlace = Map.groupBy(claims, ([key, claim]) => placeOf(key, claim));
  const linesOf = (some: readonly Claim[]) => some.map((claim) => lineOf(...claim)).sort(compareText);
  return Object.fromEntries([...byPlace].map(([place, some]) => [place, `${linesOf(some).join('\n')}\n`]));
}

function lineOf(key: string, { until }: NameClaim): string {
  const name = encodeURIComponent(partsOfClaimKey(key).wireName.toWellFormed());
  return until === undefined ? name : `${name} ${until}`;
}

/** The key of the lines of a kind in a namespace. */
function placeOf(key: string, { namespace }: NameClaim): string {
  return `${namespace}.${partsOfClaimKey(key).kind}`;
}

/** Skips lines that do not parse. If a name has two claims, the one of the smaller namespace counts. */
export function claimsOf(data: ShardLines, shard: number): Claims {
  const claims = new Map<string, NameClaim>();
  const places = Object.entries(data).sort(([one], [other]) => compareText(one, other));
  for (const [place, text] of places) {
    for (const [key, claim] of claimsIn(place, text)) {
      if (shardOf(partsOfClaimKey(key).wireName) === shard && !claims.has(key)) claims.set(key, claim);
    }
  }
  return claims;
}

/** The claims of one kind in one namespace. */
function claimsIn(place: string, text: string): readonly Claim[] {
  const [namespace = '', plural = ''] = place.split('.');
  const kind = claimedKinds.find((one) => one === plural);
  if (kind === undefined || namespace === '') return [];
  // One shared object for all claims without an end, to save memory.
  const endless: NameClaim = { namespace };
  return text.split('\n').flatMap((line) => {
    const [encoded = '', until] = line.trim().split(/\s+/);
    const wireName = decoded(encoded);
    return wireName ? [[claimKey(kind, wireName), isTime(until) ? { namespace, until } : endless] as const] : [];
  });
}

/**
 * The claims that fit into a shard. Names in use that no other namespace wants are left out first, the newest of the
 * namespace with the most bytes: they belong to their namespace without a claim, too. Then that namespace loses the
 * unused name that ends first, otherwise its newest name. So names in use displace no unused ones, and a namespace
 * displaces no names of one that has less. `claims` begins with the oldest.
 */
export function withinLimit(
  claims: Claims,
  { isContested, maxBytes = MAX_SHARD_BYTES }: { readonly isContested: IsContested; readonly maxBytes?: number },
): Claims {
  let bytes = sumOf(claims);
  if (bytes <= maxBytes) return claims;
  const kept = new Map(claims);
  const shares = sharesOf(claims, isContested);
  while (bytes > maxBytes) {
    const dispensable = shares.filter(({ dispensable: some }) => some.length > 0);
    const largest = largestOf(dispensable.length > 0 ? dispensable : shares);
    const [key, claim] = largest.dispensable.pop() ?? largest.claims.pop() ?? [];
    if (key === undefined || claim === undefined) break;
    kept.delete(key);
    const freed = bytesOf(key, claim) + bytesOfEmptied(largest, placeOf(key, claim));
    largest.bytes -= freed;
    bytes -= freed;
  }
  return kept;
}

/** Whether another namespace has an object of the name. */
export type IsContested = (key: string, claim: NameClaim) => boolean;

function largestOf(shares: readonly NamespaceShare[]): NamespaceShare {
  return shares.reduce((most, next) => (next.bytes > most.bytes ? next : most));
}

/** What a namespace has of a shard. */
interface NamespaceShare {
  bytes: number;
  /** Names in use that no other namespace wants. The last one is the first to be left out, here and below. */
  readonly dispensable: Claim[];
  readonly claims: Claim[];
  /** How many claims there are of each place. */
  readonly counts: Map<string, number>;
}

/** The bytes of the key of a place, if it has lost its last claim. */
function bytesOfEmptied({ counts }: NamespaceShare, place: string): number {
  const left = (counts.get(place) ?? 0) - 1;
  counts.set(place, left);
  return left === 0 ? place.length : 0;
}

function sharesOf(claims: Claims, isContested: IsContested): readonly NamespaceShare[] {
  return [...Map.groupBy(claims, ([, { namespace }]) => namespace).values()].map((list) => {
    const unused = list.filter(([, { until }]) => until !== undefined);
    unused.sort(([, a], [, b]) => compareText(b.until ?? '', a.until ?? ''));
    const inUse = list.filter(([, { until }]) => until === undefined);
    const { contested = [], dispensable = [] } = Object.groupBy(inUse, ([key, claim]) =>
      isContested(key, claim) ? 'contested' : 'dispensable',
    );
    const places = Map.groupBy(list, ([key, claim]) => placeOf(key, claim));
    const counts = new Map([...places].map(([place, some]) => [place, some.length]));
    return { bytes: sumOf(list), dispensable, claims: [...contested, ...unused], counts };
  });
}

/** Counts each place, which is a key of the shard, once. */
function sumOf(claims: Iterable<Claim>): number {
  let bytes = 0;
  const places = new Set<string>();
  for (const [key, claim] of claims) {
    bytes += bytesOf(key, claim);
    const place = placeOf(key, claim);
    if (!places.has(place)) bytes += place.length;
    places.add(place);
  }
  return bytes;
}

/** The bytes of the line of a claim, with its end. */
function bytesOf(key: string, claim: NameClaim): number {
  return lineOf(key, claim).length + 1;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && Number.isFinite(Date.parse(text));
}
