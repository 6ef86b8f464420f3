/** The members of a project: the users that it names, each with an existing role. */
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Project } from '../../schema/project.ts';
import { compareText, wireNameOf } from '../identity/names.ts';
import type { Finding } from '../judgement/findings.ts';
import { builtInRoleNamed, type Role } from '../people/roles.ts';

/** Users and roles, by wire name. */
export interface People {
  readonly userNamed: (name: string) => FlagUser | undefined;
  readonly roleNamed: (name: string) => Role | undefined;
}

export interface Member {
  readonly user: FlagUser;
  readonly role: Role;
}

interface NamedMember {
  readonly username: string;
  readonly roleName: string;
  readonly user: FlagUser | undefined;
  /** Undefined also for a root role. */
  readonly role: Role | undefined;
}

const owner = builtInRoleNamed('owner');

export function isOwner({ role }: Member): boolean {
  return role.id === owner?.id;
}

/** Whether `user` is the user that the entry was made for: usernames are reused, ids are not. */
export function isSameUser({ status }: Project, user: FlagUser): boolean {
  const recorded = recordedId(status?.memberIds, wireNameOf(user));
  return recorded === undefined || recorded === user.status?.id;
}

/** The ids to record, by username. A recorded id stays as long as the entry. */
export function memberIdsOf(project: Project, people: People): Readonly<Record<string, number>> {
  const recorded = project.status?.memberIds;
  const ids = namedIn(project, people).flatMap(({ username, user }) => {
    const id = recordedId(recorded, username) ?? user?.status?.id;
    return id === undefined ? [] : [[username, id] as const];
  });
  return Object.fromEntries(ids);
}

/** The members, ordered by id. An entry whose user or role does not exist is no member. */
export function membersOf(project: Project, people: People): readonly Member[] {
  return namedIn(project, people)
    .flatMap(({ user, role }) => (user && role && isSameUser(project, user) ? [{ user, role }] : []))
    .sort((a, b) => (a.user.status?.id ?? 0) - (b.user.status?.id ?? 0));
}

/** Undefined if the user is no member, or the role does not exist. */
export function projectRoleOf(
  project: Project,
  user: FlagUser,
  { roleNamed }: Pick<People, 'roleNamed'>,
): Role | undefined {
  const name = isSameUser(project, user) ? project.spec.members?.[wireNameOf(user)] : undefined;
  const role = typeof name === 'string' ? roleNamed(name) : undefined;
  return role?.type === 'project' ? role : undefined;
}

export function memberFindings(project: Project, people: People): readonly Finding[] {
  return namedIn(project, people).flatMap(({ username, roleName, user, role }): Finding[] => {
    const place = { severity: 'Warning', path: ['members', username] } as const;
    const noUser = `there is no user "${username}": create a FlagUser, or remove the member`;
    const noRole = `there is no project role "${roleName}": name owner, member, or a FlagRole of type project`;
    return [
      ...(user ? [] : [{ ...place, reason: 'UserNotFound', message: noUser } as const]),
      ...(user && !isSameUser(project, user) ? [{ ...place, ...replaced(project, user) }] : []),
      ...(role ? [] : [{ ...place, reason: 'RoleNotFound', message: noRole } as const]),
    ];
  });
}

function replaced({ status }: Project, user: FlagUser): Pick<Finding, 'reason' | 'message'> {
  const username = wireNameOf(user);
  const message = `the member "${username}" is the user with the id ${recordedId(status?.memberIds, username)}, and the user of this name has the id ${user.status?.id}: remove the member, then add it again`;
  return { reason: 'UserReplaced', message };
}

function recordedId(ids: Readonly<Record<string, number>> | null | undefined, username: string): number | undefined {
  return ids && Object.hasOwn(ids, username) ? ids[username] : undefined;
}

function namedIn({ spec }: Project, { userNamed, roleNamed }: People): readonly NamedMember[] {
  return Object.entries(spec.members ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([username, roleName]) => {
      if (roleName === null) return [];
      const role = roleNamed(roleName);
      return [{ username, roleName, user: userNamed(username), role: role?.type === 'project' ? role : undefined }];
    });
}
