/** Keeps a flag's status true to its spec and to the project and environments it names. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeFlag } from '../domain/judge-flag.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import type { FlagSpec, FlagStatus } from '../schema/feature-flag.ts';
import type { Ref } from '../schema/object.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly flags: Judged<FlagSpec, FlagStatus>;
  readonly catalog: Catalog;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function flagReconciler({ flags, catalog, now }: Parts) {
  return async function reconcile(ref: Ref): Promise<Outcome> {
    const flag = flags.get(ref);
    if (!flag || flag.metadata.deletionTimestamp) return done;

    const surroundings = catalog.surroundingsOf(flag);
    const verdict = judgeFlag({ flag, surroundings, effect: catalog.effectOf(flag) }, now());
    return report(flags, flag, verdict);
  };
}
