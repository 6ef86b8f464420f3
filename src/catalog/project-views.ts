/** Each project with its flags, memoised until something in it changes. */
import { effectOf, type FlagEffect } from '../domain/flag/effect.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import { countFlag, type ProjectSummary, summarize } from '../domain/project/project-summary.ts';
import { memo } from '../model/memo.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { ClaimedCache } from './cached.ts';
import { watchContests } from './contests.ts';
import type { Families } from './families.ts';
import { nameConflictWithOf, nameOwner } from './holders.ts';
import type { PlannedMoments } from './planned-moments.ts';
import { type ProjectContext, projectKey } from './project-context.ts';
import type { SegmentsByName } from './segments.ts';

/** One project with its flags; the same object until something in it changes. */
export interface ProjectView {
  readonly project: Project;
  readonly flagContext: FlagContext;
  /** The flags that own their names, archived ones included, ordered by wire name. */
  readonly flags: readonly FeatureFlag[];
}

interface Parts {
  readonly flags: ClaimedCache<FeatureFlag, 'wireName' | 'project'>;
  readonly projects: ClaimedCache<Project>;
  readonly projectContext: ProjectContext;
  readonly families: Pick<Families, 'withRelated'>;
  readonly segments: { readonly segmentsByName: () => SegmentsByName };
  readonly moments: Pick<PlannedMoments, 'passedIn'>;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** What is in effect of a flag that owns its name, computed once for each version of flag and context. */
export const undisputedEffect: (flag: FeatureFlag, flagContext: FlagContext) => FlagEffect = memo((flag, around) =>
  effectOf(flag, around),
);

const counted = memo(countFlag);

export interface ProjectViews {
  /** The same object until something in it changes; undefined if no project owns the id. */
  view(id: string): ProjectView | undefined;
  /** The counts of the flags of the view; the same object until the view changes or its `validUntil` has passed. */
  summaryOf(view: ProjectView): ProjectSummary;
}

export function createProjectViews({
  flags,
  projects,
  projectContext,
  families,
  segments,
  moments,
  now,
}: Parts): ProjectViews {
  const contests = watchContests(flags);
  const ownsItsName = (flag: FeatureFlag) => !contests.has(wireNameOf(flag)) || !nameConflictWithOf(flags, flag);
  const inOrder = memo((bucket: readonly FeatureFlag[], _changes: number) =>
    bucket.filter(ownsItsName).sort((a, b) => compareText(wireNameOf(a), wireNameOf(b))),
  );
  const views = memo((list: readonly FeatureFlag[], flagContext: FlagContext) =>
    // What is in effect of the flags also follows from the segments.
    memo((_: SegmentsByName, project: Project) =>
      // It also follows from the time.
      memo((_view: Project, _passed: number): ProjectView => ({ project, flagContext, flags: list })),
    ),
  );
  const summaries = new WeakMap<ProjectView, ProjectSummary>();

  return {
    view(id: string): ProjectView | undefined {
      const namespace = nameOwner(projects, id)?.metadata.namespace;
      if (namespace === undefined) return undefined;
      const key = projectKey(namespace, id);
      const list = inOrder(flags.by('project', key), contests.changes());
      const flagContext = projectContext.flagContextOf(namespace, id);
      const { project } = flagContext;
      if (!project) return undefined;
      return views(list, flagContext)(segments.segmentsByName(), project)(project, moments.passedIn(key));
    },

    summaryOf(view: ProjectView): ProjectSummary {
      const known = summaries.get(view);
      if (known && now() < known.validUntil) return known;
      const countedOf = (flag: FeatureFlag) =>
        counted(flag, undisputedEffect(flag, families.withRelated(flag, view.flagContext)));
      const fresh = summarize(view.flags, countedOf, now());
      summaries.set(view, fresh);
      return fresh;
    },
  };
}
