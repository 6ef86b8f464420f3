/** Limits the requests of a caller per minute. */
import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Response } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type Presented, tokenIn } from '../../../access/authentication/authenticate.ts';
import type { SdkCaller } from '../../../access/authentication/sdk-callers.ts';
import type { Caller } from '../../../access/caller.ts';
import { Refusal } from '../../../errors.ts';

/** Throws `rate-limited` beyond the limit; sets the RateLimit headers. */
export interface RateLimit {
  /** `keyOf` returns the key of the counter; without a limit it is not called. */
  countAdmitted(response: Response, keyOf: () => string): void;
  /** Wrong tokens are counted by address, separately from authenticated requests from the same address. */
  countRefused(response: Response, presented: Presented, tokens?: number): void;
}

const WINDOW_MS = 60_000;
/** The bound of the counters; the least recently used are dropped. */
const MAX_COUNTED = 10_000;

const UNLIMITED: RateLimit = { countAdmitted: () => undefined, countRefused: () => undefined };

/** undefined: no limit. */
export function limitRate(requestsPerMinute: number | undefined): RateLimit {
  if (requestsPerMinute === undefined) return UNLIMITED;
  const admitted = createCounter(requestsPerMinute);
  const refused = createCounter(requestsPerMinute);
  return {
    countAdmitted: (response, keyOf) => admitted(response, keyOf()),
    countRefused: (response, { from }, tokens) => refused(response, addressKey(from), tokens),
  };
}

/** The requests of a caller within a minute, which begins with the first of them. */
interface Counted {
  requests: number;
  /** In ms, by the monotonic clock. */
  readonly endsAt: number;
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-08. */
function createCounter(limit: number): (response: Response, key: string, requests?: number) => void {
  const counts = new LRUCache<string, Counted>({ max: MAX_COUNTED });
  return (response, key, requests = 1) => {
    const now = performance.now();
    const known = counts.get(key);
    const counted = known && known.endsAt > now ? known : { requests: 0, endsAt: now + WINDOW_MS };
    counted.requests += requests;
    if (counted !== known) counts.set(key, counted);
    const seconds = Math.ceil((counted.endsAt - now) / 1000);
    const left = Math.max(0, limit - counted.requests);
    response.setHeader('RateLimit-Policy', `"minute"; q=${limit}; w=${WINDOW_MS / 1000}`);
    response.setHeader('RateLimit', `"minute"; r=${left}; t=${seconds}`);
    if (counted.requests > limit) throw tooMany(limit, seconds);
  };
}

/** Kubernetes users are counted by name, as they may have many tokens. */
export function keyOfCaller(presented: Presented, { author: { via, name } }: Caller): string {
  if (via === 'anonymous') return addressKey(presented.from);
  return via === 'kubernetes-token' || via === 'oidc' ? `user ${name}` : keyOfToken(presented);
}

/** Tokens are counted by digest, so that no value is kept. Requests without a token are counted by address. */
function keyOfToken({ authorization, from }: Presented): string {
  return authorization === undefined ? addressKey(from) : keyOfDigest(hash('sha256', tokenIn(authorization)));
}

/** Everyone may know a frontend token, so no caller can use up the limit of another address. */
export function keyOfSdk(presented: Presented, { type, sha256 }: Pick<SdkCaller, 'type' | 'sha256'>): string {
  const key = sha256 === undefined ? keyOfToken(presented) : keyOfDigest(sha256);
  return type === 'frontend' ? `${key} from ${addressKey(presented.from)}` : key;
}

function keyOfDigest(sha256: string): string {
  return `token ${sha256}`;
}

/** IPv6 addresses are counted by network, because one client can have very many of them. */
export function addressKey(from: string | undefined): string {
  return `address ${from === undefined ? 'unknown' : networkOf(from)}`;
}

/** Of the networks which providers give to a home or a small firm. */
const NETWORK_BYTES = 56 / 8;

function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  // An IPv4 address in an IPv6 one becomes one of its own. Names of interfaces, as in fe80::1%eth0.7, may have
  // characters that the library does not take.
  const parsed = ipaddr.process(address.replace(/%.*/, ''));
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${parsed.toByteArray().slice(0, NETWORK_BYTES)}`;
}

function tooMany(limit: number, retryAfterSeconds: number): Refusal {
  const message = `You have sent more than the limit of ${limit} requests within a minute. Try again in ${retryAfterSeconds} seconds.`;
  return new Refusal('rate-limited', message, { retryAfterSeconds });
}
