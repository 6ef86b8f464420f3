/** Recognises tokens of Kubernetes, and asks for their owners what they may do; answers are remembered for seconds. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { AppError, isAppError } from '../../errors.ts';
import type { Access, Identity, Reviews } from '../../kube/reviews.ts';
import { GROUP } from '../../schema/kind.ts';
import type { Recognise } from './authenticate.ts';
import { kubernetesCaller } from './kubernetes-caller.ts';

/** A revoked token and a withdrawn right are still good for so long. */
const REMEMBERED_MS = 5_000;
const MOST_TOKENS = 10_000;
const MOST_VERDICTS = 20_000;

/** Questions to the API server at the same time. */
const AT_ONCE = 16;
/** Whoever sends tokens that nobody knows must not make everyone wait for long. */
const MOST_WAITING = 256;
/** A token that was somebody's is asked about before all others, so that a flood of wrong ones keeps nobody out who was in. */
const TRUSTED_MS = 3_600_000;

/** What no token of Kubernetes looks like: our own tokens, and what no header of ours may hold. Takes time as the length does. */
const FOREIGN = /^user:|^[^.:]*:[^.]*\.|[^\x21-\x7e]/;
const LONGEST_TOKEN = 16_384;

interface Known {
  readonly identity: Identity;
  /** Tells this identity from every other. */
  readonly key: string;
}

export function kubernetesTokens(reviews: Reviews): Recognise {
  const owners = rememberOwners(reviews);
  const verdicts = rememberVerdicts(reviews);
  return async (token, from) => {
    if (token.length > LONGEST_TOKEN || FOREIGN.test(token)) return undefined;
    // The token itself is kept nowhere.
    const owner = await owners.fetch(hash('sha256', token), { context: token });
    if (!owner || owner === 'nobody') return undefined;
    const allows = async (access: Access): Promise<boolean> => {
      const { verb, group = GROUP, resource, namespace, name = '' } = access;
      const key = [owner.key, verb, group, resource, namespace, name].join('\n');
      return (await verdicts.fetch(key, { context: { identity: owner.identity, access } })) === 'allowed';
    };
    return kubernetesCaller({ name: owner.identity.username, via: 'kubernetes-token', from }, allows);
  };
}

function rememberOwners(reviews: Reviews) {
  const unknown = pLimit(AT_ONCE);
  const trusted = pLimit(AT_ONCE);
  const wasGood = new LRUCache<string, true>({ max: MOST_TOKENS, ttl: TRUSTED_MS });
  return new LRUCache<string, Known | 'nobody', string>({
    max: MOST_TOKENS,
    ttl: REMEMBERED_MS,
    fetchMethod: async (digest, _stale, { context: token }) => {
      const limit = wasGood.has(digest) ? trusted : unknown;
      if (limit.pendingCount >= MOST_WAITING) {
        throw new AppError('unavailable', 'Too many tokens wait to be reviewed by the API server. Try again soon.');
      }
      const identity = await limit(() => reviews.identify(token)).catch(nobodyWithoutReviews);
      if (!identity) {
        wasGood.delete(digest);
        return 'nobody';
      }
      wasGood.set(digest, true);
      return { identity, key: hash('sha256', JSON.stringify(identity)) };
    },
  });
}

/** Where Vexil may not ask, tokens of Kubernetes are nobody's: the start has said so. */
function nobodyWithoutReviews(error: unknown): undefined {
  if (!isAppError(error, 'forbidden')) throw error;
}

interface Question {
  readonly identity: Identity;
  readonly access: Access;
}

function rememberVerdicts(reviews: Reviews) {
  const limit = pLimit(AT_ONCE);
  return new LRUCache<string, 'allowed' | 'denied', Question>({
    max: MOST_VERDICTS,
    ttl: REMEMBERED_MS,
    fetchMethod: async (_key, _stale, { context: { identity, access } }) =>
      (await limit(() => reviews.allows(identity, access)).catch(explainForbidden)) ? 'allowed' : 'denied',
  });
}

/** It is Vexil that may not ask, not the caller who may not do it. */
function explainForbidden(cause: unknown): never {
  if (!isAppError(cause, 'forbidden')) throw cause;
  const message = 'Vexil may not ask the API server for permissions: bind the ClusterRole system:auth-delegator to it.';
  throw new AppError('unavailable', message, { cause });
}
