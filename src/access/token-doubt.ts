/** Whether an unknown token may be one whose Secret has not been read since its value changed. */
import { LRUCache } from 'lru-cache';
import { SECRET_AGAIN_MS } from '../domain/tokens/judge-api-token.ts';
import { isExpired } from '../domain/tokens/token-validity.ts';
import type { ApiToken } from '../schema/api-token.ts';

/** The bound of the values that are remembered; the least recently sent are forgotten. */
const MAX_VALUES = 10_000;
/** What the leader takes to read all Secrets whose time has come, and the watch to report it. */
const SLACK_MS = 15_000;
export const DOUBT_MS = SECRET_AGAIN_MS + SLACK_MS;

export interface TokenDoubt {
  mayBeKnownSoon(sha256: string): boolean;
}

interface Parts {
  readonly tokens: () => readonly ApiToken[];
  /** In ms since 1970. */
  readonly now: () => number;
}

/** The leader reads each Secret once a minute: a value that stays unknown for longer is in none of them. */
export function tokenDoubt({ tokens, now }: Parts): TokenDoubt {
  const firstSent = new LRUCache<string, number>({ max: MAX_VALUES });
  return {
    mayBeKnownSoon(sha256) {
      if (!tokens().some((token) => maySoonHaveAnotherValue(token, now()))) return false;
      const since = firstSent.get(sha256) ?? now();
      firstSent.set(sha256, since);
      return now() - since < DOUBT_MS;
    },
  };
}

/** A generated value never changes. */
function maySoonHaveAnotherValue(token: ApiToken, now: number): boolean {
  const isOpen = token.spec.secretRef !== undefined || token.status?.sha256 === undefined;
  return isOpen && token.spec.type === 'client' && !isExpired(token, now);
}
