/** What happens to the variants of a flag: to its own list, and to those that environments have instead. */
import { isDeepStrictEqual } from 'node:util';
import { environmentOf, variantsIn } from '../domain/flag-values.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Variant } from '../schema/variant.ts';
import type { FlagChange } from './derive-flag-change.ts';
import { tell } from './derive-told.ts';
import type { Told } from './entry.ts';

interface Versions<V> {
  readonly was: V;
  readonly is: V;
}

export function tellVariants(change: FlagChange): readonly Told[] {
  if (!areOther(change, listsOfFlag(change))) return [];
  return [tell('feature-variants-updated', change.place, shown(change, listsOfFlag(change)))];
}

/**
 * What is told of an environment is what holds there. An environment that goes back to the list of the flag as that
 * one changes is told with it: so it is when all environments are given one list (facts §4.1, row 15).
 */
export function tellOwnVariants(change: FlagChange, environment: string): readonly Told[] {
  const { before, after, place } = change;
  const own = (flag: FeatureFlag | undefined) => flag && (environmentOf(flag.spec, environment).variants ?? undefined);
  const lists = { was: own(before), is: own(after) };
  if (!areOther(change, lists)) return [];
  if (lists.is === undefined && areOther(change, listsOfFlag(change))) return [];
  const held = { was: before ? variantsIn(before, environment) : [], is: variantsIn(after, environment) };
  return [tell('feature-environment-variants-updated', { ...place, environment }, shown(change, held))];
}

function listsOfFlag({ before, after }: FlagChange): Versions<readonly Variant[]> {
  return { was: before?.spec.variants ?? [], is: after.spec.variants ?? [] };
}

function areOther({ shapes }: FlagChange, { was, is }: Versions<readonly Variant[] | undefined>): boolean {
  return !isDeepStrictEqual(was && shapes.variants(was), is && shapes.variants(is));
}

function shown({ shapes }: FlagChange, { was, is }: Versions<readonly Variant[]>) {
  return { data: { variants: shapes.variants(is) }, preData: { variants: shapes.variants(was) } };
}
