/** One subscription for each scope of client tokens that no other one covers. */
import type { Scope } from '../delivery/flag-origin.ts';
import { pause } from '../model/clock.ts';
import type { ClientDocument } from '../wire/client/read-document.ts';
import type { FlagSource } from './flags.ts';
import { follow, type SubscriptionParts } from './subscription.ts';
import type { EdgeToken, Tokens } from './tokens.ts';

export interface SubscriptionState {
  readonly source: FlagSource;
  /** When the state was last that of the first upstream of a chain, in ms since 1970; undefined: not yet. */
  readonly goodAt: number | undefined;
}

interface SubscriptionsParts extends Omit<SubscriptionParts, 'source' | 'token' | 'isStillValid' | 'onGood'> {
  readonly tokens: () => Tokens;
  /** In ms since 1970. */
  readonly now: () => number;
  /** The state of the scope before a restart, once; it is served until the upstream says otherwise. */
  readonly restored: (source: FlagSource) => RestoredState | undefined;
  /** The state of the scope is the one that the upstream has now. */
  readonly onGood: (scope: SubscriptionState) => void;
  /** A scope is not followed any more, and its state is gone. */
  readonly onEnd: (source: FlagSource) => void;
  readonly onFault: (error: unknown) => void;
  /** Aborts when the program stops. */
  readonly ending: AbortSignal;
}

export interface RestoredState {
  readonly document: ClientDocument;
  /** In ms since 1970. */
  readonly goodAt: number;
}

interface Running extends Scope {
  readonly source: FlagSource;
  readonly stop: AbortController;
  token: EdgeToken;
  goodAt: number | undefined;
}

export interface Subscriptions {
  /** Starts and ends subscriptions, so that each scope of the known tokens is covered. */
  settle(): void;
  /** Resolves with true once the flags of the scope are known; with false if they are not within the time. */
  isKnown(scope: Scope, withinMs: number): Promise<boolean>;
  all(): readonly SubscriptionState[];
  /** A client token that may see all of the scope. */
  tokenFor(scope: Scope): string | undefined;
}

export function createSubscriptions(parts: SubscriptionsParts): Subscriptions {
  const { tokens, flags, clock, onEnd, ending } = parts;
  const running = new Map<string, Running>();
  /** Aborts when the flags of one more scope are known. */
  let oneMore = new AbortController();

  const wakeAll = (): void => {
    oneMore.abort();
    oneMore = new AbortController();
  };
  const start = (token: EdgeToken): void => {
    const { environment, projects } = token;
    const source = sourceOf(token);
    const stop = new AbortController();
    const before = parts.restored(source);
    if (before) flags.replace(source, before.document);
    const one: Running = { environment, projects, source, stop, token, goodAt: before?.goodAt };
    running.set(source.key, one);
    followScope(one, parts, () => {
      wakeAll();
      settle();
    });
  };
  const end = (one: Running): void => {
    one.stop.abort(new Error('no token needs the scope any more'));
    running.delete(one.source.key);
    flags.drop(one.source);
    onEnd(one.source);
  };
  const coveringOf = (scope: Scope) => [...running.values()].filter((one) => covers(one, scope));
  const isCovered = (scope: Scope) => coveringOf(scope).some(({ goodAt }) => goodAt !== undefined);
  /** Several subscriptions may cover the projects of a scope together. */
  const areFlagsThere = ({ environment, projects }: Scope) =>
    isCovered({ environment, projects }) ||
    projects?.every((id) => isCovered({ environment, projects: [id] })) === true;

  /** A scope that is no longer wanted stays until the others have its flags, so that none disappears meanwhile. */
  const settle = (): void => {
    const wanted = new Map(widest(tokens().all()).map((token) => [sourceOf(token).key, token]));
    for (const [key, token] of wanted) {
      const one = running.get(key);
      if (one) one.token = token;
      else start(token);
    }
    const isOnItsWay = ({ source, goodAt }: Running) => wanted.has(source.key) && goodAt === undefined;
    const awaited = new Set([...running.values()].filter(isOnItsWay).map(({ environment }) => environment));
    for (const one of [...running.values()]) {
      if (!wanted.has(one.source.key) && !awaited.has(one.environment)) end(one);
    }
  };

  return {
    settle,

    async isKnown(scope, withinMs) {
      const endsAt = clock.now() + withinMs;
      while (!areFlagsThere(scope)) {
        const leftMs = endsAt - clock.now();
        if (leftMs <= 0 || ending.aborted) return false;
        await pause(clock, leftMs, AbortSignal.any([ending, oneMore.signal]));
      }
      return true;
    },

    // Without the values of tokens.
    all: () => [...running.values()].map(({ source, goodAt }) => ({ source, goodAt })),
    tokenFor: (scope) => coveringOf(scope)[0]?.token.value,
  };
}

/** Calls `onFirst` when the flags of the scope are known. */
function followScope(one: Running, parts: SubscriptionsParts, onFirst: () => void): void {
  const signal = AbortSignal.any([one.stop.signal, parts.ending]);
  const work = follow(
    {
      ...parts,
      source: one.source,
      token: () => one.token.value ?? '',
      async isStillValid() {
        const asked = one.token;
        // Another token of the same scope may have taken its place.
        return (await parts.tokens().recheck(asked)) || one.token !== asked;
      },
      onGood(goodAt) {
        const isFirst = one.goodAt === undefined;
        one.goodAt = Math.min(parts.now(), goodAt ?? Number.POSITIVE_INFINITY);
        parts.onGood(one);
        if (isFirst) onFirst();
      },
    },
    signal,
  );
  work.catch((error: unknown) => {
    // What is under way ends with the reason of the signal.
    if (!signal.aborted) parts.onFault(error);
  });
}

function sourceOf({ environment, projects }: Scope): FlagSource {
  return { key: JSON.stringify([environment, projects]), environment };
}

function covers(one: Scope, other: Scope): boolean {
  if (one.environment !== other.environment) return false;
  return one.projects === undefined || other.projects?.every((id) => one.projects?.includes(id)) === true;
}

/** Client tokens with a value whose scopes no other one of them covers; of equal scopes the first. */
function widest(tokens: Iterable<EdgeToken>): readonly EdgeToken[] {
  const usable = [...tokens].filter(({ type, value }) => type === 'client' && value !== undefined);
  const distinct = [...new Map(usable.map((token) => [sourceOf(token).key, token])).values()];
  return distinct.filter((token) => !distinct.some((other) => other !== token && covers(other, token)));
}
