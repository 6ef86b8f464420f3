/** Users, custom roles and members of a running Unleash, as objects. */
import { compareText } from '../../../src/domain/identity/names.ts';
import { builtInRoleNamed } from '../../../src/domain/people/roles.ts';
import { permissionNames } from '../../../src/schema/permission.ts';
import { type Imported, type ImportedObject, together } from '../imported.ts';
import type { Unmapped } from '../unmapped.ts';
import type { ReadProject, ReadRole, ReadServer } from './read-server.ts';
import type { WireUsers } from './shapes.ts';

export interface People extends Imported {
  /** The role of each member, by user name, for each project with members. */
  readonly members: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

type User = WireUsers['users'][number];

export function peopleOfServer({ people, roles, projects }: ReadServer): People {
  const users = people?.users ?? [];
  const rootRoles = new Map((people?.rootRoles ?? []).map(({ id, name }) => [id, name]));
  const nameById = new Map(users.map((user) => [user.id, usernameOf(user)]));
  const objects = users.map((user) => userOf(user, rootRoles)).sort(byName);
  return {
    ...together([...roles.map(roleOf), { objects, unmapped: projects.flatMap(groupsOf) }]),
    members: new Map(projects.flatMap((project) => membersOf(project, nameById))),
  };
}

function byName(one: ImportedObject, other: ImportedObject): number {
  return compareText(one.name, other.name);
}

function usernameOf({ id, username, email }: User): string {
  return username || email || `user-${id}`;
}

const EMAIL = /^[^@\s]+@[^@\s]+$/;

function userOf(user: User, rootRoles: ReadonlyMap<number, string>): ImportedObject<'users'> {
  const { name, email, rootRole } = user;
  const role = typeof rootRole === 'number' ? rootRoles.get(rootRole) : undefined;
  const username = usernameOf(user);
  const spec = {
    ...(name && name !== username && { displayName: name }),
    ...(email && EMAIL.test(email) && { email }),
    ...(role && role !== 'Viewer' && { rootRole: role }),
  };
  return { kind: 'users', name: username, spec };
}

const known: ReadonlySet<string> = new Set(permissionNames);

function roleOf({ name, type, description, permissions }: ReadRole): Imported {
  const kept = permissions.filter((one) => known.has(one.name));
  const spec = {
    type: type?.startsWith('root') ? ('root' as const) : ('project' as const),
    ...(description && { description }),
    permissions: kept.map((one) => ({ name: one.name, ...(one.environment && { environment: one.environment }) })),
  };
  const advice = 'Vexil has no such permission. It is left out.';
  const lost = permissions.filter((one) => !known.has(one.name));
  return {
    objects: [{ kind: 'roles', name, spec }],
    unmapped: lost.map((one) => ({ path: `roles/${name}: permissions`, value: one.name, advice })),
  };
}

function membersOf(
  { id, access }: ReadProject,
  nameById: ReadonlyMap<number, string>,
): [string, Readonly<Record<string, string>>][] {
  const roles = new Map((access?.roles ?? []).map(({ id: role, name }) => [role, name]));
  const members = (access?.users ?? []).flatMap(({ id: user, roleId, roles: all }): [string, string][] => {
    const role = roles.get(roleId ?? all?.[0] ?? -1);
    const name = nameById.get(user);
    return role && name ? [[name, builtInRoleNamed(role) ? role.toLowerCase() : role]] : [];
  });
  const sorted = members.sort(([one], [other]) => compareText(one, other));
  return members.length > 0 ? [[id, Object.fromEntries(sorted)]] : [];
}

function groupsOf({ id, access }: ReadProject): readonly Unmapped[] {
  return (access?.groups ?? []).map((value) => ({
    path: `projects/${id}: groups`,
    value,
    advice: 'Vexil has no groups. Add the people of the group to spec.members of the Project.',
  }));
}
