/** Answers of read endpoints as bytes: each version of a flag is serialised once, and lists are joined from the bytes. */
import type { Catalog } from '../../catalog/catalog.ts';
import { memo } from '../../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../../catalog/project-views.ts';
import type { FlagContext } from '../../domain/flag/flag-context.ts';
import { isArchived } from '../../domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import type { ProjectCounts } from '../../domain/project/project-summary.ts';
import { joined } from '../../model/joined.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import {
  type FlagView,
  presentFeature,
  presentFeatureSummary,
  presentFeatureWithEnvironments,
} from '../../wire/admin/feature.ts';
import { presentOverviewHead, presentStaleCounts, presentTypeCounts } from '../../wire/admin/project.ts';
import { Representation, represent } from '../server/representation.ts';
import { createSearchPages } from './search-pages.ts';
import { createUserPages } from './user-pages.ts';

function viewOf(flag: FeatureFlag, flagContext: FlagContext): FlagView {
  return { flag, flagContext, effect: undisputedEffect(flag, flagContext) };
}

export type Pages = ReturnType<typeof createPages>;

export function createPages(catalog: Catalog) {
  const flagPage = memo((flag: FeatureFlag, flagContext: FlagContext) =>
    represent(presentFeatureWithEnvironments({ ...viewOf(flag, flagContext), children: [] }, false)),
  );
  const summaryBytes = memo((flag: FeatureFlag, flagContext: FlagContext) =>
    Buffer.from(JSON.stringify(presentFeatureSummary(viewOf(flag, flagContext)))),
  );
  const archivedBytes = memo((flag: FeatureFlag, _: undefined) => Buffer.from(JSON.stringify(presentFeature(flag))));

  const summaries = ({ flags, flagContext }: ProjectView, wanted: (flag: FeatureFlag) => boolean) =>
    flags
      .filter((flag) => !isArchived(flag) && wanted(flag))
      .map((flag) => summaryBytes(flag, catalog.withRelated(flag, flagContext)));
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
  const headOf = ({ project, flagContext }: ProjectView, counts: ProjectCounts) =>
    presentOverviewHead(project, flagContext, counts);
  const overview = memo((view: ProjectView, counts: ProjectCounts) => withFlags(headOf(view, counts), view));
  const healthReport = (view: ProjectView, counts: ProjectCounts) =>
    withFlags({ ...headOf(view, counts), ...presentStaleCounts(counts.summary) }, view);
  const countsPage = memo((view: ProjectView, counts: ProjectCounts) =>
    represent({ ...headOf(view, counts), featureTypeCounts: presentTypeCounts(view.flags) }),
  );

  return {
    ...createUserPages(catalog),
    ...createSearchPages(catalog, summaryBytes),
    /** GET /projects/:projectId/features/:featureName. */
    flag(flag: FeatureFlag, withEnvironmentVariants = false): Representation {
      const flagContext = catalog.flagContextOf(flag);
      const children = catalog
        .childrenOf(flag)
        .filter((child) => !isArchived(child))
        .map(wireNameOf)
        .sort(compareText);
      // Few flags have children, which may change while the flag does not.
      if (!withEnvironmentVariants && children.length === 0) return flagPage(flag, flagContext);
      const view = { ...viewOf(flag, flagContext), children };
      return represent(presentFeatureWithEnvironments(view, withEnvironmentVariants));
    },
    /** GET /projects/:projectId/features; without a filter the same bytes until something in the project changes. */
    flags(view: ProjectView, wanted?: (flag: FeatureFlag) => boolean): Representation {
      return wanted ? list(view, wanted) : wholeList(view, undefined);
    },
    /** GET /projects/:projectId. */
    overview: (view: ProjectView): Representation => overview(view, catalog.countsOf(view)),
    /** The overview without flags, with the number of flags of each type. */
    counts: (view: ProjectView): Representation => countsPage(view, catalog.countsOf(view)),
    /** GET /projects/:projectId/health-report. */
    healthReport: (view: ProjectView): Representation => healthReport(view, catalog.countsOf(view)),
    archive(views: readonly ProjectView[]): Representation {
      const archived = views.flatMap(({ flags }) => flags.filter(isArchived));
      const items = archived.map((flag) => archivedBytes(flag, undefined));
      return new Representation(joined('{"version":2,"features":[', items, ']}'));
    },
  };
}
