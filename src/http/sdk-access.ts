/** Which SDKs the operator admits, by the ApiTokens of the cluster. */
import type { MarkSeen } from '../access/authentication/api-tokens.ts';
import { knownTokens } from '../access/authentication/known-tokens.ts';
import { type AuthenticateSdk, anySdk, sdkTokens, unknownYet } from '../access/authentication/sdk-callers.ts';
import { tokenDoubt } from '../access/authentication/token-doubt.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config/load-config.ts';
import type { SecretsClient } from '../kube/api/secrets.ts';
import type { ClientApiParts } from './client-api.ts';
import { requireConnected, requireReady } from './server/guard/availability.ts';

interface SdkAccessParts {
  readonly config: Pick<Config, 'auth' | 'adminToken'>;
  readonly catalog: Catalog;
  readonly secrets: Pick<SecretsClient, 'read'>;
  readonly markSeen: MarkSeen;
  readonly countFailure: (from: string | undefined) => void;
  readonly isReady: () => boolean;
  readonly isCutOff: () => boolean;
}

export function sdkAccess(parts: SdkAccessParts): Pick<ClientApiParts, 'authenticate' | 'knownTokens'> {
  const { catalog, markSeen, countFailure } = parts;
  const { auth, adminToken } = parts.config;
  const doubt = tokenDoubt({ tokens: catalog.tokens, readSecret: (ref) => parts.secrets.read(ref), now: Date.now });
  const requireCertain = {
    ready: () => requireReady(parts.isReady),
    connected: () => requireConnected(parts.isCutOff),
  };
  const requireKnown = async (unknown: readonly string[]) => {
    requireCertain.ready();
    if (unknown.length === 0) return;
    requireCertain.connected();
    const doubts = await Promise.all(unknown.map(doubt.mayBeKnownSoon));
    if (doubts.includes(true)) throw unknownYet();
  };
  const authenticate: AuthenticateSdk =
    auth === 'none'
      ? anySdk(catalog, requireCertain.ready)
      : sdkTokens({ catalog, adminToken, markSeen, doubt, countFailure, requireCertain, now: Date.now });
  return { authenticate, knownTokens: knownTokens(catalog, { requireCertain: requireKnown, countFailure }) };
}
