/** The answers of a search among flags: texts are folded once for each version of a flag, each project is sorted once for each change in it. */
import type { Catalog } from '../catalog/catalog.ts';
import { memo } from '../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import { isArchived, projectIdOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import {
  environmentOfSort,
  type FlagLooks,
  type FlagOrder,
  flagComparer,
  flagMatcher,
  foldedTexts,
} from '../domain/search-flags.ts';
import type { Surroundings } from '../domain/surroundings.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { joined, Representation } from './representation.ts';
import type { FlagSearch } from './wire/feature-search-query.ts';

/** The bytes of a flag as it stands in lists: an object without its project. */
type Summary = (flag: FeatureFlag, surroundings: Surroundings) => Buffer;

export function createSearchPages({ surroundingsOf }: Pick<Catalog, 'surroundingsOf'>, summary: Summary) {
  const textsOf = memo((flag: FeatureFlag, _: undefined) => foldedTexts(flag));
  const looks: FlagLooks = {
    textsOf: (flag) => textsOf(flag, undefined),
    isOnIn(flag, environment) {
      const surroundings = surroundingsOf(flag);
      return uses(surroundings, environment)
        ? undisputedEffect(flag, surroundings).enabledIn.has(environment)
        : undefined;
    },
  };
  const byName = memo((view: ProjectView, _: undefined) => view.flags.filter((flag) => !isArchived(flag)));
  const orders = memo((_view: ProjectView, _: undefined) => new Map<string, readonly FeatureFlag[]>());
  const inOrder = (view: ProjectView, order: FlagOrder): readonly FeatureFlag[] => {
    const environment = environmentOfSort(order.by);
    // By an environment that the project does not use they are all the same: so a caller cannot make up orders without end.
    if (environment !== undefined && !uses(view.surroundings, environment)) return byName(view, undefined);
    const known = orders(view, undefined);
    const key = `${order.by} ${order.isDescending}`;
    const sorted = known.get(key) ?? byName(view, undefined).toSorted(flagComparer(order, looks));
    known.set(key, sorted);
    return sorted;
  };
  const item = (flag: FeatureFlag, surroundings: Surroundings) =>
    Buffer.concat([
      Buffer.from(`{"project":${JSON.stringify(projectIdOf(flag))},`),
      summary(flag, surroundings).subarray('{'.length),
    ]);

  return {
    /** Those of these projects that match, a page at a time, with how many there are. */
    search(views: readonly ProjectView[], { filter, order, offset, limit }: FlagSearch): Representation {
      const matches = flagMatcher(filter, looks);
      const found = views.map((view) => inOrder(view, order).filter(matches));
      const total = found.reduce((sum, { length }) => sum + length, 0);
      // Of each no more can be on this page or on one before it; and runs that are in order are only merged.
      const first = found.flatMap((flags) => flags.slice(0, offset + limit)).sort(flagComparer(order, looks));
      const items = first.slice(offset, offset + limit).map((flag) => item(flag, surroundingsOf(flag)));
      return new Representation(joined('{"features":[', items, `],"total":${total}}`));
    },
    /** All of these projects. */
    everyFlag(views: readonly ProjectView[]): Representation {
      const items = views.flatMap(({ flags, surroundings }) =>
        flags.filter((flag) => !isArchived(flag)).map((flag) => item(flag, surroundings)),
      );
      return new Representation(joined('{"version":1,"features":[', items, ']}'));
    },
  };
}

function uses({ environments }: Surroundings, environment: string): boolean {
  return environments.some((one) => wireNameOf(one) === environment);
}
