/**
 * Answers of read endpoints as bytes: each version of a flag is serialised once, and lists are joined from the bytes.
 */

import type { Catalog } from '../../catalog/catalog.ts';
import type { ProjectView } from '../../catalog/project-views.ts';
import type { FlagContext } from '../../domain/flag/flag-context.ts';
import { isArchived } from '../../domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import type { ProjectCounts } from '../../domain/project/project-summary.ts';
import { memo } from '../../model/memo.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { presentOverviewHead, presentStaleCounts, presentTypeCounts } from '../../wire/admin/project/project.ts';
import { share } from '../server/answer/encodings.ts';
import { type Representation, represent } from '../server/answer/representation.ts';
import { createFlagForms } from './flag-forms.ts';
import type { FlagUsages } from './flag-usage.ts';
import { createSearchPages, type SearchPages } from './search-pages.ts';
import { createStatusPages, type StatusPages, type StatusParts, withStatus } from './status-pages.ts';
import {
  inBothForms,
  type ListFrame,
  piecesOfList,
  plainList,
  representList,
  representOne,
  type TwoForms,
} from './two-forms.ts';
import { createUserPages, type UserPages } from './user-pages.ts';

const LIST: ListFrame = { head: '{"version":1,"features":[', tail: ']}' };
const ARCHIVE: ListFrame = { head: '{"version":2,"features":[', tail: ']}' };

export interface PagesParts extends StatusParts {
  readonly catalog: Catalog;
  readonly usages: FlagUsages;
  /** The maximum age of the usage in lists: lists are put together and compressed again when usage changes. */
  readonly usageAgeMs: number;
  /** How many flags of a project have each kind of evidence, for its health report. */
  readonly evidenceIn: (view: ProjectView) => readonly object[];
}

/** Which flags a list shows, and how. */
export interface ShownFlags {
  readonly wanted?: ((flag: FeatureFlag) => boolean) | undefined;
  /** With the status, as this reader may see it. */
  readonly status?: { readonly isMasked: boolean } | undefined;
}

export interface Pages extends SearchPages, UserPages, Pick<StatusPages, 'status'> {
  /** GET /projects/:projectId/features/:featureName. */
  flag(flag: FeatureFlag, withEnvironmentVariants?: boolean): Representation;
  /** GET /projects/:projectId/features: the same bytes until something in the project changes. */
  flags(view: ProjectView): Representation;
  /** As `flags`, with a filter or the status of each flag. */
  someFlags(view: ProjectView, shown: ShownFlags): Representation;
  /** As `someFlags`, in pieces, as a long list is not kept. */
  flagPieces(view: ProjectView, shown: ShownFlags): Iterator<string>;
  /** GET /projects/:projectId. */
  overview(view: ProjectView): Representation;
  /** The overview without flags, with the number of flags of each type. */
  counts(view: ProjectView): Representation;
  /** GET /projects/:projectId/health-report. */
  healthReport(view: ProjectView): Representation;
  archive(views: readonly ProjectView[]): Representation;
  lastSeenAt(flag: FeatureFlag): number | undefined;
}

export function createPages({ catalog, usages, usageAgeMs, evidenceIn, ownersAt, now }: PagesParts): Pages {
  const { status, statusFor, switchesOf } = createStatusPages({ catalog, ownersAt, now });
  const { pageOf, summaryOf, archivedOf } = createFlagForms(usages);
  const summaryWithStatus = (isMasked: boolean) => (flag: FeatureFlag, flagContext: FlagContext) => {
    const statusBytes = statusFor(isMasked)(flag, flagContext);
    return inBothForms(summaryOf(flag, flagContext), (bytes) => withStatus(bytes, statusBytes));
  };
  const eachSummary = (
    { flags, flagContext }: ProjectView,
    wanted: (flag: FeatureFlag) => boolean = () => true,
    formsOf: (flag: FeatureFlag, flagContext: FlagContext) => TwoForms = summaryOf,
  ) =>
    flags
      .values()
      .filter((flag) => !isArchived(flag) && wanted(flag))
      .map((flag) => formsOf(flag, catalog.withRelated(flag, flagContext)));
  const formsFor = (shown: ShownFlags['status']) => (shown ? summaryWithStatus(shown.isMasked) : summaryOf);
  const summaries = (...list: Parameters<typeof eachSummary>) => [...eachSummary(...list)];
  const usageTurn = () => Math.floor(now() / usageAgeMs);
  const plainWhole = memo((view: ProjectView, _: undefined) => plainList(LIST, summaries(view)));
  const wholeList = memo((view: ProjectView, _usageTurn: number) =>
    share(representList(LIST, summaries(view), plainWhole(view, undefined))),
  );
  const headOf = ({ project, flagContext }: ProjectView, counts: ProjectCounts) =>
    presentOverviewHead(project, flagContext, counts);
  const overview = memo((view: ProjectView, counts: ProjectCounts) => {
    const frame = frameOf(headOf(view, counts));
    const plain = plainList(frame, summaries(view));
    return memo((_: ProjectView, _usageTurn: number) => share(representList(frame, summaries(view), plain)));
  });
  const healthReport = memo((view: ProjectView, counts: ProjectCounts) => {
    const head = { ...headOf(view, counts), ...presentStaleCounts(counts.summary) };
    const plain = plainList(frameOf({ ...head, evidence: [] }), summaries(view));
    return memo((_: ProjectView, _usageTurn: number) => {
      const frame = frameOf({ ...head, evidence: [] }, { ...head, evidence: evidenceIn(view) });
      return share(representList(frame, summaries(view), plain));
    });
  });
  const countsPage = memo((view: ProjectView, counts: ProjectCounts) =>
    represent({ ...headOf(view, counts), featureTypeCounts: presentTypeCounts(view.flags) }),
  );

  return {
    ...createUserPages(catalog),
    ...createSearchPages(catalog, { summaryOf, summaryWithStatus, switchesOf, usages, usageTurn }),
    status,
    flag(flag, withEnvironmentVariants = false) {
      const flagContext = catalog.flagContextOf(flag);
      const children = catalog
        .childrenOf(flag)
        .filter((child) => !isArchived(child))
        .map(wireNameOf)
        .sort(compareText);
      return representOne(pageOf(flag, flagContext, { children, withEnvironmentVariants }));
    },
    flags: (view) => wholeList(view, usageTurn()),
    someFlags: (view, { wanted, status: shown }) => representList(LIST, summaries(view, wanted, formsFor(shown))),
    flagPieces: (view, { wanted, status: shown }) => piecesOfList(LIST, eachSummary(view, wanted, formsFor(shown))),
    overview: (view) => overview(view, catalog.countsOf(view))(view, usageTurn()),
    counts: (view) => countsPage(view, catalog.countsOf(view)),
    healthReport: (view) => healthReport(view, catalog.countsOf(view))(view, usageTurn()),
    archive(views) {
      const archived = views.flatMap(({ flags }) => flags.filter(isArchived));
      return representList(ARCHIVE, archived.map(archivedOf));
    },
    lastSeenAt: usages.lastSeenAt,
  };
}

/** The list is the last member of an object. */
function frameOf(head: object, shownHead = head): ListFrame {
  const opening = (one: object) => `${JSON.stringify(one).slice(0, -1)},"features":[`;
  return { head: opening(head), shownHead: opening(shownHead), tail: ']}' };
}
