/** Authenticates and authorizes Kubernetes users by cached token and access reviews. */

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Author } from '../../domain/identity/author.ts';
import { isClusterError, isKnownError, Refusal } from '../../errors.ts';
import type { Access, Identity, Reviews } from '../../kube/api/reviews.ts';
import { GROUP } from '../../model/kind.ts';
import type { Caller, Sent } from '../caller.ts';
import type { Recognise } from './authenticate.ts';
import type { OidcUser } from './oidc-user.ts';

const MAX_TOKENS = 10_000;
const MAX_VERDICTS = 20_000;

/** Concurrent reviews. */
const CONCURRENCY = 16;
/** The bound of the queue, so that a flood of unknown tokens does not delay other callers for long. */
const MAX_WAITING = 256;
/** Tokens that were valid within this time have a queue of their own, so that unknown tokens do not delay them. */
const TRUSTED_MS = 3_600_000;

/**
 * Values that are no Kubernetes tokens: tokens of Vexil, and characters that no header may contain. Matches in linear
 * time.
 */
const FOREIGN = /^user:|^[^.:]*:[^.]*\.|[^\x21-\x7e]/;
const MAX_TOKEN_LENGTH = 16_384;

interface KnownIdentity {
  readonly identity: Identity;
  /** Unique for each identity. */
  readonly key: string;
}

export interface KubernetesUsers {
  /** Authenticates callers by tokens of the cluster. */
  readonly recognise: Recognise;
  /** Makes the caller for a user whom the identity provider has authenticated. */
  readonly callerOf: (user: OidcUser, from: string | undefined) => Caller;
}

/** A revoked token and a withdrawn permission remain effective for `cacheMs`. */
export function kubernetesUsers(reviews: Reviews, cacheMs: number): KubernetesUsers {
  const owners = rememberOwners(reviews, cacheMs);
  const verdicts = rememberVerdicts(reviews, cacheMs);
  const callerOf = (known: KnownIdentity, author: Pick<Author, 'via' | 'from'>): Caller => {
    const allows = async (access: Access, inGroups?: readonly string[]): Promise<boolean> => {
      const { identity, key: owner } = inGroups ? knownBy({ ...known.identity, groups: inGroups }) : known;
      const { verb, group = GROUP, resource, namespace, name = '' } = access;
      const key = [owner, verb, group, resource, namespace, name].join('\n');
      return (await verdicts.fetch(key, { context: { identity, access } })) === 'allowed';
    };
    const { username, groups } = known.identity;
    return kubernetesCaller({ name: username, ...author }, groups, allows);
  };
  return {
    async recognise({ value, sha256 }, from) {
      if (value.length > MAX_TOKEN_LENGTH || FOREIGN.test(value)) return undefined;
      // The cache holds the digest, never the token.
      const owner = await owners.fetch(sha256, { context: value });
      return !owner || owner === 'unknown' ? undefined : callerOf(owner, { via: 'kubernetes-token', from });
    },
    callerOf: (user, from) => callerOf(knownBy({ ...user, extra: {} }), { via: 'oidc', from }),
  };
}

function knownBy(identity: Identity): KnownIdentity {
  return { identity, key: hash('sha256', JSON.stringify(identity)) };
}

function rememberOwners(reviews: Reviews, cacheMs: number) {
  const unknown = pLimit(CONCURRENCY);
  const trusted = pLimit(CONCURRENCY);
  const recentlyValid = new LRUCache<string, true>({ max: MAX_TOKENS, ttl: TRUSTED_MS });
  const review = async (limit: LimitFunction, token: string): Promise<Identity | undefined> => {
    if (limit.pendingCount >= MAX_WAITING) {
      throw new Refusal('unavailable', 'Too many tokens wait to be reviewed by the API server. Try again soon.');
    }
    return limit(() => reviews.identify(token)).catch(failWithoutReviews);
  };
  return new LRUCache<string, KnownIdentity | 'unknown', string>({
    max: MAX_TOKENS,
    ttl: cacheMs,
    fetchMethod: async (digest, _stale, { context: token }) => {
      const isTrusted = recentlyValid.has(digest);
      const identity = await review(isTrusted ? trusted : unknown, token).catch((error: unknown) => {
        throw isTrusted ? error : doubtful(error);
      });
      if (!identity) {
        recentlyValid.delete(digest);
        return 'unknown';
      }
      recentlyValid.set(digest, true);
      return knownBy(identity);
    },
  });
}

/** Without the permission to review tokens, Kubernetes tokens are unknown. A warning at the start reports it. */
function failWithoutReviews(error: unknown): undefined {
  if (!isClusterError(error, 'missing-permission')) throw error;
}

/** The same error for a token that is not known: it counts as a wrong one. */
function doubtful(error: unknown): unknown {
  if (!isKnownError(error) || error.code !== 'unavailable') return error;
  const { message, retryAfterSeconds } = error;
  return new Refusal('doubtful-token', message, { cause: error, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

interface AccessQuestion {
  readonly identity: Identity;
  readonly access: Access;
}

function rememberVerdicts(reviews: Reviews, cacheMs: number) {
  const limit = pLimit(CONCURRENCY);
  return new LRUCache<string, 'allowed' | 'denied', AccessQuestion>({
    max: MAX_VERDICTS,
    ttl: cacheMs,
    fetchMethod: async (_key, _stale, { context: { identity, access } }) =>
      (await limit(() => reviews.allows(identity, access))) ? 'allowed' : 'denied',
  });
}

/** `allows` reviews the access of this caller. */
function kubernetesCaller(
  author: Author,
  groups: readonly string[],
  allows: (access: Access, inGroups?: readonly string[]) => Promise<boolean>,
): Caller {
  return {
    author,
    person: { kind: 'User', name: author.name, groups },
    async refusal({ accesses = [], sent, inGroups }) {
      const verdicts = await Promise.all(accesses.map((access) => allows(access, inGroups)));
      const denied = accesses.find((_, index) => !verdicts[index]);
      return denied && missing(author.name, denied, sent);
    },
    refusalOfWrite: async (access, sent) => ((await allows(access)) ? undefined : missing(author.name, access, sent)),
  };
}

/** Worded as by kubectl, except that name and namespace of the object appear only as the caller sent them. */
function missing(username: string, { verb, group = GROUP, resource }: Access, { object, place }: Sent = {}): string {
  const named = object === undefined || object === '' ? '' : ` "${object}"`;
  const where = place === undefined ? '' : ` in ${place}`;
  return `User "${username}" cannot ${verb} resource "${resource}"${named} in API group "${group}"${where}.`;
}
