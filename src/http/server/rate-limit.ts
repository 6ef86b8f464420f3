/** Limits the requests of a caller per minute. */
import { hash } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import { type Presented, tokenIn } from '../../access/authenticate.ts';
import type { Caller } from '../../access/caller.ts';
import type { SdkCaller } from '../../access/sdk-callers.ts';
import { Refusal } from '../../errors.ts';
import { contextOf } from './request-context.ts';

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Throws `rate-limited` beyond the limit; sets the RateLimit headers. */
export interface RateLimit {
  /** `keyOf` returns the key of the counter; without a limit it is not called. */
  countAdmitted(exchange: Exchange, keyOf: () => string): Promise<void>;
  /** Unauthenticated requests are counted by address, separately from authenticated ones from the same address. */
  countRefused(exchange: Exchange, presented: Presented): Promise<void>;
}

const WINDOW_MS = 60_000;
/** The bound of the counters; the least recently used are dropped. */
const MAX_COUNTED = 10_000;

const UNLIMITED: RateLimit = { countAdmitted: async () => undefined, countRefused: async () => undefined };

/** undefined: no limit. */
export function limitRate(requestsPerMinute: number | undefined): RateLimit {
  if (requestsPerMinute === undefined) return UNLIMITED;
  const admitted = limiter(requestsPerMinute);
  const refused = limiter(requestsPerMinute);
  return {
    countAdmitted: (exchange, keyOf) => count(admitted, exchange, keyOf()),
    countRefused: (exchange, { from }) => count(refused, exchange, addressKey(from)),
  };
}

function limiter(limit: number): RequestHandler {
  return rateLimit({
    limit,
    windowMs: WINDOW_MS,
    store: createCounts(),
    keyGenerator: (request) => contextOf(request).rateLimitKey ?? '',
    handler: (_request, response, next) => next(tooMany(limit, response)),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The validations log to the console.
    validate: false,
  });
}

function count(limit: RequestHandler, { request, response }: Exchange, key: string): Promise<void> {
  contextOf(request).rateLimitKey = key;
  return new Promise((resolve, reject) => {
    const next: NextFunction = (error?: unknown) => (error === undefined ? resolve() : reject(error));
    // The limiter passes its errors to `next` before it rejects.
    Promise.resolve(limit(request, response, next)).catch(reject);
  });
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
  return `address ${from === undefined ? 'unknown' : ipKeyGenerator(from)}`;
}

function tooMany(limit: number, response: Response): Refusal {
  const retryAfterSeconds = Number(response.getHeader('Retry-After') ?? WINDOW_MS / 1000);
  const message = `You have sent more than the limit of ${limit} requests within a minute. Try again in ${retryAfterSeconds} seconds.`;
  return new Refusal('rate-limited', message, { retryAfterSeconds });
}

/** A bounded store: the one of the library keeps all callers of two minutes. */
function createCounts(): Store {
  const counts = new LRUCache<string, { totalHits: number; readonly resetTime: Date }>({
    max: MAX_COUNTED,
    ttl: WINDOW_MS,
  });
  return {
    localKeys: true,
    increment(key) {
      const counted = counts.get(key) ?? { totalHits: 0, resetTime: new Date(Date.now() + WINDOW_MS) };
      counted.totalHits += 1;
      if (counted.totalHits === 1) counts.set(key, counted);
      return counted;
    },
    decrement(key) {
      const counted = counts.get(key);
      if (counted) counted.totalHits -= 1;
    },
    resetKey: (key) => void counts.delete(key),
  };
}
