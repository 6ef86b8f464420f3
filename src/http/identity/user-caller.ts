/** A user of Vexil as a caller: their roles say what they may do. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Author } from '../../domain/author.ts';
import { projectRoleOf } from '../../domain/members.ts';
import { type Asked, isGranted } from '../../domain/permissions.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Caller } from './caller.ts';

export function userCaller(catalog: Catalog, user: FlagUser, author: Author): Caller {
  return {
    author,
    async refusal({ permission, orAny = [], ...where }) {
      if (permission === 'NONE') return undefined;
      const { project } = where;
      const view = project === undefined ? undefined : catalog.project(project);
      const roles = { root: catalog.rootRoleOf(user), project: view && projectRoleOf(view, user, catalog) };
      const asked = [permission, ...orAny].map((one) => ({ ...where, permission: one }));
      return asked.some((one) => isGranted(roles, one)) ? undefined : missing(asked);
    },
    // Its endpoint has asked for all of it.
    refusalOfWrite: async () => undefined,
  };
}

/** Each of them would do. */
function missing(asked: readonly Asked[]): string {
  const [{ project, environment } = {}] = asked;
  const where = [
    ...(project === undefined ? [] : [`in project "${project}"`]),
    ...(environment === undefined ? [] : [`in environment "${environment}"`]),
  ];
  return `You need the ${asked.map(({ permission }) => `"${permission}"`).join(' or ')} permission${where.map((one) => ` ${one}`).join('')} to perform this action.`;
}
