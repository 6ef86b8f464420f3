/** FlagRole: assigns its id, and reconciles its status with its spec and the environments that it names. */
import { nowhere } from '../audit/derive/audit-event.ts';
import { changedOrGotId } from '../catalog/cached.ts';
import { judgeRole } from '../domain/people/judge-role.ts';
import { type FlagRole, type FlagRoleSpec, type FlagRoleStatus, flagRole } from '../schema/flag-role.ts';
import type { KindDefinition } from './definition.ts';
import { integerIdKeys, wireNameKeys } from './indexes.ts';
import { findBy, onChange, versions, wireNamesOf, withNamesakes } from './subscriptions.ts';

const indexes = {
  wireName: wireNameKeys,
  id: integerIdKeys,
  environment: ({ spec }: FlagRole) => (spec.permissions ?? []).flatMap(({ environment }) => environment ?? []),
};

const lifecycle = { created: 'role-created', updated: 'role-updated', deleted: 'role-deleted' } as const;

export const roleDefinition: KindDefinition<FlagRoleSpec, FlagRoleStatus, keyof typeof indexes> = {
  kind: flagRole,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { environments }, enqueue }) {
    return [
      own.subscribe((change) => {
        if (!changedOrGotId(change)) return enqueue.now(versions(change));
        const withSameId = findBy(own, 'id', versions(change).flatMap(indexes.id));
        enqueue.now([...withNamesakes(own, change), ...withSameId]);
      }),
      onChange(environments, (changed) => enqueue.now(findBy(own, 'environment', wireNamesOf(changed)))),
    ];
  },

  judge({ catalog, ids, now }) {
    return async (role) => {
      const conflictingOwners = catalog.roleConflictsWith(role);
      const id = await ids.idFor(flagRole.plural, role, conflictingOwners);
      return judgeRole({ role, id, ...conflictingOwners, everyEnvironment: catalog.everyEnvironment() }, now());
    };
  },

  auditMapping: (shapes) => ({ types: () => lifecycle, place: () => nowhere, shape: shapes.role }),
};
