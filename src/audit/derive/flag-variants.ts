/** The audit events of the variants of a flag: of its own list, and of the lists that environments have instead. */
import { isDeepStrictEqual } from 'node:util';
import { environmentOf, variantsIn } from '../../domain/flag/flag-values.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Variant } from '../../schema/variant.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';

interface Versions<V> {
  readonly was: V;
  readonly is: V;
}

export function diffVariants(change: FlagChange): readonly AuditEvent[] {
  if (!areOther(change, listsOfFlag(change))) return [];
  return [auditEvent('feature-variants-updated', change.place, variantsData(change, listsOfFlag(change)))];
}

/**
 * The event of an environment contains the list that applies there. An environment that returns to the list of the flag
 * in the step that changes that list has no event of its own (docs/unleash-compatibility.md#event-order).
 */
export function diffOwnVariants(change: FlagChange, environment: string): readonly AuditEvent[] {
  const { before, after, place } = change;
  const own = (flag: FeatureFlag | undefined) => flag && (environmentOf(flag.spec, environment).variants ?? undefined);
  const lists = { was: own(before), is: own(after) };
  if (!areOther(change, lists)) return [];
  if (lists.is === undefined && areOther(change, listsOfFlag(change))) return [];
  const variants = { was: before ? variantsIn(before, environment) : [], is: variantsIn(after, environment) };
  return [
    auditEvent('feature-environment-variants-updated', { ...place, environment }, variantsData(change, variants)),
  ];
}

function listsOfFlag({ before, after }: FlagChange): Versions<readonly Variant[]> {
  return { was: before?.spec.variants ?? [], is: after.spec.variants ?? [] };
}

function areOther({ shapes }: FlagChange, { was, is }: Versions<readonly Variant[] | undefined>): boolean {
  return !isDeepStrictEqual(was && shapes.variants(was), is && shapes.variants(is));
}

function variantsData({ shapes }: FlagChange, { was, is }: Versions<readonly Variant[]>) {
  return { data: { variants: shapes.variants(is) }, preData: { variants: shapes.variants(was) } };
}
