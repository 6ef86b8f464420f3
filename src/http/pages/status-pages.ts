/** The specs of flags and what is in effect, as bytes: each version of a flag is judged and serialised once. */
import type { Catalog } from '../../catalog/catalog.ts';
import { undisputedEffect } from '../../catalog/project-views.ts';
import type { FlagContext } from '../../domain/flag/flag-context.ts';
import { judgeFlag } from '../../domain/flag/judge/judge-flag.ts';
import { outlivesAt } from '../../domain/flag/lifetime.ts';
import type { Switch } from '../../domain/flag/search-flags.ts';
import { maskAddresses } from '../../domain/history/masked-addresses.ts';
import { bytesOf, concat } from '../../model/bytes.ts';
import { memo } from '../../model/memo.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { presentFeatureStatus, type StatusView, wireFeatureStatus } from '../../wire/admin/flag/feature-status.ts';
import { Representation } from '../server/answer/representation.ts';

export interface StatusParts extends Pick<StatusView, 'ownersAt'> {
  readonly catalog: Pick<Catalog, 'flagContextOf' | 'flagDuplicates'>;
  /** In ms since 1970. */
  readonly now: () => number;
}

export interface StatusPages {
  /** The status for a reader who may see users, or a masked one for other readers. */
  statusFor(isMasked: boolean): (flag: FeatureFlag, flagContext: FlagContext) => Buffer;
  switchesOf(flag: FeatureFlag, flagContext: FlagContext): readonly Switch[];
  /** GET …/features/:featureName/status. */
  status(flag: FeatureFlag, isMasked: boolean): Representation;
}

export function createStatusPages({ catalog, ownersAt, now }: StatusParts): StatusPages {
  const present = (flag: FeatureFlag, flagContext: FlagContext) => {
    const effect = undisputedEffect(flag, flagContext);
    const duplicates = catalog.flagDuplicates(flag);
    const { status } = judgeFlag({ flag, flagContext, effect, duplicates }, now());
    return presentFeatureStatus({ flag, flagContext, effect, status, ownersAt });
  };
  const pageOf = (flag: FeatureFlag, flagContext: FlagContext): Buffer =>
    bytesOf(JSON.stringify(present(flag, flagContext)));
  // Duplicates and lifetimes change problems, but no switch.
  const switchesOf = memo((flag: FeatureFlag, flagContext: FlagContext) => present(flag, flagContext).environments);
  const young = memo(pageOf);
  const overdue = memo(pageOf);
  const plainBytes = (flag: FeatureFlag, flagContext: FlagContext): Buffer => {
    // Other flags with the same name may come and go while the flag does not change.
    if (catalog.flagDuplicates(flag).length > 0) return pageOf(flag, flagContext);
    // The lifetime may end while the flag does not change.
    const end = outlivesAt(flag) ?? Number.POSITIVE_INFINITY;
    return (now() < end ? young : overdue)(flag, flagContext);
  };
  const statusFor = (isMasked: boolean) => (flag: FeatureFlag, flagContext: FlagContext) => {
    const bytes = plainBytes(flag, flagContext);
    return isMasked ? withMaskedAuthor(bytes, undefined) : bytes;
  };
  return {
    statusFor,
    switchesOf,
    status: (flag, isMasked) => new Representation(statusFor(isMasked)(flag, catalog.flagContextOf(flag))),
  };
}

/** Masks the author as events do. */
const withMaskedAuthor = memo((bytes: Buffer, _: undefined): Buffer => {
  if (!bytes.includes('@')) return bytes;
  const { changedBy, ...status } = wireFeatureStatus.parse(JSON.parse(bytes.toString()));
  return bytesOf(JSON.stringify({ ...status, changedBy: changedBy && maskAddresses(changedBy) }));
});

/** An object with its status as one more member. */
export function withStatus(object: Buffer, status: Buffer): Buffer {
  return concat([object.subarray(0, -1), bytesOf(',"status":'), status, bytesOf('}')]);
}
