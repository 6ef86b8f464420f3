/** Authenticates SDKs by the tokens of ApiTokens. */
import { hash } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import type { ApiToken } from '../../schema/api-token.ts';
import type { MarkSeen } from './api-tokens.ts';
import { bearerOf, matchesToken, type Presented, tokenIn, unauthenticated, WRONG } from './authenticate.ts';
import { refusalOfStreamKey, streamKeyOf, uidOfStreamKey } from './stream-keys.ts';
import type { TokenDoubt } from './token-doubt.ts';

/** The flags that an SDK reads. */
export interface SdkScope {
  readonly environment: string;
  /** Ids; undefined: all. */
  readonly projects: readonly string[] | undefined;
}

export type SdkTokenType = 'client' | 'frontend';

export interface SdkCaller extends SdkScope {
  readonly type: SdkTokenType;
  /** The SHA-256 of the token; undefined if authentication is off. */
  readonly sha256: string | undefined;
  /** Makes a key that admits the caller to event streams. */
  readonly streamKey: () => string;
  /** Whether the same credentials still have this scope, as far as this replica knows. */
  readonly isStillAllowed: () => boolean;
}

export interface SdkRequest {
  /** The types of tokens that the endpoint takes; the first is the caller's where authentication is off. */
  readonly types: readonly [SdkTokenType, ...SdkTokenType[]];
  /** The environment that the request names. */
  readonly environment: string | undefined;
}

/** Each function throws if the caller may not read flags, or if that is not certain. */
export interface AuthenticateSdk {
  readonly byToken: (presented: Presented, request: SdkRequest) => Promise<SdkCaller>;
  readonly byStreamKey: (key: string) => Promise<SdkCaller>;
}

interface Parts {
  readonly catalog: Catalog;
  readonly adminToken: string | undefined;
  readonly markSeen: MarkSeen;
  readonly doubt: TokenDoubt;
  readonly countFailure: (from: string | undefined) => void;
  /** Throws while the caches may lack a token. */
  readonly requireCertain: { readonly ready: () => void; readonly connected: () => void };
  /** In ms since 1970. */
  readonly now: () => number;
}

/** 401 and 403 end most SDKs for good, so a token is refused only by a replica that is certain (ADR 39). */
export function sdkTokens(parts: Parts): AuthenticateSdk {
  const { catalog, adminToken, markSeen, doubt, countFailure, requireCertain, now } = parts;
  const isAdminToken = adminToken === undefined ? undefined : matchesToken(adminToken);
  const refusalOfUnknown = async (sha256: string, from: string | undefined): Promise<unknown> => {
    // A guess counts, whether or not this replica is certain about it.
    countFailure(from);
    requireCertain.connected();
    if (await doubt.mayBeKnownSoon(sha256)) return unknownYet();
    return unauthenticated(WRONG);
  };
  /** Undefined: the token is of another type. */
  const callerWith = (token: ApiToken, sha256: string, types: SdkRequest['types']): SdkCaller | undefined => {
    const { type: given, environment, projects } = token.spec;
    const type = types.find((one) => one === given);
    if (type === undefined || environment === undefined) return undefined;
    markSeen(token);
    return {
      type,
      environment,
      projects: projects ?? undefined,
      sha256,
      streamKey: () => streamKeyOf(token.metadata.uid, sha256, now()),
      isStillAllowed: () => isSameScope(catalog.tokenByHash(sha256)?.spec, token.spec),
    };
  };
  return {
    async byToken(presented, { types }) {
      const value = bearerOf(presented.authorization);
      if (isAdminToken?.(value)) {
        throw wrongType('The bootstrap token', 'admin', types);
      }
      requireCertain.ready();
      const sha256 = hash('sha256', value);
      const token = catalog.tokenByHash(sha256);
      if (!token) throw await refusalOfUnknown(sha256, presented.from);
      const caller = callerWith(token, sha256, types);
      if (!caller) throw wrongType(`The token "${wireNameOf(token)}"`, token.spec.type, types);
      return caller;
    },

    async byStreamKey(key) {
      requireCertain.ready();
      const uid = uidOfStreamKey(key, (one) => catalog.tokenByUid(one)?.status?.sha256, now());
      const token = uid === undefined ? undefined : catalog.tokenByUid(uid);
      const caller = token?.status?.sha256 && callerWith(token, token.status.sha256, ['client', 'frontend']);
      if (caller) return caller;
      requireCertain.connected();
      // Not counted as a failure to authenticate: an address that has expired is no attack, and none can be guessed.
      throw refusalOfStreamKey();
    },
  };
}

function isSameScope(one: ApiToken['spec'] | undefined, other: ApiToken['spec']): boolean {
  if (one === other) return true;
  return one?.type === other.type && one.environment === other.environment && `${one.projects}` === `${other.projects}`;
}

/** The environment that SDKs of browsers name unless the application names one. */
const UNSET = 'default';

/**
 * Used if authentication is off: the environment is the one that the request names, otherwise the one of the token if
 * it is known, otherwise the first in order. No token is needed, and none is refused.
 */
export function anySdk(catalog: Catalog, requireReady: () => void): AuthenticateSdk {
  const callerIn = (asked: string | undefined, type: SdkTokenType): SdkCaller => {
    const [first] = catalog.environments();
    const found = asked === undefined ? first : (catalog.environment(asked) ?? (asked === UNSET ? first : undefined));
    if (found) {
      const environment = wireNameOf(found);
      const isStillAllowed = () => catalog.environment(environment) !== undefined;
      const ofAll = { projects: undefined, sha256: undefined };
      return { type, environment, ...ofAll, streamKey: () => environment, isStillAllowed };
    }
    const which = asked === undefined ? 'no environment: create one' : `no environment "${asked}"`;
    throw new Refusal('not-found', `There is ${which}.`);
  };
  const environmentOf = (authorization = '') =>
    catalog.tokenByHash(hash('sha256', tokenIn(authorization)))?.spec.environment;
  return {
    byToken: async ({ authorization }, { types: [type], environment }) => {
      requireReady();
      return callerIn(environment ?? environmentOf(authorization), type);
    },
    byStreamKey: async (key) => {
      requireReady();
      return callerIn(key, 'frontend');
    },
  };
}

export function unknownYet(): Refusal {
  const message = 'The token is not known. Vexil may not have read its Secret yet. Try again within two minutes.';
  return new Refusal('doubtful-token', message);
}

function wrongType(which: string, type: string, wanted: SdkRequest['types']): Refusal {
  const message = `${which} is of type ${type}: this endpoint takes ${wanted.join(' and ')} tokens, which are for one environment.`;
  return new Refusal('forbidden', message);
}
