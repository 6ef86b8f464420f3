/** Authenticates callers by the tokens of ApiTokens: admins, and FlagUsers, whom their roles authorize. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Author } from '../../domain/identity/author.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { isGranted, type RequiredPermission } from '../../domain/people/permissions.ts';
import { Refusal } from '../../errors.ts';
import type { ApiToken } from '../../schema/api-token.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import { anAdmin, type Caller } from '../caller.ts';
import type { Recognise } from './authenticate.ts';

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

function userCaller(catalog: Catalog, user: FlagUser, author: Author): Caller {
  return {
    author,
    person: { kind: 'FlagUser', name: author.name, groups: [] },
    async refusal({ permission, orAny = [], ...where }) {
      if (permission === 'NONE') return undefined;
      const { project } = where;
      const view = project === undefined ? undefined : catalog.project(project);
      const roles = catalog.rolesOf(user, view);
      const sufficient = [permission, ...orAny].map((one) => ({ ...where, permission: one }));
      return sufficient.some((one) => isGranted(roles, one)) ? undefined : missing(sufficient);
    },
    // The requirements of the endpoint cover every write.
    refusalOfWrite: async () => undefined,
  };
}

/** The refusal; each of the permissions would be enough. */
function missing(sufficient: readonly RequiredPermission[]): string {
  const [{ project, environment } = {}] = sufficient;
  const where = [
    ...(project === undefined ? [] : [`in project "${project}"`]),
    ...(environment === undefined ? [] : [`in environment "${environment}"`]),
  ];
  return `You need the ${sufficient.map(({ permission }) => `"${permission}"`).join(' or ')} permission${where.map((one) => ` ${one}`).join('')} to perform this action.`;
}
