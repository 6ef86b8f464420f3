/** The tokens that the upstream knows: those that were given, and those that callers have sent. */
import { LRUCache } from 'lru-cache';
import { digestOf } from '../domain/tokens/token-value.ts';
import { Refusal } from '../errors.ts';
import { type Clock, pause } from '../model/clock.ts';
import { createTokenBucket } from '../runtime/token-bucket.ts';
import type { Logger } from '../telemetry/logger.ts';
import { failureOf } from './upstream/errors.ts';
import type { ValidToken } from './upstream/upstream.ts';

/** What is known of a token, without its value. */
export interface TokenFacts extends Omit<ValidToken, 'token'> {
  readonly sha256: string;
  /** When the upstream has confirmed it, in ms since 1970. */
  readonly confirmedAt: number;
}

/** The value is undefined after a start without the upstream, until a caller sends it. */
export interface EdgeToken extends TokenFacts {
  readonly value: string | undefined;
  /** Without an upstream, nothing says the type of a token. */
  readonly isOfAnyType?: true;
}

interface TokensParts {
  /** Those of the values that are tokens of SDKs. Throws UpstreamError. */
  readonly validate: (values: readonly string[]) => Promise<readonly ValidToken[]>;
  /** The values that were given at the start. */
  readonly given: readonly string[];
  /** Other tokens are refused. */
  readonly isStrict: boolean;
  /** How long a token works after the upstream has confirmed it last. */
  readonly trustMs: number;
  readonly clock: Clock;
  /** In ms since 1970. */
  readonly now: () => number;
  readonly random: () => number;
  /** Called after each change of the known tokens. */
  readonly onChange: () => void;
  readonly logger: Logger;
}

export interface Tokens {
  /** Undefined: the upstream does not know the value. Throws Refusal if that is not certain. */
  lookUp(value: string): Promise<EdgeToken | undefined>;
  bySha256(sha256: string): EdgeToken | undefined;
  /** Whether the upstream has said of each given token what it is for, or that it does not know it. */
  areGivenAnswered(): boolean;
  all(): Iterable<EdgeToken>;
  /** Asks the upstream again. False: it does not know the token any more, or for another scope. */
  recheck(token: EdgeToken): Promise<boolean>;
  /** Takes over what was known before a restart. */
  restore(tokens: readonly TokenFacts[]): void;
  /** Confirms the given tokens, then all known ones, again and again. */
  run(signal: AbortSignal): Promise<void>;
}

/** A token that was revoked must stop working within a minute. */
const CONFIRM_EVERY_MS = 40_000;
/** As long as given tokens have not been confirmed once. */
const RETRY_MS = 1_000;
/** The limit of one request to the upstream. */
const MAX_ASKED = 100;
/** The bound of the known tokens; the ones that were not used for the longest time are dropped. */
const MAX_KNOWN = 10_000;
const MAX_WRONG = 10_000;
const WRONG_FOR_MS = 60_000;
/** Unknown values per minute, so that guesses cannot use up the limit of the edge at its upstream. */
const MAX_ASKED_PER_MINUTE = 300;

export function createEdgeTokens(parts: TokensParts): Tokens {
  const { given, isStrict, trustMs, clock, now, random, onChange, logger } = parts;
  const { known, wrong, ask } = knownTokens(parts);
  const mayAsk = createTokenBucket({ clock, burst: MAX_ASKED_PER_MINUTE, perSecond: MAX_ASKED_PER_MINUTE / 60 });
  const givenBySha256 = new Map(given.map((value) => [digestOf(value), value]));
  const askTogether = batched(ask);
  const areGivenAnswered = () => [...givenBySha256.keys()].every((one) => known.has(one) || wrong.has(one));
  const trusted = (token: EdgeToken): EdgeToken => {
    if (now() - token.confirmedAt <= trustMs) return token;
    throw doubtful(`the upstream has not confirmed the token since ${new Date(token.confirmedAt).toISOString()}`);
  };
  const recall = (sha256: string, value: string): EdgeToken | undefined => {
    const found = known.get(sha256);
    if (found?.value !== undefined || !found) return found;
    // After a restart, the value is what the upstream must be asked with.
    const complete = { ...found, value };
    known.set(sha256, complete);
    onChange();
    return complete;
  };
  const confirmAll = async (): Promise<void> => {
    const values = new Set([...given, ...[...known.values()].flatMap(({ value }) => value ?? [])]);
    const failure = await failureOf(ask([...values]));
    if (failure) logger.debug({ reason: failure.message }, 'tokens: cannot be confirmed');
  };

  return {
    async lookUp(value) {
      const sha256 = digestOf(value);
      const found = recall(sha256, value);
      if (found) return trusted(found);
      if (wrong.has(sha256) || (isStrict && !givenBySha256.has(sha256))) return undefined;
      if (!mayAsk()) throw doubtful('too many unknown tokens were sent within a minute');
      if (await failureOf(askTogether(value))) throw doubtful('the upstream cannot be asked now');
      return known.get(sha256);
    },

    bySha256: (sha256) => known.peek(sha256),
    areGivenAnswered,
    all: () => known.values(),

    async recheck({ sha256, value, ...before }) {
      if (value === undefined) return known.has(sha256);
      const failure = await failureOf(askTogether(value));
      return failure !== undefined || isSameScope(before, known.peek(sha256));
    },

    restore(tokens) {
      for (const token of tokens) {
        const value = givenBySha256.get(token.sha256);
        if (!isStrict || value !== undefined) known.set(token.sha256, { ...token, value });
      }
      onChange();
    },

    async run(signal) {
      while (!signal.aborted) {
        await confirmAll();
        await pause(clock, (areGivenAnswered() ? CONFIRM_EVERY_MS : RETRY_MS) * (0.8 + 0.2 * random()), signal);
      }
    },
  };
}

/** What the upstream has said about values. */
function knownTokens({ validate, given, now, onChange, logger }: TokensParts) {
  const known = new LRUCache<string, EdgeToken>({ max: MAX_KNOWN });
  const wrong = new LRUCache<string, true>({ max: MAX_WRONG, ttl: WRONG_FOR_MS, ttlResolution: 0 });
  /** Returns whether the scope of the value has changed. */
  const learn = (value: string, valid: ValidToken | undefined): boolean => {
    const sha256 = digestOf(value);
    const before = known.peek(sha256);
    if (valid) {
      const { token: _, ...scope } = valid;
      known.set(sha256, { ...scope, sha256, value, confirmedAt: now() });
      wrong.delete(sha256);
    } else {
      if (known.delete(sha256)) logger.warn(shownToken(sha256), 'tokens: not valid at the upstream any more');
      else if (given.includes(value) && !wrong.has(sha256))
        logger.warn(shownToken(sha256), 'tokens: not known at the upstream');
      wrong.set(sha256, true);
    }
    return !isSameScope(before, valid);
  };
  return {
    known,
    wrong,
    async ask(values: readonly string[]): Promise<void> {
      for (let at = 0; at < values.length; at += MAX_ASKED) {
        const asked = values.slice(at, at + MAX_ASKED);
        const valid = new Map((await validate(asked)).map((one) => [one.token, one]));
        const changed = asked.filter((value) => learn(value, valid.get(value)));
        if (changed.length > 0) onChange();
      }
    },
  };
}

/** Enough to find a token in a log, and useless as a token. */
function shownToken(sha256: string) {
  return { sha256: sha256.slice(0, 12) };
}

type Scoped = Pick<ValidToken, 'type' | 'environment' | 'projects'>;

export function isSameScope(one: Scoped | undefined, other: Scoped | undefined): boolean {
  if (!one || !other) return one === other;
  return one.type === other.type && one.environment === other.environment && `${one.projects}` === `${other.projects}`;
}

function doubtful(why: string): Refusal {
  const message = `It is not known whether the token is valid: ${why}. Try again.`;
  return new Refusal('doubtful-token', message, { retryAfterSeconds: 5 });
}

/** Asks for all values together that come while a request is under way. */
function batched(ask: (values: readonly string[]) => Promise<void>): (value: string) => Promise<void> {
  let waiting: Set<string> | undefined;
  let next: Promise<void> | undefined;
  let present: Promise<unknown> = Promise.resolve();
  return (value) => {
    if (!waiting || !next) {
      const values = new Set<string>();
      waiting = values;
      next = present.then(() => {
        waiting = undefined;
        return ask([...values]);
      });
      present = next.catch(() => undefined);
    }
    waiting.add(value);
    return next;
  };
}
