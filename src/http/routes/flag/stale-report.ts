/** /reports/stale: flags that can be removed according to their use, with the evidence. */

import { signedIn } from '../../../access/authorization/requirements.ts';
import { readableProjects } from '../../../access/readable/readable-objects.ts';
import type { ProjectView } from '../../../catalog/project-views.ts';
import { compareText, wireNameOf } from '../../../domain/identity/names.ts';
import { isRefusal } from '../../../errors.ts';
import { DAY_MS } from '../../../model/clock.ts';
import { inTurn } from '../../../runtime/turns.ts';
import {
  type EnvironmentSums,
  type FoundStale,
  presentStale,
  presentUnknown,
  type StaleQuery,
  staleQuery,
  tableOf,
  type WireStaleFinding,
  wireStaleReport,
} from '../../../wire/admin/flag/stale-report.ts';
import { presentTimeOrNull } from '../../../wire/admin/timestamp.ts';
import { type RouteServices, route } from '../../route/route.ts';
import { CSV_TYPE, csvOf } from '../../server/answer/csv.ts';

interface StaleFlag {
  readonly name: string;
  readonly project: string;
  readonly reason: string;
  readonly days: number;
  /** Undefined if there is no flag with that name. */
  readonly stale: FoundStale | undefined;
}

function everyFinding(
  services: RouteServices,
  views: readonly ProjectView[],
  { project, name, reason }: StaleQuery,
): readonly StaleFlag[] {
  const isWanted = (one: string) => name.length === 0 || name.includes(one);
  const { catalog, usage } = services;
  const wanted = views.filter((view) => project.length === 0 || project.includes(wireNameOf(view.project)));
  const ofFlags = wanted.flatMap((view) =>
    view.flags.flatMap((flag): StaleFlag[] => {
      const finding = isWanted(wireNameOf(flag)) ? usage.lookups.findingOf(flag) : undefined;
      if (!finding) return [];
      const stale = { subject: usage.lookups.of(flag), project: wireNameOf(view.project), finding };
      return [{ name: wireNameOf(flag), project: stale.project, reason: finding.reason, days: finding.days, stale }];
    }),
  );
  // Names without a flag belong to no project.
  const isEverything = project.length === 0 && views.length === catalog.projects().length;
  const names = isEverything ? unknownNames(services).filter(isWanted) : [];
  const unknown = names.map((one) => ({ name: one, project: '', reason: 'UnknownInUse', days: 0, stale: undefined }));
  return [...ofFlags, ...unknown].filter((one) => reason.length === 0 || reason.includes(one.reason));
}

function unknownNames({ catalog, usage }: RouteServices): readonly string[] {
  const reports = usage.known.unknown().filter(({ archivedUid }) => archivedUid === undefined);
  return [...new Set(reports.map(({ name }) => name))].filter((name) => !catalog.flag(name));
}

function inOrder(found: readonly StaleFlag[], { sortBy = 'days', sortOrder }: StaleQuery): readonly StaleFlag[] {
  const sign = (sortOrder ?? (sortBy === 'days' ? 'desc' : 'asc')) === 'desc' ? -1 : 1;
  const compare = (one: StaleFlag, other: StaleFlag) =>
    sortBy === 'days' ? one.days - other.days : compareText(one[sortBy], other[sortBy]);
  return found.toSorted((one, other) => sign * compare(one, other) || compareText(one.name, other.name));
}

/** The sums for the page, in one read. Undefined if the database cannot be reached. */
async function sumsOf(
  { usage: { reader } }: RouteServices,
  page: readonly StaleFlag[],
): Promise<ReadonlyMap<string, readonly EnvironmentSums[]> | undefined> {
  const stale = page.flatMap((one) => one.stale ?? []);
  if (stale.length === 0) return new Map();
  const since = Math.min(...stale.map(({ finding }) => finding.since));
  const uids = stale.map(({ subject }) => subject.flag.metadata.uid);
  try {
    return await reader.summaryOf(uids, since);
  } catch (error) {
    if (isRefusal(error, 'unavailable', 'busy')) return undefined;
    throw error;
  }
}

/** Removes the days before the finding: they are evidence for others on the page. */
function within(sums: readonly EnvironmentSums[], since: number): readonly EnvironmentSums[] {
  const firstDay = since - (since % DAY_MS);
  return sums.map((one) => ({ ...one, days: one.days.filter(({ at }) => at >= firstDay) }));
}

async function presentPage(services: RouteServices, page: readonly StaleFlag[]): Promise<readonly WireStaleFinding[]> {
  const sums = await sumsOf(services, page);
  return page.map(({ name, stale }) => {
    if (!stale)
      return presentUnknown(
        name,
        services.usage.known.unknown().filter((report) => report.name === name),
      );
    const ofFlag = sums?.get(stale.subject.flag.metadata.uid) ?? [];
    return presentStale(stale, sums && within(ofFlag, stale.finding.since));
  });
}

export const staleReportRoutes = [
  route({
    method: 'get',
    path: '/reports/stale',
    summary: 'List the flags that can be removed according to their use, with the evidence.',
    description:
      'The answer has the findings in the projects that the caller may read. With `Accept: text/csv` the answer is a table; a cell that a spreadsheet would read as a formula begins with an apostrophe. [stale-flags.md](stale-flags.md) describes each reason. Findings are as old as `VEXIL_USAGE_REFRESH`. There are no findings before SDKs have reported for long enough.',
    errors: [],
    requires: signedIn,
    query: staleQuery,
    texts: [CSV_TYPE],
    answer: 200,
    response: wireStaleReport,
    handle: async (services, { query, prefersCsv, turn }) => {
      const views = await readableProjects(services);
      const found = await inTurn(turn, () => inOrder(everyFinding(services, views, query), query));
      const findings = await presentPage(services, found.slice(query.offset, query.offset + query.limit));
      if (prefersCsv) return csvOf(tableOf(findings));
      const measuredSince = presentTimeOrNull(services.usage.known.measured()?.since);
      return { version: 1, findings, total: found.length, measuredSince };
    },
  }),
];
