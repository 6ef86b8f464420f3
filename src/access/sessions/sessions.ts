/** Sessions of browsers: each is its own cookie, so replicas share nothing but the keys. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { expiryOf } from '../../domain/tokens/token-validity.ts';
import { Refusal } from '../../errors.ts';
import { readJson, recordOf } from '../../model/json.ts';
import type { ClaimMapping } from '../../model/settings/oidc-settings.ts';
import { isUserOfClaims, type OidcUser } from '../authentication/oidc-user.ts';
import { keyIdOf, type Purpose, seal, unseal } from './seal.ts';
import type { SessionKeys } from './session-keys.ts';

/** A working day. */
export const MAX_SESSION_MS = 12 * 3_600_000;
/** The maximum length of credentials: the resulting cookie has 4 kB, the most that browsers keep. */
const MAX_LENGTH = 2_800;

const times = {
  /** Ms since 1970. */
  startedAt: z.number(),
  /** Ms since 1970. */
  endsAt: z.number(),
};

const SESSION = {
  name: 'vexil session 1',
  schema: z.union([
    z.object({ token: z.string(), ...times }),
    z.object({
      user: z.object({ username: z.string(), groups: z.array(z.string()) }),
      /** The settings by which the user was authenticated. */
      provider: z.string(),
      ...times,
    }),
  ]),
} as const satisfies Purpose<unknown>;
export type Session = z.infer<typeof SESSION.schema>;

export interface StartedSession {
  /** The value of the cookie. */
  readonly value: string;
  /** Ms since 1970. */
  readonly endsAt: number;
}

/** What a session stands for instead of an Authorization header. */
export type SessionCredentials = { readonly authorization: string } | { readonly user: OidcUser };

export interface Sessions {
  /** The token must have been authenticated. */
  start(token: string): Promise<StartedSession>;
  /** The user must have been authenticated by the identity provider, until `expiresAt` in ms since 1970. */
  startAs(user: OidcUser, expiresAt: number): Promise<StartedSession>;
  /** What the value of a cookie stands for; undefined: the session has ended, or there was none. */
  credentialsIn(value: string): Promise<SessionCredentials | undefined>;
}

export interface SessionProvider {
  /** Identifies the settings: sessions that began with other settings end. */
  readonly id: string;
  readonly claims: ClaimMapping;
}

export interface SessionsParts {
  readonly keys: SessionKeys;
  readonly catalog: Pick<Catalog, 'tokenByHash'>;
  /** Undefined if there is no identity provider. */
  readonly provider: SessionProvider | undefined;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function createSessions({ keys, catalog, provider, now }: SessionsParts): Sessions {
  const expiryOfToken = (token: string): number | undefined => {
    const apiToken = catalog.tokenByHash(hash('sha256', token));
    return apiToken ? expiryOf(apiToken.spec) : expiryOfJwt(token);
  };
  const timesUntil = (expiresAt = Number.POSITIVE_INFINITY) => {
    const startedAt = now();
    return { startedAt, endsAt: Math.min(startedAt + MAX_SESSION_MS, expiresAt) };
  };
  const sealed = async (session: Session): Promise<StartedSession> => ({
    value: seal(await keys.sealing(), SESSION, session),
    endsAt: session.endsAt,
  });
  return {
    async start(token) {
      requireShort(token, 'The token is');
      return sealed({ token, ...timesUntil(expiryOfToken(token)) });
    },
    async startAs({ username, groups }, expiresAt) {
      if (provider === undefined) throw new Refusal('unauthenticated', 'There is no identity provider.');
      const user = { username, groups: [...groups] };
      requireShort(JSON.stringify(user), 'The name and the groups of the user are');
      return sealed({ user, provider: provider.id, ...timesUntil(expiresAt) });
    },
    async credentialsIn(value) {
      const key = await keys.withId(keyIdOf(value));
      const session = key && unseal(key, SESSION, value);
      if (!session || now() >= session.endsAt) return undefined;
      if ('token' in session) return { authorization: session.token };
      // Who has planted the key can seal any session, but only as a user whom the provider could name.
      if (session.provider !== provider?.id || !isUserOfClaims(session.user, provider.claims)) return undefined;
      return { user: session.user };
    },
  };
}

function requireShort(text: string, what: string): void {
  if (Buffer.byteLength(text) <= MAX_LENGTH) return;
  throw new Refusal('invalid', `${what} longer than ${MAX_LENGTH} characters, which no cookie can hold.`);
}

/**
 * When a JSON Web Token expires, in ms since 1970 (RFC 7519 §4.1.4); undefined if it contains no expiry. The caller has
 * verified it.
 */
function expiryOfJwt(token: string): number | undefined {
  const { exp } = recordOf(readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));
  return typeof exp === 'number' ? exp * 1000 : undefined;
}
