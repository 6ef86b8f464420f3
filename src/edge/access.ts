/** Which SDKs the edge admits. */
import { bearerOf, type Presented } from '../access/authentication/authenticate.ts';
import { createFailedSignIns } from '../access/authentication/failed-sign-ins.ts';
import type { KnownToken, TokenSender } from '../access/authentication/known-tokens.ts';
import type { AuthenticateSdk, SdkCaller, SdkRequest } from '../access/authentication/sdk-callers.ts';
import { refusalOfStreamKey, streamKeyOf, uidOfStreamKey, uuidOf } from '../access/authentication/stream-keys.ts';
import { digestOf } from '../domain/tokens/token-value.ts';
import { isRefusal, Refusal } from '../errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Subscriptions } from './subscriptions.ts';
import { type EdgeToken, isSameScope, type Tokens } from './tokens.ts';

interface EdgeAccessParts {
  readonly tokens: Pick<Tokens, 'lookUp' | 'bySha256' | 'all'>;
  readonly subscriptions: Pick<Subscriptions, 'isKnown'>;
  /** Why the flags of a client token are not known. */
  readonly whyUnknown: string;
  /** Called with the address of each caller whose token is refused. */
  readonly countFailure: (from: string | undefined) => void;
  /** In ms since 1970. */
  readonly now: () => number;
}

export interface EdgeAccess {
  readonly authenticate: AuthenticateSdk;
  readonly knownTokens: (values: readonly string[], sender: TokenSender) => Promise<readonly KnownToken[]>;
}

/** Logs addresses that send wrong tokens again and again, as the operator does. */
export function countFailures(logger: Logger): (from: string | undefined) => void {
  return createFailedSignIns({ logger, now: () => performance.now() });
}

/** How long the first caller of a scope waits for its flags. */
const FIRST_FLAGS_MS = 5_000;

export function edgeAccess({ tokens, subscriptions, whyUnknown, countFailure, now }: EdgeAccessParts): EdgeAccess {
  const callerWith = async (token: EdgeToken, types: SdkRequest['types']): Promise<SdkCaller> => {
    const { environment, projects, sha256 } = token;
    const type = token.isOfAnyType ? types[0] : token.type;
    if (!types.includes(type)) throw wrongType(type, types);
    if (!(await subscriptions.isKnown(token, FIRST_FLAGS_MS))) throw flagsUnknown(token, whyUnknown);
    return {
      ...{ type, environment, projects, sha256 },
      streamKey: () => streamKeyOf(uidOf(sha256), sha256, now()),
      isStillAllowed: () => isSameScope(tokens.bySha256(sha256), token),
    };
  };
  /** A guess counts, whether or not the upstream can be asked. */
  const isGuess = (error: unknown, value: string) =>
    isRefusal(error, 'doubtful-token') && !tokens.bySha256(digestOf(value));
  const known = async ({ authorization, from }: Presented): Promise<EdgeToken> => {
    const value = bearerOf(authorization);
    const token = await tokens.lookUp(value).catch((error: unknown) => {
      if (isGuess(error, value)) countFailure(from);
      throw error;
    });
    if (token) return token;
    countFailure(from);
    throw new Refusal('unauthenticated', 'The token in the authorization header is not one that this edge admits.');
  };
  return {
    authenticate: {
      byToken: async (presented, { types }) => callerWith(await known(presented), types),

      async byStreamKey(key) {
        const byUid = new Map([...tokens.all()].map((token) => [uidOf(token.sha256), token]));
        const token = byUid.get(uidOfStreamKey(key, (uid) => byUid.get(uid)?.sha256, now()) ?? '');
        if (token) return callerWith(token, ['client', 'frontend']);
        throw refusalOfStreamKey();
      },
    },

    async knownTokens(values, { from, countRefused }) {
      let wrong = 0;
      const lookUp = async (value: string): Promise<readonly KnownToken[]> => {
        const token = await tokens.lookUp(value).catch((error: unknown) => {
          if (isGuess(error, value)) wrong += 1;
          throw error;
        });
        if (!token) wrong += 1;
        const { type, environment, projects } = token ?? {};
        return type && environment !== undefined ? [{ token: value, type, environment, projects }] : [];
      };
      const found = await Promise.allSettled(values.map(lookUp));
      for (let count = 0; count < wrong; count += 1) countFailure(from);
      if (wrong > 0) countRefused(wrong);
      return found.flatMap((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      });
    },
  };
}

/** Identifies the token in the address of a stream; it reveals nothing of its digest. */
function uidOf(sha256: string): string {
  return uuidOf(Buffer.from(digestOf(`uid ${sha256}`).slice(0, 32), 'hex'));
}

function wrongType(type: string, wanted: readonly string[]): Refusal {
  return new Refusal('forbidden', `The token is of type ${type}: this endpoint takes ${wanted.join(' and ')} tokens.`);
}

function flagsUnknown({ type, environment }: EdgeToken, whyUnknown: string): Refusal {
  const why =
    type === 'frontend'
      ? 'A frontend token cannot read flags: give this edge a client token for the same environment and projects.'
      : whyUnknown;
  const message = `This edge does not know the flags of "${environment}" for this token. ${why}`;
  return new Refusal('unavailable', message, { retryAfterSeconds: 1 });
}
