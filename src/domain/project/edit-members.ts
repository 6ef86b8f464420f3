/** Edits of the members of a project: functions from the object to its next spec. Unchanged parts are shared. */
import { Refusal } from '../../errors.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';
import { wireNameOf } from '../identity/names.ts';
import { type Role, roleNameInProject } from '../people/roles.ts';
import { isOwner, isSameUser, type Member, membersOf, type People } from './members.ts';

export interface MemberChoice {
  readonly user: FlagUser;
  /** A role of type project. */
  readonly role: Role;
  /**
   * The users and roles that the entries of the project refer to: an entry without an existing user or role is no
   * member.
   */
  readonly people: People;
}

export type EditMembers = (project: Project, choice: MemberChoice) => ProjectSpec;

/**
 * Implements POST of a member. Replaces an entry of the user without an existing role, or of an earlier user of the
 * name.
 */
export function addMember(project: Project, choice: MemberChoice): ProjectSpec {
  if (findMember(project, choice)) {
    throw new Refusal('already-member', `User already has access to project=${wireNameOf(project)}`);
  }
  return withMember(project, choice);
}

/** Implements PUT of a member. A user who is not in the project stays out of it. */
export function changeMember(project: Project, choice: MemberChoice): ProjectSpec {
  const member = findMember(project, choice);
  // Compares ids, because a role can be spelled in several ways.
  if (!member || member.role.id === choice.role.id) return project.spec;
  refuseLastOwner(project, choice, member);
  return withMember(project, choice);
}

/** Implements DELETE of a member: removes the user from the project if the user has this role there. */
export function removeMember(project: Project, choice: MemberChoice): ProjectSpec {
  const { user, role } = choice;
  const [username, projectId] = [wireNameOf(user), wireNameOf(project)];
  const member = findMember(project, choice);
  if (!member) throw new Refusal('not-found', `The user "${username}" is not in the project "${projectId}".`);
  if (member.role.id !== role.id) {
    const message = `The user "${username}" does not have the role "${role.name}" in the project "${projectId}", but "${member.role.name}".`;
    throw new Refusal('not-found', message);
  }
  refuseLastOwner(project, choice, member);
  return withoutEntry(project, username);
}

/** Removes the entry of an earlier user of the same name. */
export function withoutFormer(project: Project, user: FlagUser): ProjectSpec {
  const username = wireNameOf(user);
  const hasEntry = Object.hasOwn(project.spec.members ?? {}, username);
  return hasEntry && !isSameUser(project, user) ? withoutEntry(project, username) : project.spec;
}

function findMember(project: Project, { user, people }: MemberChoice): Member | undefined {
  return membersOf(project, people).find((member) => wireNameOf(member.user) === wireNameOf(user));
}

function refuseLastOwner(project: Project, { people }: MemberChoice, leaving: Member): void {
  if (!isOwner(leaving) || membersOf(project, people).filter(isOwner).length > 1) return;
  throw new Refusal('last-owner', 'A project must have at least one owner.');
}

function withoutEntry({ spec }: Project, username: string): ProjectSpec {
  const left = Object.entries(spec.members ?? {}).filter(([name]) => name !== username);
  return { ...spec, members: Object.fromEntries(left) };
}

function withMember({ spec }: Project, { user, role }: MemberChoice): ProjectSpec {
  return { ...spec, members: { ...spec.members, [wireNameOf(user)]: roleNameInProject(role) } };
}
