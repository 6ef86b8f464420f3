/** Keeps a user's status true to its spec, gives it its id, and says what it shares with others that it must not. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeUser } from '../domain/judge-user.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import { type FlagUserSpec, type FlagUserStatus, flagUser } from '../schema/flag-user.ts';
import type { Ref } from '../schema/object.ts';
import type { Ids } from './ids.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly users: Judged<FlagUserSpec, FlagUserStatus>;
  readonly catalog: Catalog;
  readonly ids: Ids;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function userReconciler({ users, catalog, ids, now }: Parts) {
  return async function reconcile(ref: Ref): Promise<Outcome> {
    const user = users.get(ref);
    if (!user || user.metadata.deletionTimestamp) return done;

    const rivals = catalog.userRivals(user);
    const id = await ids.idFor(flagUser.plural, user, rivals);
    const { roleNamed } = catalog;
    return report(users, user, judgeUser({ user, id, ...rivals, roleNamed }, now()));
  };
}
