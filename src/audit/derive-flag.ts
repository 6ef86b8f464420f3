/** What happens to flags: to themselves, and in their environments. */
import { isDeepStrictEqual } from 'node:util';
import { metadataOf } from '../domain/edit-flag.ts';
import { isArchived } from '../domain/flag-values.ts';
import type { FeatureFlag, FlagStatus } from '../schema/feature-flag.ts';
import { environmentNamesOf, type FlagChange, placeOfFlag } from './derive-flag-change.ts';
import { tellEnvironment, tellStrategies, tellSwitch } from './derive-flag-environment.ts';
import { tellVariants } from './derive-flag-variants.ts';
import type { Telling } from './derive-kind.ts';
import type { Shapes } from './derive-shapes.ts';
import { tell } from './derive-told.ts';
import type { Told } from './entry.ts';

export const flagLifecycle = {
  created: 'feature-created',
  updated: 'feature-updated',
  deleted: 'feature-deleted',
} as const;

export function flagTelling(shapes: Shapes): Telling<FeatureFlag> {
  const place = (flag: FeatureFlag) => placeOfFlag(shapes, flag);
  return {
    types: () => flagLifecycle,
    place,
    shape: shapes.feature,
    alsoNew: (after) => tellBeginning({ shapes, after, place: place(after) }),
    changed: (before, after) => tellChange({ shapes, before, after, place: place(after) }),
  };
}

/** Its tags, variants and metadata are in the flag itself. */
function tellBeginning(change: FlagChange): readonly Told[] {
  const names = environmentNamesOf(change);
  return [
    ...names.flatMap((name) => tellStrategies(change, name)),
    ...names.flatMap((name) => tellSwitch(change, name)),
    ...tellPotentiallyStale(change),
  ];
}

/** The flag comes back before it is on somewhere. */
function tellChange(change: FlagChange): readonly Told[] {
  return [
    ...tellMetadata(change),
    ...tellArchiving(change),
    ...tellVariants(change),
    ...tellTags(change),
    ...environmentNamesOf(change).flatMap((name) => tellEnvironment(change, name)),
    ...tellPotentiallyStale(change),
  ];
}

function tellMetadata({ shapes, before, after, place }: FlagChange): readonly Told[] {
  if (!before || isDeepStrictEqual(metadataOf(before.spec), metadataOf(after.spec))) return [];
  const shown = { data: shapes.feature(after), preData: shapes.feature(before) };
  const updated = tell('feature-metadata-updated', place, shown);
  const [was, is] = [metadataOf(before.spec).stale, metadataOf(after.spec).stale];
  return was === is ? [updated] : [updated, tell(is ? 'feature-stale-on' : 'feature-stale-off', place)];
}

function tellArchiving({ before, after, place }: FlagChange): readonly Told[] {
  if (!before || isArchived(before) === isArchived(after)) return [];
  return [tell(isArchived(after) ? 'feature-archived' : 'feature-revived', place)];
}

function tellTags({ shapes, before, after, place }: FlagChange): readonly Told[] {
  const [old, next] = [before?.spec.tags ?? [], after.spec.tags ?? []];
  const shown = (tag: string) => ({ ...shapes.tag(tag) });
  const added = next.filter((tag) => !old.includes(tag));
  const removed = old.filter((tag) => !next.includes(tag));
  return [
    ...added.map((subject) => tell('feature-tagged', place, { subject, data: shown(subject) })),
    ...removed.map((subject) => tell('feature-untagged', place, { subject, preData: shown(subject) })),
  ];
}

/** Time does this, whoever has changed something meanwhile. */
function tellPotentiallyStale({ before, after, place }: FlagChange): readonly Told[] {
  const isNew = isPotentiallyStale(after.status) && !isPotentiallyStale(before?.status);
  return isNew ? [tell('feature-potentially-stale-on', place)] : [];
}

function isPotentiallyStale(status: Pick<FlagStatus, 'conditions'> | undefined): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'PotentiallyStale' && is === 'True') ?? false;
}
