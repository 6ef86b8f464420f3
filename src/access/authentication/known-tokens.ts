/** What tokens of SDKs are for, as Unleash Edge asks. */
import { hash } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SdkScope } from './sdk-callers.ts';

export interface KnownToken extends SdkScope {
  readonly token: string;
  readonly type: 'client' | 'frontend';
}

interface Parts {
  /** Throws if it is not certain that the tokens with these digests do not exist. */
  readonly requireCertain: (unknown: readonly string[]) => Promise<void>;
  readonly countFailure: (from: string | undefined) => void;
}

export interface TokenSender {
  readonly from: string | undefined;
  /** Counts wrong tokens; throws beyond the limit. */
  readonly countRefused: (tokens: number) => void;
}

/**
 * The values that are client or frontend tokens. Each other value counts as a wrong token of its sender. Throws if it
 * is not certain that the other values are none.
 */
export function knownTokens(catalog: Catalog, { requireCertain, countFailure }: Parts) {
  return async (values: readonly string[], { from, countRefused }: TokenSender): Promise<readonly KnownToken[]> => {
    const found = values
      .map((value) => ({ value, sha256: hash('sha256', value) }))
      .map(({ value, sha256 }) => ({
        value,
        sha256,
        token: catalog.tokenByHash(sha256),
      }));
    const unknown = found.flatMap(({ token, sha256 }) => (token ? [] : [sha256]));
    for (const _ of unknown) countFailure(from);
    if (unknown.length > 0) countRefused(unknown.length);
    await requireCertain(unknown);
    return found.flatMap(({ value, token }): KnownToken[] => {
      const { type, environment, projects } = token?.spec ?? {};
      if (environment === undefined || (type !== 'client' && type !== 'frontend')) return [];
      return [{ token: value, type, environment, projects: projects ?? undefined }];
    });
  };
}
