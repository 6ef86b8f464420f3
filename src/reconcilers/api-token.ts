/** Keeps an API token's status true to its spec and to its Secret, which it is given once if it asks for none. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeApiToken } from '../domain/judge-api-token.ts';
import { isExpired } from '../domain/token-force.ts';
import { type Holding, holdingIn, holdingUnasked, secretRefOf, tokenLabelOf } from '../domain/token-secret.ts';
import { newTokenValue } from '../domain/token-value.ts';
import { AppError } from '../errors.ts';
import type { NewSecret, SecretsClient } from '../kube/secrets.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import { type ApiToken, type ApiTokenSpec, type ApiTokenStatus, apiToken, TOKEN_LABEL } from '../schema/api-token.ts';
import { API_VERSION } from '../schema/kind.ts';
import { keyOf, type Ref } from '../schema/object.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly tokens: Judged<ApiTokenSpec, ApiTokenStatus> & {
    /** Asks the API server itself. */
    live(ref: Ref): Promise<ApiToken>;
  };
  readonly secrets: SecretsClient;
  readonly catalog: Catalog;
  /** Hex digits of 28 random bytes. */
  readonly newDigits: () => string;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function apiTokenReconciler(parts: Parts) {
  const { tokens, catalog, now } = parts;
  const holdingOf = secretHoldings(parts);
  const exists = {
    project: (id: string) => catalog.project(id) !== undefined,
    environment: (name: string) => catalog.environment(name) !== undefined,
  };

  return async function reconcile(ref: Ref): Promise<Outcome> {
    const token = tokens.get(ref);
    if (!token || token.metadata.deletionTimestamp) return done;

    const rival = catalog.tokenRival(token);
    const isAtFault = rival !== undefined || token.defects.length > 0;
    const holding = isAtFault ? holdingUnasked(token) : await holdingOf(token);
    const sha256 = 'sha256' in holding ? holding.sha256 : undefined;
    const valueRival = sha256 === undefined ? undefined : catalog.valueRival(token, sha256);
    const userThere = catalog.userThere(token.spec.user);
    return report(tokens, token, judgeApiToken({ token, rival, holding, valueRival, userThere, exists }, now()));
  };
}

/** Looks into the Secret of a token, and makes it where there is none and none has been. */
function secretHoldings({ tokens, secrets, newDigits, now }: Parts) {
  return async function holdingOf(token: ApiToken): Promise<Holding> {
    const ref = secretRefOf(token);
    const holding = holdingIn(token, await secrets.read(ref));
    if (holding.state !== 'none' || isExpired(token, now())) return holding;

    await requireUnchanged(token);
    const created = await secrets.create(secretFor(token, newTokenValue(token.spec, newDigits())));
    const found = holdingIn(token, created ?? (await secrets.read(ref)));
    if (found.state === 'none') throw new AppError('conflict', `The Secret ${keyOf(ref)} came and went`);
    return found;
  };

  /** A cache that is behind must not make a second value for a token that has had one, nor one for a token that is gone. */
  async function requireUnchanged({ metadata }: ApiToken): Promise<void> {
    const { uid, resourceVersion } = (await tokens.live(metadata)).metadata;
    if (uid === metadata.uid && resourceVersion === metadata.resourceVersion) return;
    throw new AppError('conflict', `${keyOf(metadata)} is newer than the cache knows`);
  }
}

function secretFor(token: ApiToken, value: string): NewSecret {
  const { name, uid } = token.metadata;
  return {
    ref: secretRefOf(token),
    labels: { [TOKEN_LABEL]: tokenLabelOf(token) },
    owner: { apiVersion: API_VERSION, kind: apiToken.kind, name, uid },
    value,
  };
}
