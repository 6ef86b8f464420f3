/** A FlagUser as a caller, authorized by its roles. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Author } from '../../domain/identity/author.ts';
import { isGranted, type RequiredPermission } from '../../domain/people/permissions.ts';
import { projectRoleOf } from '../../domain/project/members.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Caller } from '../caller.ts';

export function userCaller(catalog: Catalog, user: FlagUser, author: Author): Caller {
  return {
    author,
    async refusal({ permission, orAny = [], ...where }) {
      if (permission === 'NONE') return undefined;
      const { project } = where;
      const view = project === undefined ? undefined : catalog.project(project);
      const roles = { root: catalog.rootRoleOf(user), project: view && projectRoleOf(view, user, catalog) };
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
