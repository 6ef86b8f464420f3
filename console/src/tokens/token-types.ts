/** The types of tokens, and the permissions for them. */
import type { Schemas } from '../api.generated.ts';

type TokenType = Schemas['ApiToken']['type'];
export type CreatableType = Exclude<TokenType, 'personal'>;

/** The types that the admin API creates, with their purposes. */
export const PURPOSES: Readonly<Record<CreatableType, string>> = {
  client: 'client: SDKs of servers',
  frontend: 'frontend: SDKs of browsers and apps',
  admin: 'admin: the admin API, without limits',
};
export const CREATABLE = ['client', 'frontend', 'admin'] as const satisfies readonly CreatableType[];

export function permissionFor(operation: 'CREATE' | 'DELETE', type: TokenType): string {
  if (type === 'client') return `${operation}_CLIENT_API_TOKEN`;
  return type === 'frontend' ? `${operation}_FRONTEND_API_TOKEN` : 'ADMIN';
}
