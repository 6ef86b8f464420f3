/** The environments in which a write of a flag does more than take away, for freezes and approvals alike. */
import type { Catalog } from '../../catalog/catalog.ts';
import { childrenAfterWrite } from '../../catalog/children-on.ts';
import { ownerAfterWrite } from '../../catalog/owner-after-write.ts';
import { refusedByFreeze } from '../../domain/flag/edit/change-in-freeze.ts';
import { own, type SpecWrite } from '../../domain/flag/edit/environments-touched.ts';
import { isGaining, takenBetween } from '../../domain/flag/gaining-children.ts';
import type { Ref } from '../../model/object.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';

export type ChangedCatalog = Pick<
  Catalog,
  'childrenOf' | 'effectOf' | 'environment' | 'environments' | 'flag' | 'flagContextOf' | 'heirOf' | 'now'
>;

export interface ChangedEnvironments {
  readonly names: ReadonlySet<string>;
  /** The children that the write could give to users, by environment. */
  readonly gains: ReadonlyMap<string, readonly FeatureFlag[]>;
}

export function changedEnvironments(
  catalog: ChangedCatalog,
  write: SpecWrite<FlagSpec>,
  ref: Ref,
): ChangedEnvironments {
  const owner = ownerAfterWrite(catalog, write, ref);
  const gains = gainsOf(catalog, write, owner);
  // A deleted flag may have an heir.
  const effective = { before: write.before, after: write.after ?? owner?.spec };
  return { gains, names: new Set([...refusedByFreeze(write), ...refusedByFreeze(effective), ...gains.keys()]) };
}

/** `parent` is the flag after the write. */
function gainsOf(
  catalog: ChangedCatalog,
  { before }: SpecWrite<FlagSpec>,
  parent: FeatureFlag | undefined,
): ReadonlyMap<string, readonly FeatureFlag[]> {
  if (!parent) return new Map();
  const [old, next] = [before?.environments ?? {}, parent.spec.environments ?? {}];
  const gaining = childrenAfterWrite(catalog, parent).filter(({ child, environment, wasOn }) => {
    const [one, other] = [own(old, environment) ?? {}, own(next, environment) ?? {}];
    const follows = other.enabled === true ? 'on' : 'off';
    const change = wasOn ? takenBetween(one, other) : follows;
    return change && isGaining(child, parent, change);
  });
  const byEnvironment = Map.groupBy(gaining, ({ environment }) => environment);
  return new Map([...byEnvironment].map(([environment, found]) => [environment, found.map(({ child }) => child)]));
}
