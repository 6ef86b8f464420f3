/** The users and roles that there are, each with a name and an id of its own. */
import { type Member, membersOf, type People } from '../domain/members.ts';
import type { Named } from '../domain/names.ts';
import { idHolderOf, type Marks, type Numbered, wantedId } from '../domain/numbered.ts';
import { builtInRoleNamed, builtInRoles, type Role, roleOf } from '../domain/roles.ts';
import { foldedEmail, subjectsOf } from '../domain/subjects.ts';
import type { UserThere } from '../domain/token-user.ts';
import { flagRole } from '../schema/flag-role.ts';
import { type FlagUser, flagUser } from '../schema/flag-user.ts';
import type { Ref } from '../schema/object.ts';
import type { Project } from '../schema/project.ts';
import { type Cached, type Caches, changedOrNumbered } from './cached.ts';
import { eldest, holder, rivalOf, unlessItself } from './holders.ts';
import { memo } from './memo.ts';

const viewer = builtInRoles.filter(({ name }) => name === 'Viewer');

export function createPeople({ users, roles }: Pick<Caches, 'users' | 'roles'>) {
  const revision = countChanges([users, roles]);
  const highestUser = highestIn(users);
  const highestRole = highestIn(roles);
  const servedUser = (user: FlagUser | undefined) => (user && isServed(users, user) ? user : undefined);
  const customRole = (found: Parameters<typeof roleOf>[0] | undefined) =>
    found && isServed(roles, found) ? roleOf(found) : undefined;

  const people: People = {
    userNamed: (name) => servedUser(holder(users, name)),
    roleNamed: (name) => builtInRoleNamed(name) ?? customRole(holder(roles, name)),
  };
  const usersInOrder = remembered(revision, () =>
    [...users.all()].filter((user) => isServed(users, user)).sort((a, b) => idOf(a) - idOf(b)),
  );
  const rolesInOrder = remembered(revision, () => [
    ...builtInRoles,
    ...[...roles.all()].flatMap((role) => customRole(role) ?? []).sort((a, b) => a.id - b.id),
  ]);
  const members = memo((project: Project, _revision: number) => membersOf(project, people));

  return {
    people,
    ...people,
    user: (id: number): FlagUser | undefined => servedUser(idHolder(users, id)),
    /** What a username stands for; undefined: the token names no user. */
    userThere: (name: string | undefined): UserThere => {
      if (name === undefined) return { user: undefined, isClaimed: false };
      return { user: people.userNamed(name), isClaimed: users.by('wireName', name).length > 0 };
    },
    /** Those that have their names and ids, ordered by id. */
    users: (): readonly FlagUser[] => usersInOrder(),
    /** `name` is what Kubernetes calls the identity. */
    userBySubject: (name: string): FlagUser | undefined => servedUser(eldest(users, 'subject', name)),
    role: (id: number): Role | undefined => builtInRoles[id - 1] ?? customRole(idHolder(roles, id)),
    /** The built-in ones first, ordered by id. */
    rolesInOrder: (): readonly Role[] => rolesInOrder(),
    /** Viewer, where it names none or one that is not there. */
    rootRoleOf({ spec }: FlagUser): Role | undefined {
      const role = people.roleNamed(spec.rootRole ?? '');
      return role?.type === 'root' ? role : viewer[0];
    },
    /** Ordered by id. */
    membersOf: (project: Project): readonly Member[] => members(project, revision()),

    /** The highest ids that were ever seen, by the plural of the kind. */
    highestIds: (): Marks => ({
      [flagUser.plural]: highestUser(),
      [flagRole.plural]: Math.max(highestRole(), builtInRoles.length),
    }),
    userRivals: (user: FlagUser) => ({
      rival: rivalOf(users, user),
      idRival: idRivalOf(users, user),
      subjectRivals: rivalsFor(users, user, { index: 'subject', keys: subjectsOf(user) }),
      emailRival: rivalsFor(users, user, { index: 'email', keys: [foldedEmail(user)].flatMap((one) => one ?? []) })
        .values()
        .next().value,
    }),
    roleRivals: (role: Parameters<typeof roleOf>[0]) => ({
      rival: rivalOf(roles, role),
      idRival: idRivalOf(roles, role),
    }),
  };
}

function idOf({ status }: Numbered): number {
  return status?.id ?? 0;
}

/** It has an id, and neither its id nor its name is another's. */
function isServed<T extends Numbered>(cache: Cached<T>, object: T): boolean {
  return object.status?.id !== undefined && !rivalOf(cache, object) && !idRivalOf(cache, object);
}

/** Who neither has the id nor holds its own name, does not count. */
function idHolder<T extends Numbered>(cache: Cached<T>, id: number): T | undefined {
  const wanting = cache.by('id', `${id}`).filter((one) => wantedId(one) === id);
  return idHolderOf(
    wanting.filter((one) => one.status?.id === id || !rivalOf(cache, one)),
    id,
  );
}

function idRivalOf<T extends Numbered>(cache: Cached<T>, object: T): Ref | undefined {
  const id = wantedId(object);
  return id === undefined ? undefined : unlessItself(object, idHolder(cache, id));
}

interface Claims {
  readonly index: string;
  readonly keys: readonly string[];
}

/** The older object under each key. */
function rivalsFor<T extends Named>(cache: Cached<T>, object: T, { index, keys }: Claims): ReadonlyMap<string, Ref> {
  return new Map(
    keys.flatMap((key) => {
      const rival = unlessItself(object, eldest(cache, index, key));
      return rival ? [[key, rival] as const] : [];
    }),
  );
}

function countChanges(caches: readonly Cached<Numbered>[]): () => number {
  let count = 0;
  for (const cache of caches) {
    cache.subscribe((change) => {
      if (changedOrNumbered(change)) count += 1;
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

/** It never falls, so that an id which was seen once is not given again while this process lives. */
function highestIn(cache: Cached<Numbered>): () => number {
  let highest = 0;
  const see = (object: Numbered | undefined) => {
    highest = Math.max(highest, object?.spec.id ?? 0, object?.status?.id ?? 0);
  };
  for (const object of cache.all()) see(object);
  cache.subscribe(({ after }) => see(after));
  return () => highest;
}
