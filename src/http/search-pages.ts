/** The answers of a search among flags: each flag is folded once for each version, each project sorted once. */
import { memo } from '../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import { isArchived, projectIdOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import {
  environmentOfSort,
  type FlagOrder,
  flagComparer,
  flagMatcher,
  type SearchableFlag,
  searchableFlag,
} from '../domain/search-flags.ts';
import type { Surroundings } from '../domain/surroundings.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { joined, Representation } from './representation.ts';
import type { FlagSearch } from './wire/feature-search-query.ts';

/** `summary` gives the bytes of a flag as it stands in lists: an object without its project. */
export function createSearchPages(summary: (flag: FeatureFlag, surroundings: Surroundings) => Buffer) {
  const searchable = memo((flag: FeatureFlag, surroundings: Surroundings) =>
    searchableFlag(flag, surroundings, undisputedEffect(flag, surroundings)),
  );
  const byName = memo((view: ProjectView, _: undefined) =>
    view.flags.filter((flag) => !isArchived(flag)).map((flag) => searchable(flag, view.surroundings)),
  );
  const orders = memo((_view: ProjectView, _: undefined) => new Map<string, readonly SearchableFlag[]>());
  const inOrder = (view: ProjectView, order: FlagOrder): readonly SearchableFlag[] => {
    if (!tellsApart(view, order)) return byName(view, undefined);
    const known = orders(view, undefined);
    const key = `${order.by} ${order.isDescending}`;
    const sorted = known.get(key) ?? byName(view, undefined).toSorted(flagComparer(order));
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
      const matches = flagMatcher(filter);
      const around = new Map(views.map(({ project, surroundings }) => [wireNameOf(project), surroundings]));
      // Runs that are in order already: sorting them is merging them.
      const found = views.flatMap((view) => inOrder(view, order).filter(matches)).sort(flagComparer(order));
      const items = found.slice(offset, offset + limit).flatMap(({ flag, projectId }) => {
        const surroundings = around.get(projectId);
        return surroundings ? [item(flag, surroundings)] : [];
      });
      return new Representation(joined('{"features":[', items, `],"total":${found.length}}`));
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

/** By an environment that the project does not use its flags are all the same: so a caller cannot make up orders without end. */
function tellsApart({ surroundings }: ProjectView, { by }: FlagOrder): boolean {
  const environment = environmentOfSort(by);
  return environment === undefined || surroundings.environments.some((one) => wireNameOf(one) === environment);
}
