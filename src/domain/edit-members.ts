/** Edits of who belongs to a project: functions from the object to its next spec, which share what they leave alone. */
import { AppError } from '../errors.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Project, ProjectSpec } from '../schema/project.ts';
import { isMeant, isOwner, type Member, membersOf, type People } from './members.ts';
import { wireNameOf } from './names.ts';
import { type Role, roleNameInProject } from './roles.ts';

export interface MemberChoice {
  readonly user: FlagUser;
  /** Of type project. */
  readonly role: Role;
  /** Decide who is a member, and so who counts as an owner: an entry without its user or role is nobody. */
  readonly people: People;
}

export type EditMembers = (project: Project, choice: MemberChoice) => ProjectSpec;

/** Endpoint 17. An entry of the user with a role that is not there, or of an earlier user of the name, is no membership, and is written over. */
export function addMember(project: Project, choice: MemberChoice): ProjectSpec {
  if (findMember(project, choice)) {
    throw new AppError('already-member', `User already has access to project=${wireNameOf(project)}`);
  }
  return withMember(project, choice);
}

/** Endpoint 18. Who is not in the project stays out of it. */
export function changeMember(project: Project, choice: MemberChoice): ProjectSpec {
  const member = findMember(project, choice);
  // By id, as one role may be written in several ways.
  if (!member || member.role.id === choice.role.id) return project.spec;
  refuseLastOwner(project, choice, member);
  return withMember(project, choice);
}

/** Endpoint 19: takes the user out of the project, if the role is the one that the user has there. */
export function removeMember(project: Project, choice: MemberChoice): ProjectSpec {
  const { user, role } = choice;
  const [username, projectId] = [wireNameOf(user), wireNameOf(project)];
  const member = findMember(project, choice);
  if (!member) throw new AppError('not-found', `The user "${username}" is not in the project "${projectId}".`);
  if (member.role.id !== role.id) {
    const message = `The user "${username}" does not have the role "${role.name}" in the project "${projectId}", but "${member.role.name}".`;
    throw new AppError('not-found', message);
  }
  refuseLastOwner(project, choice, member);
  return withoutEntry(project, username);
}

/** Takes off the entry of an earlier user who had the name of this one. */
export function withoutFormer(project: Project, user: FlagUser): ProjectSpec {
  const username = wireNameOf(user);
  const isThere = Object.hasOwn(project.spec.members ?? {}, username);
  return isThere && !isMeant(project, user) ? withoutEntry(project, username) : project.spec;
}

function findMember(project: Project, { user, people }: MemberChoice): Member | undefined {
  return membersOf(project, people).find((member) => wireNameOf(member.user) === wireNameOf(user));
}

function refuseLastOwner(project: Project, { people }: MemberChoice, leaving: Member): void {
  if (!isOwner(leaving) || membersOf(project, people).filter(isOwner).length > 1) return;
  throw new AppError('last-owner', 'A project must have at least one owner.');
}

function withoutEntry({ spec }: Project, username: string): ProjectSpec {
  const left = Object.entries(spec.members ?? {}).filter(([name]) => name !== username);
  return { ...spec, members: Object.fromEntries(left) };
}

function withMember({ spec }: Project, { user, role }: MemberChoice): ProjectSpec {
  return { ...spec, members: { ...spec.members, [wireNameOf(user)]: roleNameInProject(role) } };
}
