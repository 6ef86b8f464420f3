/** The members of a project: the users that it names, each with a role that is there. */
import type { FlagUser } from '../schema/flag-user.ts';
import type { Project } from '../schema/project.ts';
import type { Finding } from './findings.ts';
import { compareText, wireNameOf } from './names.ts';
import { builtInRoleNamed, type Role } from './roles.ts';

/** Who and what is there, by name on the wire. */
export interface People {
  readonly userNamed: (name: string) => FlagUser | undefined;
  readonly roleNamed: (name: string) => Role | undefined;
}

export interface Member {
  readonly user: FlagUser;
  readonly role: Role;
}

interface Named {
  readonly username: string;
  readonly roleName: string;
  readonly user: FlagUser | undefined;
  /** Undefined also where it is a root role. */
  readonly role: Role | undefined;
}

const owner = builtInRoleNamed('owner');

export function isOwner({ role }: Member): boolean {
  return role.id === owner?.id;
}

/** The user who has the name now is no member where another one was: usernames come again, ids do not. */
export function isMeant({ status }: Project, user: FlagUser): boolean {
  const noted = notedId(status?.memberIds, wireNameOf(user));
  return noted === undefined || noted === user.status?.id;
}

/** The ids to note, by username: once noted they stay for as long as the entry does. */
export function memberIdsOf(project: Project, people: People): Readonly<Record<string, number>> {
  const known = project.status?.memberIds;
  const ids = namedIn(project, people).flatMap(({ username, user }) => {
    const id = notedId(known, username) ?? user?.status?.id;
    return id === undefined ? [] : [[username, id] as const];
  });
  return Object.fromEntries(ids);
}

/** Ordered by id. Who is not there, or has a role that is not there, is no member. */
export function membersOf(project: Project, people: People): readonly Member[] {
  return namedIn(project, people)
    .flatMap(({ user, role }) => (user && role && isMeant(project, user) ? [{ user, role }] : []))
    .sort((a, b) => (a.user.status?.id ?? 0) - (b.user.status?.id ?? 0));
}

/** Undefined: the user is no member, or has a role that is not there. */
export function projectRoleOf(
  project: Project,
  user: FlagUser,
  { roleNamed }: Pick<People, 'roleNamed'>,
): Role | undefined {
  const name = isMeant(project, user) ? project.spec.members?.[wireNameOf(user)] : undefined;
  const role = typeof name === 'string' ? roleNamed(name) : undefined;
  return role?.type === 'project' ? role : undefined;
}

export function memberFindings(project: Project, people: People): readonly Finding[] {
  return namedIn(project, people).flatMap(({ username, roleName, user, role }): Finding[] => {
    const place = { severity: 'Warning', path: ['members', username] } as const;
    const noUser = `there is no user "${username}": create a FlagUser, or take the member off`;
    const noRole = `there is no project role "${roleName}": name owner, member, or a FlagRole of type project`;
    return [
      ...(user ? [] : [{ ...place, reason: 'UserNotFound', message: noUser } as const]),
      ...(user && !isMeant(project, user) ? [{ ...place, ...replaced(project, user) }] : []),
      ...(role ? [] : [{ ...place, reason: 'RoleNotFound', message: noRole } as const]),
    ];
  });
}

function replaced({ status }: Project, user: FlagUser): Pick<Finding, 'reason' | 'message'> {
  const username = wireNameOf(user);
  const message = `the member "${username}" is the user with the id ${notedId(status?.memberIds, username)}, and the user of this name has the id ${user.status?.id}: take the member off, then add it again`;
  return { reason: 'UserReplaced', message };
}

function notedId(ids: Readonly<Record<string, number>> | null | undefined, username: string): number | undefined {
  return ids && Object.hasOwn(ids, username) ? ids[username] : undefined;
}

function namedIn({ spec }: Project, { userNamed, roleNamed }: People): readonly Named[] {
  return Object.entries(spec.members ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([username, roleName]) => {
      if (roleName === null) return [];
      const role = roleNamed(roleName);
      return [{ username, roleName, user: userNamed(username), role: role?.type === 'project' ? role : undefined }];
    });
}
