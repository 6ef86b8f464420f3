/** Keeps a role's status true to its spec, and gives it its id. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeRole } from '../domain/judge-role.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import { type FlagRoleSpec, type FlagRoleStatus, flagRole } from '../schema/flag-role.ts';
import type { Ref } from '../schema/object.ts';
import type { Ids } from './ids.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly roles: Judged<FlagRoleSpec, FlagRoleStatus>;
  readonly catalog: Catalog;
  readonly ids: Ids;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function roleReconciler({ roles, catalog, ids, now }: Parts) {
  return async function reconcile(ref: Ref): Promise<Outcome> {
    const role = roles.get(ref);
    if (!role || role.metadata.deletionTimestamp) return done;

    const rivals = catalog.roleRivals(role);
    const id = await ids.idFor(flagRole.plural, role, rivals);
    const everyEnvironment = catalog.everyEnvironment();
    return report(roles, role, judgeRole({ role, id, ...rivals, everyEnvironment }, now()));
  };
}
