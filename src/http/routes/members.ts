/** …/users/:userId/roles/:roleId: the members of a project. */
import type { z } from 'zod';
import { toProject, toSearchUsers } from '../../access/requirements.ts';
import { removeFormerMember } from '../../actions/former-member.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { findProject, findRole, findUser } from '../../catalog/find.ts';
import type { Role } from '../../domain/people/roles.ts';
import { addMember, changeMember, type EditMembers, removeMember } from '../../domain/project/edit-members.ts';
import { isSameUser } from '../../domain/project/members.ts';
import type { ErrorCode } from '../../errors.ts';
import { invalid } from '../../model/invalid-input.ts';
import { idInPath } from '../../wire/admin/id.ts';
import { presentProjectAccess, wireProjectAccess } from '../../wire/admin/project-access.ts';
import { ifSeen } from '../route/precondition.ts';
import { type Input, type Route, type RouteServices, route } from '../route/route.ts';
import { represent } from '../server/representation.ts';
import { projectPath } from './projects.ts';

function show(catalog: Catalog, projectId: string) {
  const { project } = findProject(catalog, projectId);
  return presentProjectAccess(catalog.membersOf(project), catalog.rolesInOrder());
}

const memberPath = projectPath.extend({
  userId: idInPath('The id of the user.', 7),
  roleId: idInPath('The id of a role for members of projects: 4 is Owner, 5 is Member.', 5),
});

function findProjectRole(catalog: Catalog, id: number): Role {
  const role = findRole(catalog, id);
  if (role.type === 'project') return role;
  const complaint = `must be the id of a role for members of projects, and "${role.name}" is a root role.`;
  throw invalid([{ part: 'params', keys: ['roleId'], complaint, value: `${id}` }]);
}

async function change(
  services: RouteServices,
  { params, dryRun, ifMatch }: Input<z.infer<typeof memberPath>, unknown, unknown>,
  edit: EditMembers,
): Promise<void> {
  const { catalog, pages, projects } = services;
  const { metadata } = findProject(catalog, params.projectId).project;
  const user = findUser(catalog, params.userId);
  const role = findProjectRole(catalog, params.roleId);
  // The version that a write is computed from is in the cache, and so in the view.
  const expect = ifSeen(ifMatch, 'project', () => [
    represent(show(catalog, params.projectId)),
    pages.overview(findProject(catalog, params.projectId)),
  ]);
  const choice = { user, role, people: catalog.people };
  const present = catalog.project(params.projectId);
  if (edit === addMember && present && !dryRun && !isSameUser(present, user)) {
    await removeFormerMember(services, present, { user, expect });
    await projects.change(metadata, (version) => edit(version, choice));
    return;
  }
  await projects.change(metadata, (version) => edit(version, choice), { dryRun, expect });
}

interface MemberWrite {
  readonly method: 'post' | 'put' | 'delete';
  readonly summary: string;
  readonly refusal: ErrorCode;
  readonly edit: EditMembers;
  /** What members may do is done everywhere. */
  readonly touches?: 'all';
}

function memberRoute({ method, summary, refusal, edit, touches }: MemberWrite): Route {
  return route({
    method,
    path: '/projects/:projectId/users/:userId/roles/:roleId',
    summary,
    description:
      'A member whose FlagUser or role does not exist, or whose username belongs to another user now, counts as no member: `POST` replaces the entry, `PUT` changes nothing, `DELETE` answers 404. The last owner is protected here; kubectl and Git can remove it, and the status of the project then warns with `NoOwner`. `If-Match` takes the ETag of `GET …/access`, or of the overview of the project, which does not change with roles.',
    errors: ['not-found', refusal],
    requires: toProject('patch', 'UPDATE_PROJECT'),
    // The answer would reveal which ids are users.
    alsoRequires: [toSearchUsers],
    ...(touches && { touches }),
    params: memberPath,
    // Unleash documents a body that repeats the path.
    ignoresBody: true,
    answer: 200,
    handle: (services, input) => change(services, input, edit),
  });
}

export const memberRoutes = [
  route({
    method: 'get',
    path: '/projects/:projectId/access',
    summary: 'List the members of a project with their roles, and the roles that members may have.',
    description:
      'A member whose FlagUser or role does not exist, or whose username belongs to another user now, is left out. The list has no paging.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    // The answer has e-mail addresses.
    alsoRequires: [toSearchUsers],
    params: projectPath,
    answer: 200,
    response: wireProjectAccess,
    handle: ({ catalog }, { params }) => show(catalog, params.projectId),
  }),
  memberRoute({
    method: 'post',
    summary: 'Add a user to a project with a role. A body is ignored.',
    refusal: 'already-member',
    edit: addMember,
    touches: 'all',
  }),
  memberRoute({
    method: 'put',
    summary: 'Give a member of a project another role. A user who is no member stays unchanged. A body is ignored.',
    refusal: 'last-owner',
    edit: changeMember,
    touches: 'all',
  }),
  memberRoute({
    method: 'delete',
    summary: 'Remove a user who has this role from a project. A body is ignored.',
    refusal: 'last-owner',
    edit: removeMember,
  }),
];
