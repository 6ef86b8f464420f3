/** ApiToken: reconciles its status with its spec and its Secret, which the operator creates if the token names none. */
import { nowhere } from '../audit/derive/audit-event.ts';
import type { Lifecycle } from '../audit/derive/kind.ts';
import { type CacheChange, changedInSubstance, changedOrGotId } from '../catalog/cached.ts';
import { judgeApiToken } from '../domain/tokens/judge-api-token.ts';
import {
  type SecretState,
  secretRefOf,
  secretStateOf,
  tokenLabelOf,
  uncheckedSecretState,
} from '../domain/tokens/token-secret.ts';
import { isExpired } from '../domain/tokens/token-validity.ts';
import { newTokenValue } from '../domain/tokens/token-value.ts';
import { ClusterError } from '../errors.ts';
import type { NewSecret } from '../kube/api/secrets.ts';
import { API_VERSION } from '../model/kind.ts';
import { keyOf } from '../model/object.ts';
import { type ApiToken, type ApiTokenSpec, type ApiTokenStatus, apiToken, TOKEN_LABEL } from '../schema/api-token.ts';
import type { Project } from '../schema/project.ts';
import type { Judge, JudgeParts, KindDefinition } from './definition.ts';
import { wireNameKeys } from './indexes.ts';
import { findBy, onChange, onClaim, versions, wireNamesOf, withNamesakes } from './subscriptions.ts';

const indexes = {
  wireName: wireNameKeys,
  uid: ({ metadata }: ApiToken) => [metadata.uid],
  sha256: ({ status }: ApiToken) => [status?.sha256].flatMap((digest) => digest ?? []),
  user: ({ spec }: ApiToken) => [spec.user].flatMap((name) => name ?? []),
  project: ({ spec }: ApiToken) => spec.projects ?? [],
  environment: ({ spec }: ApiToken) => [spec.environment].flatMap((name) => name ?? []),
};

export const tokenDefinition: KindDefinition<ApiTokenSpec, ApiTokenStatus, keyof typeof indexes> = {
  kind: apiToken,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { users, projects, environments }, claims, enqueue }) {
    const enqueueOf = (changed: readonly Project[]) => enqueue.now(findBy(own, 'project', wireNamesOf(changed)));
    return [
      own.subscribe((change) => {
        const tokens = changedInSubstance(change) ? withNamesakes(own, change) : versions(change);
        const withSameValue = () => findBy(own, 'sha256', versions(change).flatMap(indexes.sha256));
        enqueue.now(changedOrGotValue(change) ? [...tokens, ...withSameValue()] : tokens);
      }),
      onChange(users, (changed) => enqueue.now(findBy(own, 'user', wireNamesOf(changed))), changedOrGotId),
      onChange(projects, enqueueOf),
      onClaim(claims.of('projects'), projects, enqueueOf),
      onChange(environments, (changed) => enqueue.now(findBy(own, 'environment', wireNamesOf(changed)))),
    ];
  },

  judge,

  auditMapping: (shapes) => ({
    types: tokenLifecycle,
    // The place has no project, even if the token is for one: a caller who may see the project may not see its tokens.
    place: ({ spec }) => ({ ...nowhere, environment: spec.environment ?? null }),
    placeByNames: () => nowhere,
    shape: shapes.token,
    hidden: ['secretRef'],
  }),
};

function changedOrGotValue(change: CacheChange<ApiToken>): boolean {
  return changedInSubstance(change) || change.before?.status?.sha256 !== change.after?.status?.sha256;
}

function judge(parts: JudgeParts): Judge<ApiTokenSpec, ApiTokenStatus> {
  const { catalog, now } = parts;
  const holdingOf = secretHoldings(parts);
  const exists = {
    project: (id: string) => catalog.project(id) !== undefined,
    environment: (name: string) => catalog.environment(name) !== undefined,
  };

  return async (token) => {
    const conflictingOwner = catalog.tokenConflictWith(token);
    const isAtFault = conflictingOwner !== undefined || token.defects.length > 0;
    const holding = isAtFault ? uncheckedSecretState(token) : await holdingOf(token);
    const sha256 = 'sha256' in holding ? holding.sha256 : undefined;
    const valueConflictWith = sha256 === undefined ? undefined : catalog.valueConflictWith(token, sha256);
    const userLookup = catalog.userLookup(token.spec.user);
    return judgeApiToken({ token, conflictingOwner, holding, valueConflictWith, userLookup, exists }, now());
  };
}

/** Reads the Secret of a token, and creates it if there is none and never was one. */
function secretHoldings({ resources: { tokens }, secrets, newDigits, now }: JudgeParts) {
  return async function holdingOf(token: ApiToken): Promise<SecretState> {
    const ref = secretRefOf(token);
    const holding = secretStateOf(token, await secrets.read(ref));
    if (holding.state !== 'none' || isExpired(token, now())) return holding;

    await requireUnchanged(token);
    const created = await secrets.create(secretFor(token, newTokenValue(token.spec, newDigits())));
    const found = secretStateOf(token, created ?? (await secrets.read(ref)));
    if (found.state === 'none') throw new ClusterError('conflict', `The Secret ${keyOf(ref)} came and went`);
    return found;
  };

  /**
   * Throws if the cached token is outdated: no second value may be made for a token that has had one, and none for a
   * token that is gone.
   */
  async function requireUnchanged({ metadata }: ApiToken): Promise<void> {
    const { uid, resourceVersion } = (await tokens.live(metadata)).metadata;
    if (uid === metadata.uid && resourceVersion === metadata.resourceVersion) return;
    throw new ClusterError('conflict', `${keyOf(metadata)} is newer than the cache knows`);
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

function tokenLifecycle({ spec }: Pick<ApiToken, 'spec'>): Lifecycle {
  return spec.type === 'personal' ? lifecycles.personal : lifecycles.other;
}

const lifecycles = {
  personal: { created: 'pat-created', updated: 'api-token-updated', deleted: 'pat-deleted' },
  other: { created: 'api-token-created', updated: 'api-token-updated', deleted: 'api-token-deleted' },
} as const;
