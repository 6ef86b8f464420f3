/** Answers of the flag search: texts are folded once per version of a flag, projects sorted once per change in them. */
import type { Catalog } from '../../catalog/catalog.ts';
import { memo } from '../../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../../catalog/project-views.ts';
import type { FlagContext } from '../../domain/flag/flag-context.ts';
import { isArchived, projectIdOf } from '../../domain/flag/flag-values.ts';
import {
  environmentOfSort,
  type FlagLooks,
  type FlagOrder,
  flagComparer,
  flagMatcher,
  foldedTexts,
} from '../../domain/flag/search-flags.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { joined } from '../../model/joined.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FlagSearch } from '../../wire/admin/feature-search-query.ts';
import { Representation } from '../server/representation.ts';

/** The bytes of a flag in lists: an object without its project. */
type Summary = (flag: FeatureFlag, flagContext: FlagContext) => Buffer;

export function createSearchPages({ flagContextOf }: Pick<Catalog, 'flagContextOf'>, summary: Summary) {
  const textsOf = memo((flag: FeatureFlag, _: undefined) => foldedTexts(flag));
  const looks: FlagLooks = {
    textsOf: (flag) => textsOf(flag, undefined),
    isOnIn(flag, environment) {
      const flagContext = flagContextOf(flag);
      return uses(flagContext, environment)
        ? undisputedEffect(flag, flagContext).enabledIn.has(environment)
        : undefined;
    },
  };
  const byName = memo((view: ProjectView, _: undefined) => view.flags.filter((flag) => !isArchived(flag)));
  const orders = memo((_view: ProjectView, _: undefined) => new Map<string, readonly FeatureFlag[]>());
  const inOrder = (view: ProjectView, order: FlagOrder): readonly FeatureFlag[] => {
    const environment = environmentOfSort(order.by);
    // All flags are equal by an environment that the project does not use. Caching such orders would be unbounded.
    if (environment !== undefined && !uses(view.flagContext, environment)) return byName(view, undefined);
    const cached = orders(view, undefined);
    const key = `${order.by} ${order.isDescending}`;
    const sorted = cached.get(key) ?? byName(view, undefined).toSorted(flagComparer(order, looks));
    cached.set(key, sorted);
    return sorted;
  };
  const item = (flag: FeatureFlag, flagContext: FlagContext) =>
    Buffer.concat([
      Buffer.from(`{"project":${JSON.stringify(projectIdOf(flag))},`),
      summary(flag, flagContext).subarray('{'.length),
    ]);

  return {
    /** A page of the matching flags of these projects, with the total number. */
    search(views: readonly ProjectView[], { filter, order, offset, limit }: FlagSearch): Representation {
      const matches = flagMatcher(filter, looks);
      const found = views.map((view) => inOrder(view, order).filter(matches));
      const total = found.reduce((sum, { length }) => sum + length, 0);
      // No project contributes more to this and earlier pages; sorting sorted runs only merges them.
      const first = found.flatMap((flags) => flags.slice(0, offset + limit)).sort(flagComparer(order, looks));
      const items = first.slice(offset, offset + limit).map((flag) => item(flag, flagContextOf(flag)));
      return new Representation(joined('{"features":[', items, `],"total":${total}}`));
    },
    /** All flags of these projects that are not archived. */
    everyFlag(views: readonly ProjectView[]): Representation {
      const items = views.flatMap(({ flags, flagContext }) =>
        flags.filter((flag) => !isArchived(flag)).map((flag) => item(flag, flagContext)),
      );
      return new Representation(joined('{"version":1,"features":[', items, ']}'));
    },
  };
}

function uses({ environments }: FlagContext, environment: string): boolean {
  return environments.some((one) => wireNameOf(one) === environment);
}
