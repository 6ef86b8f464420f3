/** Answers about users as bytes: each user is folded and serialised once, and lists are joined from the bytes. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Role } from '../../domain/people/roles.ts';
import { searchableUser, searchUsers } from '../../domain/people/search-users.ts';
import { bytesOf, joined } from '../../model/bytes.ts';
import { memo } from '../../model/memo.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import { presentRootRoles, presentUser } from '../../wire/admin/people/user.ts';
import { share } from '../server/answer/encodings.ts';
import { Representation } from '../server/answer/representation.ts';

export interface UserPages {
  /** Returns the same bytes until a user or a role changes. */
  users(): Representation;
  /** GET /user-admin/search. */
  usersMatching(pattern: string, form: 'object' | 'list'): Representation;
}

export function createUserPages(catalog: Catalog): UserPages {
  const searchable = memo((user: FlagUser, _: undefined) => searchableUser(user));
  const everySearchable = memo((users: readonly FlagUser[], _: undefined) =>
    users.map((user) => searchable(user, undefined)),
  );
  const userBytes = memo((user: FlagUser, rootRole: number | undefined) =>
    bytesOf(JSON.stringify(presentUser(user, rootRole))),
  );
  const itemsOf = (users: readonly FlagUser[]) => users.map((user) => userBytes(user, catalog.rootRoleOf(user)?.id));
  const list = (users: readonly FlagUser[], roles: readonly Role[]) => {
    const rootRoles = JSON.stringify(presentRootRoles(roles));
    return new Representation(joined('{"users":[', itemsOf(users), `],"rootRoles":${rootRoles}}`));
  };
  const wholeList = memo((users: readonly FlagUser[], roles: readonly Role[]) => share(list(users, roles)));

  return {
    users: () => wholeList(catalog.users(), catalog.rolesInOrder()),
    usersMatching(pattern, form) {
      const found = searchUsers(everySearchable(catalog.users(), undefined), pattern);
      return form === 'list'
        ? new Representation(joined('[', itemsOf(found), ']'))
        : list(found, catalog.rolesInOrder());
    },
  };
}
