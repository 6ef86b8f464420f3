/** A user of Vexil as a caller: their roles say what they may do. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Author } from '../../domain/author.ts';
import { projectRoleOf } from '../../domain/members.ts';
import { type Asked, isGranted } from '../../domain/permissions.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Caller } from './caller.ts';

/** `username` is the user's on the wire. */
export function userCaller(catalog: Catalog, user: FlagUser, author: Author): Caller {
  return {
    author,
    async refusal({ permission, project, environment, inSomeEnvironment }) {
      if (permission === 'NONE') return undefined;
      const asked = { permission, project, environment, inSomeEnvironment };
      const view = project === undefined ? undefined : catalog.project(project);
      const roles = { root: catalog.rootRoleOf(user), project: view && projectRoleOf(view, user, catalog) };
      return isGranted(roles, asked) ? undefined : missing(asked);
    },
    // Its endpoint has asked for all of it.
    refusalOfWrite: async () => undefined,
  };
}

function missing({ permission, project, environment }: Asked): string {
  const where = [
    ...(project === undefined ? [] : [`in project "${project}"`]),
    ...(environment === undefined ? [] : [`in environment "${environment}"`]),
  ];
  return `You need the "${permission}" permission${where.map((one) => ` ${one}`).join('')} to perform this action.`;
}
