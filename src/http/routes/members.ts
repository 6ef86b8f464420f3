/** Endpoints 17 to 19: who belongs to a project, and with which role. */
import type { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { addMember, changeMember, type EditMembers, removeMember } from '../../domain/edit-members.ts';
import { isMeant } from '../../domain/members.ts';
import type { Role } from '../../domain/roles.ts';
import type { ErrorCode } from '../../errors.ts';
import { findProject, findRole, findUser } from '../find.ts';
import { takeOffFormer } from '../former-member.ts';
import { toProject, toSearchUsers } from '../identity/asks.ts';
import { ifSeen } from '../precondition.ts';
import { type Input, type Route, route, type Services } from '../route.ts';
import { about, invalid } from '../validation.ts';
import { idInPath } from '../wire/id.ts';
import { projectPath } from './projects.ts';

const memberPath = projectPath.extend({
  userId: idInPath('The id of the user.', 7),
  roleId: idInPath('The id of a role for members of projects: 4 is Owner, 5 is Member.', 5),
});

function findProjectRole(catalog: Catalog, id: number): Role {
  const role = findRole(catalog, id);
  if (role.type === 'project') return role;
  const complaint = `must be the id of a role for members of projects, and "${role.name}" is a root role. You sent ${id}.`;
  throw invalid([about('params', ['roleId'], complaint)]);
}

async function change(
  services: Services,
  { params, dryRun, ifMatch }: Input<z.infer<typeof memberPath>, unknown, unknown>,
  edit: EditMembers,
): Promise<void> {
  const { catalog, pages, projects } = services;
  const { metadata } = findProject(catalog, params.projectId).project;
  const user = findUser(catalog, params.userId);
  const role = findProjectRole(catalog, params.roleId);
  // Whichever version a write is computed from is in the cache, and so in the view.
  const expect = ifSeen(ifMatch, 'project', () => [pages.overview(findProject(catalog, params.projectId))]);
  const choice = { user, role, people: catalog.people };
  const present = catalog.project(params.projectId);
  if (edit === addMember && present && !dryRun && !isMeant(present, user)) {
    await takeOffFormer(services, present, { user, expect });
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
}

function memberRoute({ method, summary, refusal, edit }: MemberWrite): Route {
  return route({
    method,
    path: '/projects/:projectId/users/:userId/roles/:roleId',
    summary,
    refuses: ['not-found', refusal],
    asks: toProject('patch', 'UPDATE_PROJECT'),
    // By the answer a caller would tell which ids are users.
    alsoAsks: (known) => [toSearchUsers.of(known, undefined)],
    params: memberPath,
    // Requests of the specification repeat the path in a body.
    ignoresBody: true,
    answer: 200,
    handle: (services, input) => change(services, input, edit),
  });
}

export const memberRoutes = [
  memberRoute({
    method: 'post',
    summary: 'Add a user to a project with a role; a body is not looked at.',
    refusal: 'already-member',
    edit: addMember,
  }),
  memberRoute({
    method: 'put',
    summary: 'Give a member of a project another role; who is no member stays none, and a body is not looked at.',
    refusal: 'last-owner',
    edit: changeMember,
  }),
  memberRoute({
    method: 'delete',
    summary: 'Take a user who has this role out of a project; a body is not looked at.',
    refusal: 'last-owner',
    edit: removeMember,
  }),
];
