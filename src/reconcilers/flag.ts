/** Keeps a flag's status true to its spec and to the project and environments it names. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeFlag } from '../domain/judge-flag.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import type { FlagSpec, FlagStatus } from '../schema/feature-flag.ts';
import type { Ref } from '../schema/object.ts';
import { type Judged, type Publish, publishDuplicate, report } from './status.ts';

interface Parts {
  readonly flags: Judged<FlagSpec, FlagStatus>;
  readonly catalog: Catalog;
  readonly publish: Publish;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function flagReconciler({ flags, catalog, publish, now }: Parts) {
  return async function reconcile(ref: Ref): Promise<Outcome> {
    const flag = flags.get(ref);
    if (!flag || flag.metadata.deletionTimestamp) return done;

    const surroundings = catalog.surroundingsOf(flag);
    const effect = catalog.effectOf(flag);
    const verdict = judgeFlag({ flag, surroundings, effect, duplicates: catalog.flagDuplicates(flag) }, now());
    await publishDuplicate(flag, verdict.status, publish);
    return report(flags, flag, verdict);
  };
}
