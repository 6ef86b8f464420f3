/** The users and roles that own their name and id. */

import type { HighestIdByKind, WithIntegerId } from '../domain/identity/integer-id.ts';
import type { EffectiveRoles } from '../domain/people/permissions.ts';
import { builtInRoleNamed, builtInRoles, type Role, roleOf } from '../domain/people/roles.ts';
import { foldedEmail, subjectsOf } from '../domain/people/subjects.ts';
import { type Member, membersOf, type People, projectRoleOf } from '../domain/project/members.ts';
import type { UserLookup } from '../domain/tokens/token-user.ts';
import { memo } from '../model/memo.ts';
import type { Ref } from '../model/object.ts';
import { type FlagRole, flagRole } from '../schema/flag-role.ts';
import { type FlagUser, flagUser } from '../schema/flag-user.ts';
import type { Project } from '../schema/project.ts';
import { type Cached, changedOrGotId } from './cached.ts';
import { conflictingOwnerOf, nameOwner, oldest, unlessItself } from './holders.ts';
import { highestIn, idConflictWithOf, idOwner, inIdOrder, isServed } from './numbered.ts';

export interface PeopleCaches {
  readonly users: Cached<FlagUser, 'wireName' | 'id' | 'subject' | 'email'>;
  readonly roles: Cached<FlagRole, 'wireName' | 'id'>;
}

const viewer = builtInRoles.filter(({ name }) => name === 'Viewer');

interface Conflicts {
  readonly conflictingOwner: Ref | undefined;
  readonly idConflictWith: Ref | undefined;
}

interface UserConflicts extends Conflicts {
  /** By the name in Kubernetes. */
  readonly subjectConflictsWith: ReadonlyMap<string, Ref>;
  readonly emailConflictWith: Ref | undefined;
}

/** The users and roles that own their names and ids. */
export interface PeopleLookups {
  /** The user that owns this username and its id; undefined: none, or it has no id yet. */
  userNamed(name: string): FlagUser | undefined;
  /** A built-in role in any case, or the custom one that owns this name and its id. */
  roleNamed(name: string): Role | undefined;
  /** The two lookups above, for rules of the domain. */
  readonly people: People;
  /** The user that owns this id and its username. */
  user(id: number): FlagUser | undefined;
  /** The lookup of a username; `name` is undefined if the token names no user. */
  userLookup(name: string | undefined): UserLookup;
  /**
   * The users that own their names and ids, ordered by id; the same list until the spec or the id of a user or role
   * changes.
   */
  users(): readonly FlagUser[];
  /** `name` is the name of the identity in Kubernetes. */
  userBySubject(name: string): FlagUser | undefined;
  /** The built-in role with this id, or the custom one that owns it and its name. */
  role(id: number): Role | undefined;
  /** The roles, the built-in ones first, ordered by id; the same list as long as that of `users`. */
  rolesInOrder(): readonly Role[];
  /** Viewer if the user names no role, or one that does not exist. */
  rootRoleOf(user: FlagUser): Role | undefined;
  /** The roles of the user, in the project if one is given. */
  rolesOf(user: FlagUser, project: Project | undefined): EffectiveRoles;
  /** The members of the project, ordered by id; the same list until the project, a user or a role changes. */
  membersOf(project: Project): readonly Member[];
  /** The highest ids seen so far, by the plural of the kind. */
  highestIds(): HighestIdByKind;
  /** The objects that own what this one wants. */
  userConflictsWith(user: FlagUser): UserConflicts;
  /** The roles that own the name and the id that this one wants; undefined: itself or none. */
  roleConflictsWith(role: FlagRole): Conflicts;
}

export function createPeople({ users, roles }: PeopleCaches): PeopleLookups {
  const revision = countChanges([users, roles]);
  const highestUser = highestIn(users);
  const highestRole = highestIn(roles);
  const servedUser = (user: FlagUser | undefined) => (user && isServed(users, user) ? user : undefined);
  const customRole = (found: FlagRole | undefined) => (found && isServed(roles, found) ? roleOf(found) : undefined);

  const people: People = {
    userNamed: (name) => servedUser(nameOwner(users, name)),
    roleNamed: (name) => builtInRoleNamed(name) ?? customRole(nameOwner(roles, name)),
  };
  const usersInOrder = remembered(revision, () => inIdOrder([...users.all()].filter((user) => isServed(users, user))));
  const rolesInOrder = remembered(revision, () => [
    ...builtInRoles,
    ...[...roles.all()].flatMap((role) => customRole(role) ?? []).sort((a, b) => a.id - b.id),
  ]);
  function rootRoleOf({ spec }: FlagUser): Role | undefined {
    const role = people.roleNamed(spec.rootRole ?? '');
    return role?.type === 'root' ? role : viewer[0];
  }
  /** The older user with the same key. */
  const conflictingOwnerFor = (user: FlagUser, index: 'subject' | 'email', key: string | undefined): Ref | undefined =>
    key === undefined ? undefined : unlessItself(user, oldest(users, index, key));
  const members = memo((project: Project, _revision: number) => membersOf(project, people));

  return {
    people,
    ...people,
    user: (id: number): FlagUser | undefined => servedUser(idOwner(users, id)),
    userLookup: (name: string | undefined): UserLookup => {
      if (name === undefined) return { user: undefined, isClaimed: false };
      return { user: people.userNamed(name), isClaimed: users.by('wireName', name).length > 0 };
    },
    users: usersInOrder,
    userBySubject: (name: string): FlagUser | undefined => servedUser(oldest(users, 'subject', name)),
    role: (id: number): Role | undefined => builtInRoles[id - 1] ?? customRole(idOwner(roles, id)),
    rolesInOrder,
    rootRoleOf,
    rolesOf: (user: FlagUser, project: Project | undefined): EffectiveRoles => ({
      root: rootRoleOf(user),
      project: project && projectRoleOf(project, user, people),
    }),
    membersOf: (project: Project): readonly Member[] => members(project, revision()),

    highestIds: (): HighestIdByKind => ({
      [flagUser.plural]: highestUser(),
      [flagRole.plural]: Math.max(highestRole(), builtInRoles.length),
    }),
    userConflictsWith: (user: FlagUser) => ({
      conflictingOwner: conflictingOwnerOf(users, user),
      idConflictWith: idConflictWithOf(users, user),
      subjectConflictsWith: new Map(
        subjectsOf(user).flatMap((subject) => {
          const owner = conflictingOwnerFor(user, 'subject', subject);
          return owner ? [[subject, owner] as const] : [];
        }),
      ),
      emailConflictWith: conflictingOwnerFor(user, 'email', foldedEmail(user)),
    }),
    roleConflictsWith: (role: FlagRole) => ({
      conflictingOwner: conflictingOwnerOf(roles, role),
      idConflictWith: idConflictWithOf(roles, role),
    }),
  };
}

function countChanges(caches: readonly Cached<WithIntegerId>[]): () => number {
  let count = 0;
  for (const cache of caches) {
    cache.subscribe((change) => {
      if (changedOrGotId(change)) count += 1;
    });
  }
  return () => count;
}

function remembered<V>(revision: () => number, compute: () => V): () => V {
  let known: { readonly at: number; readonly value: V } | undefined;
  return () => {
    if (known?.at !== revision()) known = { at: revision(), value: compute() };
    return known.value;
  };
}
