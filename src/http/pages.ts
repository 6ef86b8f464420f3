/** The answers of reading endpoints as bytes: each flag is serialised once for each version, lists are put together. */
import type { Catalog } from '../catalog/catalog.ts';
import { memo } from '../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import { isArchived } from '../domain/flag-values.ts';
import type { ProjectCounts } from '../domain/project-summary.ts';
import type { Surroundings } from '../domain/surroundings.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { joined, Representation, represent } from './representation.ts';
import { createSearchPages } from './search-pages.ts';
import { createUserPages } from './user-pages.ts';
import {
  type FlagView,
  presentFeature,
  presentFeatureSummary,
  presentFeatureWithEnvironments,
} from './wire/feature.ts';
import { presentOverviewHead, presentStaleCounts, presentTypeCounts } from './wire/project.ts';

function viewOf(flag: FeatureFlag, surroundings: Surroundings): FlagView {
  return { flag, surroundings, effect: undisputedEffect(flag, surroundings) };
}

export type Pages = ReturnType<typeof createPages>;

export function createPages(catalog: Catalog) {
  const flagPage = memo((flag: FeatureFlag, surroundings: Surroundings) =>
    represent(presentFeatureWithEnvironments(viewOf(flag, surroundings), false)),
  );
  const summaryBytes = memo((flag: FeatureFlag, surroundings: Surroundings) =>
    Buffer.from(JSON.stringify(presentFeatureSummary(viewOf(flag, surroundings)))),
  );
  const archivedBytes = memo((flag: FeatureFlag, _: undefined) => Buffer.from(JSON.stringify(presentFeature(flag))));

  const summaries = ({ flags, surroundings }: ProjectView, wanted: (flag: FeatureFlag) => boolean) =>
    flags.filter((flag) => !isArchived(flag) && wanted(flag)).map((flag) => summaryBytes(flag, surroundings));
  const list = (view: ProjectView, wanted: (flag: FeatureFlag) => boolean) =>
    new Representation(joined('{"version":1,"features":[', summaries(view, wanted), ']}'));
  const wholeList = memo((view: ProjectView, _: undefined) => list(view, () => true));
  const withFlags = (head: object, view: ProjectView) =>
    new Representation(
      joined(
        `${JSON.stringify(head).slice(0, -1)},"features":[`,
        summaries(view, () => true),
        ']}',
      ),
    );
  const headOf = ({ project, surroundings }: ProjectView, counts: ProjectCounts) =>
    presentOverviewHead(project, surroundings, counts);
  const overview = memo((view: ProjectView, counts: ProjectCounts) => withFlags(headOf(view, counts), view));
  const healthReport = (view: ProjectView, counts: ProjectCounts) =>
    withFlags({ ...headOf(view, counts), ...presentStaleCounts(counts.summary) }, view);
  const countsPage = memo((view: ProjectView, counts: ProjectCounts) =>
    represent({ ...headOf(view, counts), featureTypeCounts: presentTypeCounts(view.flags) }),
  );

  return {
    ...createUserPages(catalog),
    ...createSearchPages(catalog, summaryBytes),
    /** Endpoint 4. */
    flag(flag: FeatureFlag, withEnvironmentVariants = false): Representation {
      const surroundings = catalog.surroundingsOf(flag);
      if (!withEnvironmentVariants) return flagPage(flag, surroundings);
      return represent(presentFeatureWithEnvironments(viewOf(flag, surroundings), true));
    },
    /** Endpoint 2; without a filter the same bytes until something in the project changes. */
    flags(view: ProjectView, wanted?: (flag: FeatureFlag) => boolean): Representation {
      return wanted ? list(view, wanted) : wholeList(view, undefined);
    },
    /** Endpoint 1. */
    overview: (view: ProjectView): Representation => overview(view, catalog.countsOf(view)),
    /** The same without its flags, but with how many of each type there are. */
    counts: (view: ProjectView): Representation => countsPage(view, catalog.countsOf(view)),
    /** Endpoint 1 with how many flags are stale. */
    healthReport: (view: ProjectView): Representation => healthReport(view, catalog.countsOf(view)),
    /** The archived flags of these projects. */
    archive(views: readonly ProjectView[]): Representation {
      const archived = views.flatMap(({ flags }) => flags.filter(isArchived));
      const items = archived.map((flag) => archivedBytes(flag, undefined));
      return new Representation(joined('{"version":2,"features":[', items, ']}'));
    },
  };
}
