/** Whether an unknown value may be that of a token whose Secret has changed since the operator recorded its digest. */
import { LRUCache } from 'lru-cache';
import { SECRET_AGAIN_MS } from '../../domain/tokens/judge-api-token.ts';
import { type FoundSecret, secretRefOf, secretStateOf } from '../../domain/tokens/token-secret.ts';
import { isExpired } from '../../domain/tokens/token-validity.ts';
import { isClusterError } from '../../errors.ts';
import type { Ref } from '../../model/object.ts';
import type { ApiToken } from '../../schema/api-token.ts';

/** The bound of the values that are remembered; the least recently sent are forgotten. */
const MAX_VALUES = 10_000;
/** What the leader takes to read all Secrets whose time has come, and the watch to report it. */
const SLACK_MS = 15_000;
/** The longest doubt about one value. */
export const DOUBT_MS = SECRET_AGAIN_MS + SLACK_MS;
/** The share of each Secret in the time between two readings, which bounds the calls that unknown values cause. */
export const PAUSE_MS_PER_SECRET = 100;
export const MIN_PAUSE_MS = 1_000;

export interface TokenDoubt {
  /** False: the value is certainly wrong. */
  mayBeKnownSoon(sha256: string): Promise<boolean>;
}

interface Parts {
  readonly tokens: () => readonly ApiToken[];
  /** Undefined: no Secret has that name. */
  readonly readSecret: (ref: Ref) => Promise<FoundSecret | undefined>;
  /** In ms since 1970. */
  readonly now: () => number;
}

/** What the Secrets hold. */
interface SecretDigests {
  readonly digests: ReadonlySet<string>;
  /** False if some Secrets could not be read. */
  readonly isComplete: boolean;
}

interface SecretsReading {
  readonly number: number;
  readonly beganAt: number;
  readonly found: Promise<SecretDigests>;
}

interface SentToken {
  /** The number of the latest reading that had begun when the value was sent first. */
  readonly after: number;
  doubtedSince?: number | undefined;
}

/**
 * A value is wrong once a reading of the Secrets that began after it was first sent has not found it. All unknown
 * values share the readings. A Secret that is missing is read too, and makes no value doubtful.
 */
export function tokenDoubt({ tokens, readSecret, now }: Parts): TokenDoubt {
  const known = new LRUCache<string, SentToken>({ max: MAX_VALUES });
  let latest: SecretsReading | undefined;
  const latestReading = (open: readonly ApiToken[]): SecretsReading => {
    if (latest && now() - latest.beganAt < pauseMs(open.length)) return latest;
    latest = { number: (latest?.number ?? 0) + 1, beganAt: now(), found: readAll(open, readSecret) };
    return latest;
  };
  return {
    async mayBeKnownSoon(sha256) {
      const open = tokens().filter((token) => mayHaveAnotherValue(token, now()));
      if (open.length === 0) return false;
      const sent = known.get(sha256) ?? { after: latest?.number ?? 0 };
      known.set(sha256, sent);
      const { number, found } = latestReading(open);
      if (number <= sent.after) return true;
      const { digests, isComplete } = await found;
      if (digests.has(sha256) || !isComplete) return isStillDoubted(sent, now());
      sent.doubtedSince = undefined;
      return false;
    },
  };
}

function isStillDoubted(sent: SentToken, now: number): boolean {
  sent.doubtedSince ??= now;
  return now - sent.doubtedSince < DOUBT_MS;
}

function pauseMs(secrets: number): number {
  return Math.min(Math.max(secrets * PAUSE_MS_PER_SECRET, MIN_PAUSE_MS), DOUBT_MS);
}

/** A generated value never changes, and a token with defects is never valid. */
function mayHaveAnotherValue(token: ApiToken, now: number): boolean {
  const isOpen = token.spec.secretRef !== undefined || token.status?.sha256 === undefined;
  return isOpen && token.spec.environment !== undefined && token.defects.length === 0 && !isExpired(token, now);
}

/** Reads one Secret after the other, so that unknown values never cause more than one call at a time. */
async function readAll(tokens: readonly ApiToken[], readSecret: Parts['readSecret']): Promise<SecretDigests> {
  const digests = new Set<string>();
  let isComplete = true;
  for (const token of tokens) {
    const state = await stateOf(token, readSecret);
    if (state === undefined) isComplete = false;
    else if (state.state === 'value') digests.add(state.sha256);
  }
  return { digests, isComplete };
}

/** Undefined if the Secret cannot be read now. */
async function stateOf(token: ApiToken, readSecret: Parts['readSecret']) {
  try {
    return secretStateOf(token, await readSecret(secretRefOf(token)));
  } catch (error) {
    // No replica can read it, so no value of it becomes known.
    if (isClusterError(error, 'missing-permission')) return { state: 'missing' } as const;
    if (isClusterError(error)) return undefined;
    throw error;
  }
}
