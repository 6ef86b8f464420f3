/** Answers of the flag search: texts are folded once per version of a flag, projects sorted once per change in them. */
import type { Catalog } from '../../catalog/catalog.ts';
import { type ProjectView, undisputedEffect } from '../../catalog/project-views.ts';
import type { FlagContext } from '../../domain/flag/flag-context.ts';
import { isArchived, projectIdOf } from '../../domain/flag/flag-values.ts';
import {
  environmentOfSort,
  type FlagLooks,
  type FlagOrder,
  flagComparer,
  flagMatcher,
  foldedDescription,
  foldedTexts,
  type Switch,
} from '../../domain/flag/search-flags.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { bytesOf, concat, joined } from '../../model/bytes.ts';
import { memo } from '../../model/memo.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FlagSearch } from '../../wire/admin/flag/feature-search-query.ts';
import type { Representation } from '../server/answer/representation.ts';
import type { FlagUsages } from './flag-usage.ts';
import { inBothForms, representList, type TwoForms } from './two-forms.ts';

/** The bytes of a flag in lists: an object without the project. */
type Summary = (flag: FeatureFlag, flagContext: FlagContext) => TwoForms;

export interface SearchPagesParts {
  readonly summaryOf: Summary;
  readonly summaryWithStatus: (isMasked: boolean) => Summary;
  readonly switchesOf: (flag: FeatureFlag, flagContext: FlagContext) => readonly Switch[];
  readonly usages: Pick<FlagUsages, 'lastSeenAt' | 'lifecycleOf'>;
  /** A number that changes when usage in lists becomes too old. */
  readonly usageTurn: () => number;
}

export interface SearchPages {
  /** A page of the matching flags of these projects, with the total number. */
  search(views: readonly ProjectView[], search: FlagSearch, isMasked: boolean): Representation;
  /** All flags of these projects that are not archived. */
  everyFlag(views: readonly ProjectView[]): Representation;
}

export function createSearchPages(
  { flagContextOf }: Pick<Catalog, 'flagContextOf'>,
  { summaryOf, summaryWithStatus, switchesOf, usages, usageTurn }: SearchPagesParts,
): SearchPages {
  const textsOf = memo((flag: FeatureFlag, _: undefined) => foldedTexts(flag));
  const descriptionOf = memo((flag: FeatureFlag, _: undefined) => foldedDescription(flag));
  const looks: FlagLooks = {
    textsOf: (flag) => textsOf(flag, undefined),
    descriptionOf: (flag) => descriptionOf(flag, undefined),
    isOnIn(flag, environment) {
      const flagContext = flagContextOf(flag);
      return uses(flagContext, environment)
        ? undisputedEffect(flag, flagContext).enabledIn.has(environment)
        : undefined;
    },
    switchesOf: (flag) => switchesOf(flag, flagContextOf(flag)),
    lastSeenAt: usages.lastSeenAt,
    stageOf: (flag) => usages.lifecycleOf(flag).stage,
  };
  const byName = memo((view: ProjectView, _: undefined) => view.flags.filter((flag) => !isArchived(flag)));
  const orders = memo((_view: ProjectView, _: undefined) => new Map<string, readonly FeatureFlag[]>());
  const inOrder = (view: ProjectView, order: FlagOrder): readonly FeatureFlag[] => {
    const environment = environmentOfSort(order.by);
    // All flags are equal if the project does not use the environment. Caching such orders would be unbounded.
    if (environment !== undefined && !uses(view.flagContext, environment)) return byName(view, undefined);
    // Reports change this order without a change of the view.
    if (order.by === 'lastSeenAt') return byName(view, undefined).toSorted(flagComparer(order, looks));
    const cached = orders(view, undefined);
    const key = `${order.by} ${order.isDescending}`;
    const sorted = cached.get(key) ?? byName(view, undefined).toSorted(flagComparer(order, looks));
    cached.set(key, sorted);
    return sorted;
  };
  const item = (flag: FeatureFlag, flagContext: FlagContext, formsOf: Summary = summaryOf): TwoForms =>
    inBothForms(formsOf(flag, flagContext), (bytes) =>
      concat([bytesOf(`{"project":${JSON.stringify(projectIdOf(flag))},`), bytes.subarray('{'.length)]),
    );

  /** All flags of a project as one item, or none. */
  const itemsOf = memo((view: ProjectView, _usageTurn: number): readonly TwoForms[] => {
    const items = byName(view, undefined).map((flag) => item(flag, view.flagContext));
    if (items.length === 0) return [];
    const listed = (forms: readonly Buffer[]) => joined('', forms, '');
    const plain = listed(items.map((one) => one.plain));
    const isPlain = items.every((one) => one.plain === one.shown);
    return [{ plain, shown: isPlain ? plain : listed(items.map((one) => one.shown)) }];
  });

  return {
    search(views, { filter, order, offset, limit, withStatus }, isMasked) {
      const matches = flagMatcher(filter, looks);
      const found = views.map((view) => inOrder(view, order).filter(matches));
      const total = found.reduce((sum, { length }) => sum + length, 0);
      // No project contributes more to this and earlier pages; sorting sorted runs only merges them.
      const first = found.flatMap((flags) => flags.slice(0, offset + limit)).sort(flagComparer(order, looks));
      const formsOf = withStatus ? summaryWithStatus(isMasked) : summaryOf;
      const items = first.slice(offset, offset + limit).map((flag) => item(flag, flagContextOf(flag), formsOf));
      return representList({ head: '{"features":[', tail: `],"total":${total}}` }, items);
    },
    everyFlag(views) {
      const items = views.flatMap((view) => itemsOf(view, usageTurn()));
      return representList({ head: '{"version":1,"features":[', tail: ']}' }, items);
    },
  };
}

function uses({ environments }: FlagContext, environment: string): boolean {
  return environments.some((one) => wireNameOf(one) === environment);
}
