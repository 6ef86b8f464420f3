/** …/users/:userId/roles/:roleId: the members of a project. */
import type { z } from 'zod';
import { requirePermissions } from '../../access/authorization/require-permissions.ts';
import { toHome, toProject, toSearchUsers } from '../../access/authorization/requirements.ts';
import { removeFormerMember } from '../../actions/former-member.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { findProject, findRole, findUser } from '../../catalog/find.ts';
import type { Role } from '../../domain/people/roles.ts';
import { addMember, changeMember, type EditMembers, removeMember } from '../../domain/project/edit-members.ts';
import { isSameUser } from '../../domain/project/members.ts';
import type { ErrorCode } from '../../errors.ts';
import { invalid } from '../../model/invalid-input.ts';
import { flagRole } from '../../schema/flag-role.ts';
import { flagUser } from '../../schema/flag-user.ts';
import { idInPath } from '../../wire/admin/id.ts';
import { presentProjectAccess, wireProjectAccess } from '../../wire/admin/project/project-access.ts';
import { manifestsAfter } from '../route/manifest.ts';
import { ifSeen } from '../route/precondition.ts';
import { type Input, type Route, type RouteServices, route } from '../route/route.ts';
import { MANIFEST_TYPE, represent } from '../server/answer/representation.ts';
import type { TextInTurns } from '../server/answer/text-in-turns.ts';
import { projectPath } from './projects.ts';

function show(catalog: Catalog, projectId: string) {
  const { project } = findProject(catalog, projectId);
  return presentProjectAccess(catalog.membersOf(project), catalog.rolesInOrder());
}

/** Lists of roles show permissions of all projects and environments. */
const toListRoles = toHome<unknown>({ verb: 'list', resource: flagRole.plural, permission: 'ADMIN' });

/** The members as users, and the custom roles that users and members may have. */
async function manifestsFor(services: RouteServices, projectId: string): Promise<TextInTurns> {
  const { caller, catalog } = services;
  await requirePermissions(caller, [toListRoles.of(services, undefined)]);
  const users = catalog.membersOf(findProject(catalog, projectId).project).map(({ user }) => user);
  const roles = catalog.rolesInOrder().flatMap(({ custom }) => custom ?? []);
  return manifestsAfter([
    ...users.map((object) => ({ kind: flagUser.kind, object })),
    ...roles.map((object) => ({ kind: flagRole.kind, object })),
  ]);
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
  /** Members may act in all environments. */
  readonly touches?: 'all';
}

function memberRoute({ method, summary, refusal, edit, touches }: MemberWrite): Route {
  return route({
    method,
    path: '/projects/:projectId/users/:userId/roles/:roleId',
    summary,
    description:
      'An entry whose FlagUser or role does not exist, or whose username now belongs to another user, does not count as a member: `POST` replaces the entry, `PUT` changes nothing, `DELETE` answers 404. The API does not remove the last owner. kubectl and Git can, and the status of the project then has the warning `NoOwner`. `If-Match` takes the ETag of `GET …/access` or of the overview of the project. The ETag of the overview does not change with roles.',
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
      'The list leaves out a member whose FlagUser or role does not exist, or whose username now belongs to another user. The list has no paging. With `Accept: application/yaml` the answer has the manifests for Git of the members, as FlagUsers, and of all custom roles, as FlagRoles. This answer needs the permission ADMIN, or access to list both kinds.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    // The answer has e-mail addresses.
    alsoRequires: [toSearchUsers],
    params: projectPath,
    answer: 200,
    response: wireProjectAccess,
    texts: [MANIFEST_TYPE],
    handle: (services, { params, wantsManifest }) =>
      wantsManifest ? manifestsFor(services, params.projectId) : show(services.catalog, params.projectId),
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
    summary: 'Give a member of a project another role. A user who is not a member stays unchanged. A body is ignored.',
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
