/** The flag that owns a name after a write of a flag. */
import type { SpecWrite } from '../domain/flag/edit/environments-touched.ts';
import { keyOf, type Ref } from '../model/object.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import type { Catalog } from './catalog.ts';

/** Undefined if no flag has the name after the write, and if another object has it before and after. */
export function ownerAfterWrite(
  catalog: Pick<Catalog, 'flag' | 'heirOf'>,
  { before, after }: SpecWrite<FlagSpec>,
  ref: Ref,
): FeatureFlag | undefined {
  const owner = catalog.flag((before ?? after)?.name ?? ref.name);
  if (!owner) return before || !after ? undefined : newFlag(ref, after);
  if (!before || keyOf(owner.metadata) !== keyOf(ref)) return undefined;
  return after ? { ...owner, spec: after } : catalog.heirOf(owner);
}

function newFlag(ref: Ref, spec: FlagSpec): FeatureFlag {
  const metadata = { ...ref, uid: '', resourceVersion: '', generation: 1, creationTimestamp: '' };
  return { metadata, spec, rawSpec: spec, status: undefined, defects: [], owners: [] };
}
