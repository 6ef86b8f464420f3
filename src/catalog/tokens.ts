/** The API tokens by their values. */
import { compareAge, compareText, type Named, wireNameOf } from '../domain/identity/names.ts';
import { isUserOf } from '../domain/tokens/token-user.ts';
import { isValidToken, reachesProject } from '../domain/tokens/token-validity.ts';
import type { Ref } from '../model/object.ts';
import type { ApiToken } from '../schema/api-token.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Cached } from './cached.ts';
import { conflictingOwnerOf, nameOwner, nameOwners, oldest } from './holders.ts';

export interface TokenCache {
  readonly tokens: Cached<ApiToken, 'wireName' | 'uid' | 'sha256' | 'environment'>;
}

interface Parts extends TokenCache {
  readonly userNamed: (username: string) => FlagUser | undefined;
  /** Ms since 1970. */
  readonly now: () => number;
}

export interface TokenLookups {
  /**
   * The tokens that own their names, valid or not: the oldest first, then by wire name. The same list until a
   * token changes.
   */
  tokens(): readonly ApiToken[];
  /** The token that owns this name, valid or not. */
  token(name: string): ApiToken | undefined;
  /**
   * The token that is in force now and whose value has this SHA-256, in lower-case hex. Of tokens with one value only
   * the oldest can be. It follows the watch and the clock of this replica, and waits for no status.
   */
  tokenByHash(sha256: string): ApiToken | undefined;
  /** As `tokenByHash`, by the uid of the object. */
  tokenByUid(uid: string): ApiToken | undefined;
  /** The older token that owns the name of this one; undefined: none. */
  tokenConflictWith(token: ApiToken): Ref | undefined;
  /** The older token that has the value with this SHA-256, if there is one. */
  valueConflictWith(token: ApiToken, sha256: string): Ref | undefined;
  /** How many tokens name an environment; with a project, how many of those include the project. */
  tokenCount(environment: string, projectId?: string): number;
}

export function createTokens({ tokens, userNamed, now }: Parts): TokenLookups {
  let inOrder: readonly ApiToken[] | undefined;
  tokens.subscribe(() => {
    inOrder = undefined;
  });
  const isServed = (token: ApiToken) => !conflictingOwnerOf(tokens, token);
  const hasItsUser = (token: ApiToken) => {
    const { user: username } = token.spec;
    const user = username === undefined ? undefined : userNamed(username);
    return username === undefined || (user !== undefined && isUserOf(token, user));
  };

  const tokenByHash = (sha256: string): ApiToken | undefined => {
    const token = oldest(tokens, 'sha256', sha256);
    return token && isValidToken(token, now()) && isServed(token) && hasItsUser(token) ? token : undefined;
  };

  return {
    tokens(): readonly ApiToken[] {
      inOrder ??= nameOwners(tokens).sort(compareCreation);
      return inOrder;
    },

    token: (name: string): ApiToken | undefined => nameOwner(tokens, name),

    tokenByHash,

    tokenByUid(uid: string): ApiToken | undefined {
      const [token] = tokens.by('uid', uid);
      const sha256 = token?.status?.sha256;
      return sha256 !== undefined && tokenByHash(sha256) === token ? token : undefined;
    },

    tokenConflictWith: (token: ApiToken): Ref | undefined => conflictingOwnerOf(tokens, token),

    valueConflictWith(token: ApiToken, sha256: string): Ref | undefined {
      const found = oldest(tokens, 'sha256', sha256);
      return found && compareAge(found, token) < 0 ? found.metadata : undefined;
    },

    tokenCount(environment: string, projectId?: string): number {
      return tokens
        .by('environment', environment)
        .filter((token) => isServed(token) && (projectId === undefined || reachesProject(token, projectId))).length;
    },
  };
}

function compareCreation(one: Named, other: Named): number {
  const [created, otherCreated] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp];
  return compareText(created, otherCreated) || compareText(wireNameOf(one), wireNameOf(other));
}
