/** Authenticates callers by the tokens of ApiTokens. */
import type { Catalog } from '../../catalog/catalog.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import type { ApiToken } from '../../schema/api-token.ts';
import { anAdmin } from '../caller.ts';
import type { Recognise } from './authenticate.ts';
import { userCaller } from './user-caller.ts';

/** Called for every use of a token. */
export type MarkSeen = (token: ApiToken) => void;

/** Looks tokens up by their digests, so that timing reveals nothing about a value. */
export function apiTokens(catalog: Catalog, markSeen: MarkSeen): Recognise {
  return async ({ sha256 }, from) => {
    const token = catalog.tokenByHash(sha256);
    if (!token) return undefined;
    markSeen(token);
    const { type, user: username = '' } = token.spec;
    if (type === 'admin') return anAdmin({ name: wireNameOf(token), via: 'api-token', from });
    const user = type === 'personal' ? catalog.userNamed(username) : undefined;
    if (user) return userCaller(catalog, user, { name: wireNameOf(user), via: 'personal-token', from });
    const message = `The token "${wireNameOf(token)}" is a ${type} token: it reads flags for an application, and the admin API takes admin and personal tokens.`;
    throw new Refusal('forbidden', message);
  };
}
