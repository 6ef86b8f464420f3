/** How many requests one caller may send within a minute. */
import { hash } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors.ts';
import { type Presented, tokenIn } from './identity/authenticate.ts';
import type { Caller } from './identity/caller.ts';

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Throws `rate-limited` beyond the limit; sets the headers that say how much is left of it. */
export interface RateLimit {
  countAdmitted(exchange: Exchange, presented: Presented, caller: Caller): Promise<void>;
  /** Those whom nobody knows count by their address, and never against those who are known there. */
  countRefused(exchange: Exchange, presented: Presented): Promise<void>;
}

const WINDOW_MS = 60_000;
/** Beyond this those that were quiet for longest count anew. */
const MOST_COUNTED = 10_000;

const UNLIMITED: RateLimit = { countAdmitted: async () => undefined, countRefused: async () => undefined };

/** undefined: nobody is limited. */
export function limitRate(requestsPerMinute: number | undefined): RateLimit {
  if (requestsPerMinute === undefined) return UNLIMITED;
  const admitted = limiter(requestsPerMinute);
  const refused = limiter(requestsPerMinute);
  return {
    countAdmitted: (exchange, presented, caller) => count(admitted, exchange, keyOf(presented, caller)),
    countRefused: (exchange, { from }) => count(refused, exchange, addressKey(from)),
  };
}

/** Where the limiter finds whose request it is. */
const COUNTED_AS = 'countedAs';

function limiter(limit: number): RequestHandler {
  return rateLimit({
    limit,
    windowMs: WINDOW_MS,
    store: createCounts(),
    keyGenerator: (_request, response) => response.locals[COUNTED_AS],
    handler: (_request, response, next) => next(tooMany(limit, response)),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // They look for mistakes in this call, and write to the console.
    validate: false,
  });
}

function count(limit: RequestHandler, { request, response }: Exchange, key: string): Promise<void> {
  response.locals[COUNTED_AS] = key;
  return new Promise((resolve, reject) => {
    const next: NextFunction = (error?: unknown) => (error === undefined ? resolve() : reject(error));
    // What it rejects with it has handed to `next` before.
    Promise.resolve(limit(request, response, next)).catch(reject);
  });
}

/** A user of Kubernetes may have as many tokens as they like; the value of a token of ours is kept nowhere. */
function keyOf({ authorization = '', from }: Presented, { author: { via, name } }: Caller): string {
  if (via === 'anonymous') return addressKey(from);
  return via === 'kubernetes-token' ? `user ${name}` : `token ${hash('sha256', tokenIn(authorization))}`;
}

/** Whoever has an address of IPv6 has very many: they count by their network. */
function addressKey(from: string | undefined): string {
  return `address ${from === undefined ? 'unknown' : ipKeyGenerator(from)}`;
}

function tooMany(limit: number, response: Response): AppError {
  const retryAfterSeconds = Number(response.getHeader('Retry-After') ?? WINDOW_MS / 1000);
  const message = `You have sent more than ${limit} requests within a minute, which is as many as one may send here. Try again in ${retryAfterSeconds} seconds.`;
  return new AppError('rate-limited', message, { retryAfterSeconds });
}

/** The store of the library keeps whoever comes within two minutes, however many they are. */
function createCounts(): Store {
  const counts = new LRUCache<string, { totalHits: number; readonly resetTime: Date }>({
    max: MOST_COUNTED,
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
