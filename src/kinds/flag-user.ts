/** FlagUser: assigns its id, and reports in its status values that it must not share with other users. */
import { nowhere } from '../audit/derive/audit-event.ts';
import { changedOrGotId } from '../catalog/cached.ts';
import { judgeUser } from '../domain/people/judge-user.ts';
import { foldedEmail, subjectsOf } from '../domain/people/subjects.ts';
import { type FlagUser, type FlagUserSpec, type FlagUserStatus, flagUser } from '../schema/flag-user.ts';
import type { KindDefinition } from './definition.ts';
import { integerIdKeys, wireNameKeys } from './indexes.ts';
import { findBy, onChange, versions, wireNamesOf } from './subscriptions.ts';

const indexes = {
  wireName: wireNameKeys,
  id: integerIdKeys,
  /** The user's names in Kubernetes. */
  subject: subjectsOf,
  /** The case-folded e-mail address. */
  email: (user: FlagUser) => [foldedEmail(user)].flatMap((email) => email ?? []),
  rootRole: ({ spec }: FlagUser) => [spec.rootRole].flatMap((role) => role ?? []),
};

/** Indexes in which only one user may have a value. */
const unique = ['wireName', 'id', 'subject', 'email'] as const;

const lifecycle = { created: 'user-created', updated: 'user-updated', deleted: 'user-deleted' } as const;

export const userDefinition: KindDefinition<FlagUserSpec, FlagUserStatus, keyof typeof indexes> = {
  kind: flagUser,
  indexes,
  // Users that get their ids at the same time share one write of the highest id.
  concurrency: 16,

  triggers({ own, caches: { roles }, enqueue }) {
    const conflictingOwnersOf = (user: FlagUser) => unique.flatMap((index) => findBy(own, index, indexes[index](user)));
    return [
      own.subscribe((change) => {
        const users = versions(change);
        enqueue.now(changedOrGotId(change) ? [...users, ...users.flatMap(conflictingOwnersOf)] : users);
      }),
      onChange(roles, (changed) => enqueue.now(findBy(own, 'rootRole', wireNamesOf(changed))), changedOrGotId),
    ];
  },

  judge({ catalog, ids, now }) {
    return async (user) => {
      const conflictingOwners = catalog.userConflictsWith(user);
      const id = await ids.idFor(flagUser.plural, user, conflictingOwners);
      const { roleNamed } = catalog;
      return judgeUser({ user, id, ...conflictingOwners, roleNamed }, now());
    };
  },

  auditMapping: (shapes) => ({ types: () => lifecycle, place: () => nowhere, shape: shapes.user }),
};
