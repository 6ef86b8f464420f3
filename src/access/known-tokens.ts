/** What tokens of SDKs are for, as Unleash Edge asks. */
import { hash } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import type { SdkScope } from './sdk-callers.ts';

export interface KnownToken extends SdkScope {
  readonly token: string;
  readonly type: 'client' | 'frontend';
}

/** The values that are client or frontend tokens. Throws if it is not certain that the other values are none. */
export function knownTokens(catalog: Catalog, requireCertain: (unknown: readonly string[]) => Promise<void>) {
  return async (values: readonly string[]): Promise<readonly KnownToken[]> => {
    const found = values
      .map((value) => ({ value, sha256: hash('sha256', value) }))
      .map(({ value, sha256 }) => ({
        value,
        sha256,
        token: catalog.tokenByHash(sha256),
      }));
    await requireCertain(found.flatMap(({ token, sha256 }) => (token ? [] : [sha256])));
    return found.flatMap(({ value, token }): KnownToken[] => {
      const { type, environment, projects } = token?.spec ?? {};
      if (environment === undefined || (type !== 'client' && type !== 'frontend')) return [];
      return [{ token: value, type, environment, projects: projects ?? undefined }];
    });
  };
}
