/** Each project with its flags, remembered until something in it changes. */
import { effectOf, type FlagEffect } from '../domain/effect.ts';
import { concerns } from '../domain/name-claims.ts';
import { compareText, wireNameOf } from '../domain/names.ts';
import { type ProjectSummary, summarize } from '../domain/project-summary.ts';
import type { Surroundings } from '../domain/surroundings.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { ClaimedCache } from './cached.ts';
import { holder, nameRivalOf } from './holders.ts';
import { projectKey } from './indexes.ts';
import { memo } from './memo.ts';
import type { Neighbourhood } from './neighbourhood.ts';

/** One project with its flags; the same object for as long as nothing in it changes. */
export interface ProjectView {
  readonly project: Project;
  readonly surroundings: Surroundings;
  /** The flags that hold their names, archived ones included, ordered by wire name. */
  readonly flags: readonly FeatureFlag[];
}

interface Parts {
  readonly flags: ClaimedCache<FeatureFlag>;
  readonly projects: ClaimedCache<Project>;
  readonly neighbourhood: Neighbourhood;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** What of a flag that holds its name is in effect, computed once for each version of flag and surroundings. */
export const undisputedEffect: (flag: FeatureFlag, surroundings: Surroundings) => FlagEffect = memo((flag, around) =>
  effectOf(flag, around),
);

export function createProjectViews({ flags, projects, neighbourhood, now }: Parts) {
  const contests = countContests(flags);
  const inOrder = memo((bucket: readonly FeatureFlag[], _contests: number) =>
    bucket.filter((flag) => !nameRivalOf(flags, flag)).sort((a, b) => compareText(wireNameOf(a), wireNameOf(b))),
  );
  const views = memo(
    (list: readonly FeatureFlag[], surroundings: Surroundings): ProjectView | undefined =>
      surroundings.project && { project: surroundings.project, surroundings, flags: list },
  );
  const summaries = new WeakMap<ProjectView, ProjectSummary>();

  return {
    /** Undefined when no project holds that id. */
    view(id: string): ProjectView | undefined {
      const namespace = holder(projects, id)?.metadata.namespace;
      if (namespace === undefined) return undefined;
      const list = inOrder(flags.by('project', projectKey(namespace, id)), contests());
      return views(list, neighbourhood.surroundingsOf(namespace, id));
    },

    summaryOf(view: ProjectView): ProjectSummary {
      const known = summaries.get(view);
      if (known && now() < known.validUntil) return known;
      const fresh = summarize(view.flags, (flag) => undisputedEffect(flag, view.surroundings), now());
      summaries.set(view, fresh);
      return fresh;
    },
  };
}

/** Counts the times that who holds a name may have changed although the flag that has it did not. */
function countContests(flags: ClaimedCache<FeatureFlag>): () => number {
  let contests = 0;
  flags.claims.onClaim((name, change) => {
    if (concerns(change, flags.by('wireName', name))) contests += 1;
  });
  flags.subscribe(({ before, after }) => {
    const name = after ?? before;
    const others = name ? flags.by('wireName', wireNameOf(name)).length - (after ? 1 : 0) : 0;
    if (others > 0) contests += 1;
  });
  return () => contests;
}
